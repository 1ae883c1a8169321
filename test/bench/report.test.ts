import { atLeast, atMost, describe as text } from '../../bench/report.ts';

it('a result is text: its notes, its goals, and one table of every list of rows', () => {
  const result = {
    title: 'Title',
    notes: ['One note.'],
    goals: [atLeast('share', 0.5, 0.5), atMost('MiB', 65, 64)],
    tables: [
      [
        { what: 'a', 'req/s': 12_345.6 },
        { what: 'long name', 'req/s': 0.126 },
      ],
      [],
    ],
  };

  expect(text(result, '# ')).toBe(`# Title

One note.

| goal  | measured | limit |        |
| ----- | -------: | ----: | ------ |
| share |     0.50 |  0.50 | met    |
| MiB   |       65 |    64 | missed |

| what      |  req/s |
| --------- | -----: |
| a         | 12,346 |
| long name |   0.13 |`);
});
