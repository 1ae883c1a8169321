import { storedModel } from './stored-model.ts';

/** A test suite. The specification gives it no fields yet. */
export class TestSuite extends storedModel('test_suite', {}) {}
