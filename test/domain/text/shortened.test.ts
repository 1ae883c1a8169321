import { shortened } from '../../../domain/text/shortened.ts';

it('leaves a text that fits as it is, and ends one that does not in an ellipsis', () => {
  expect(['', 'four', 'fives'].map((text) => shortened(text, 4))).toEqual(['', 'four', 'fiv…']);
});
