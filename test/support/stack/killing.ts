import { existsSync, readFileSync } from 'node:fs';
import { waitUntil } from '../../../main/embedded/wait-until.ts';

/** For test/test-run.test.ts: a test that kills the stack of its test run, and fails. */
it('kills the stack', async () => {
  const { ppid } = process;
  const siblings = readFileSync(`/proc/${ppid}/task/${ppid}/children`, 'utf8').trim().split(' ');
  const stack = siblings.find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('test/support/stack/run'),
  );
  process.kill(Number(stack), 'SIGKILL');
  // The test run knows of it from then on.
  await waitUntil('its end', () => !existsSync(`/proc/${stack}`), { timeoutMs: 60_000 });
  expect(1).toBe(2);
});
