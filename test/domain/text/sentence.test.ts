import { sentence } from '../../../domain/text/sentence.ts';

describe('a text of others', () => {
  it.each([
    ['Launchpad does not answer', 'Launchpad does not answer.'],
    ['Launchpad does not answer.', 'Launchpad does not answer.'],
    ['Which PPA?', 'Which PPA?'],
    ['waiting for dpkg…', 'waiting for dpkg…'],
    ['Connection refused.\n', 'Connection refused.'],
  ])('%j is the sentence %j', (text, expected) => {
    expect(sentence(text)).toBe(expected);
  });
});
