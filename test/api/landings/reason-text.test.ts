import { reasonText } from '../../../api/landings/reason-text.ts';

const read = (given: unknown) => reasonText('Why.').safeParse(given);

describe('the reason of a person', () => {
  it('is kept without the white space around it', () => {
    expect(read(' Tried by hand: \u{1F680}\n')).toMatchObject({ data: 'Tried by hand: \u{1F680}' });
  });

  it.each([
    ['nothing', undefined],
    ['white space', ' \n'],
    ['more than can be kept', 'a'.repeat(2_001)],
    ['NUL', 'a\0b'],
    ['half of a surrogate pair', 'a\ud800'],
  ])('is never %s', (_name, given) => {
    expect(read(given).success).toBe(false);
  });
});
