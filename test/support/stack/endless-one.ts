import { declareEndlessTest } from './endless.ts';

declareEndlessTest('one');
