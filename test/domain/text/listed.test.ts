import { listed } from '../../../domain/text/listed.ts';

it('names what fits, and counts the rest', () => {
  const names = ['ed', 'hello', 'mksh'];
  expect([0, 1, 2, 3].map((length) => listed(names.slice(0, length), 2))).toEqual([
    '',
    'ed',
    'ed, hello',
    'ed, hello and 1 more',
  ]);
});
