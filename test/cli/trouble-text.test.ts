import { troubleText } from '../../cli/output/trouble-text.ts';

const NOW = new Date('2026-04-20T03:00:00Z');

it.each([
  [
    {
      step: 'uploadSource',
      since: '2026-04-20T02:59:40Z',
      tries: 1,
      message: '421 too many users',
    },
    'The upload fails, 1 try in 20 s: 421 too many users',
  ],
  [
    { step: 'workflow', since: '2026-04-20T02:48:30Z', tries: 7, message: 'Nondeterminism error' },
    'Its workflow fails, 7 tries in 11 min 30 s: Nondeterminism error',
  ],
  [
    {
      step: 'paused',
      since: '2026-04-20T02:58:00Z',
      tries: 2,
      message: 'uploadSource is paused in Temporal',
    },
    'A step is paused, 2 tries in 2 min: uploadSource is paused in Temporal',
  ],
])('says what fails in the words of the pages (%#)', (trouble, said) => {
  expect(troubleText(trouble, NOW)).toBe(said);
});
