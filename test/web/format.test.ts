import { ago, clockTime, exactTime, roughDuration, withLocalTimes } from '../../web/format.ts';
import { isOwnPage, packageAddress, webAddress } from '../../web/addresses.ts';
import { idOfUri } from '../../web/server/resource-uri.ts';

const NOW = '2026-03-01T12:00:00Z';
const before = (ms: number) => ago(new Date(Date.parse(NOW) - ms).toISOString(), Date.parse(NOW));

it.each([
  [5_000, 'just now'],
  [59_000, 'under 1 min ago'],
  [61_000, '1 min ago'],
  [3_599_000, '59 min ago'],
  [7_200_000, '2 h ago'],
  [86_400_000, '1 day ago'],
  [5 * 86_400_000, '5 days ago'],
])('%i ms ago reads "%s"', (ms, text) => {
  expect(before(ms)).toBe(text);
});

it('says about how long in whole minutes', () => {
  expect(roughDuration(330_000)).toBe('6 min');
  expect(roughDuration(42_000)).toBe('42 s');
});

it('has hours from 0 to 23', () => {
  expect(clockTime('2026-01-02T16:27:38Z')).not.toMatch(/[AP]M/i);
});

it('writes the moments of a text as the reader does, and leaves what is none', () => {
  const real = '2026-03-01T10:00:00Z';
  expect(withLocalTimes(`from ${real} on`)).toBe(`from ${exactTime(real)} on`);
  const impossible = 'not before 2026-13-01T10:00:00Z, nor at 2026-01-01T25:61:00Z';
  expect(withLocalTimes(impossible)).toBe(impossible);
});

it('links to the web alone, and goes to pages of ours alone', () => {
  expect(
    ['https://a.example/', 'javascript:alert(1)', 'data:text/html,x', 'a b'].map(webAddress),
  ).toEqual(['https://a.example/', undefined, undefined, undefined]);
  expect(
    ['/build/1', '//evil.example', '/\\evil.example', 'https://evil.example'].map(isOwnPage),
  ).toEqual([true, false, false, false]);
  expect(packageAddress('<b>/x')).toBe('/package/%3Cb%3E%2Fx');
  expect(idOfUri('/api/v1/build/12/')).toBe(12);
});
