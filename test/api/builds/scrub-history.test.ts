import { scrubEvent } from '../../../api/builds/scrub-history.ts';

it('scrubs every URL of a text, whatever is written before it', () => {
  const text =
    'git+ssh+very-long-name-of-a-scheme-and-more://me:s3cret@h/a?t=s3cret and ://s3cret@h';
  expect(scrubEvent({ text })).toEqual({
    text: 'git+ssh+very-long-name-of-a-scheme-and-more://scrubbed@h/a?t=scrubbed and ://scrubbed@h',
  });
});

it('takes no time over a long text that might be the beginning of a URL', () => {
  const text = `://h#${'a-'.repeat(100_000)}`;
  const before = process.cpuUsage();
  expect(scrubEvent({ text })).toEqual({ text });
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
