import { status, text } from '../../../api/rest/fields.ts';

/** What a field says of a value that it does not take, each sentence once. */
function refusalsOf(field: ReturnType<typeof status | typeof text>, given: unknown): string[] {
  const issues = field.input.safeParse(given).error?.issues ?? [];
  return [...new Set(issues.map(({ message }) => message))];
}

describe('a status that is no whole number of at most nine digits', () => {
  it.each([
    '1.5',
    'abc',
    '',
    '12345678901',
    10_000_000_000,
    -10_000_000_000,
    1e300,
    1.5,
    true,
    null,
  ])('is refused in our own words: %j', (given) => {
    expect(refusalsOf(status({ help: '' }), given)).toEqual([
      'Enter a whole number of at most nine digits.',
    ]);
  });

  it.each(['-999999999', 999_999_999])('is not %j', (given) => {
    expect(refusalsOf(status({ help: '' }), given)).toEqual([]);
  });
});

it('a status says how many digits it may have, and what is particular to the field', () => {
  expect(status({ help: 'A new one is at 100.' }).help).toMatch(
    /whole number of at most nine digits.* A new one is at 100\.$/,
  );
});

describe('a number in the place of a text', () => {
  it.each([2 ** 53, 1e300, 1.5])('is refused in our own words: %d', (given) => {
    expect(refusalsOf(text({ help: '' }), given)).toEqual(['Enter a string.']);
  });

  it('is taken where it is whole', () => {
    expect(text({ help: '' }).input.parse(17)).toBe('17');
  });
});
