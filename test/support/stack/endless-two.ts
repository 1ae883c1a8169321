import { declareEndlessTest } from './endless.ts';

declareEndlessTest('two');
