import { setTimeout as sleep } from 'node:timers/promises';
import { loggedWork } from '../../../activities/testing/logged-work.ts';
import { ImageProblem, withinImageTime } from '../../../activities/testing/test-machine.ts';
import { keepLog } from '../activity.ts';

const deps = { logger: keepLog().logger };

/** Makes an image that never ends by itself. */
function make(signal: AbortSignal) {
  return loggedWork(deps, 'image', async (onOutput) => {
    onOutput(Buffer.from('Unpacking moods ...\n'));
    await sleep(600_000, undefined, { signal });
  });
}

it('an image that takes too long says so, and what was done last', async () => {
  const { signal } = new AbortController();
  const error: unknown = await withinImageTime(signal, 20, make).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ImageProblem);
  expect(error).toMatchObject({
    message: 'The image took longer than 20 ms.\nUnpacking moods ...',
    isUninstallable: false,
  });
});

it('an image that is cancelled is no problem of the image', async () => {
  const cancellation = new AbortController();
  const making = withinImageTime(cancellation.signal, 600_000, make);
  cancellation.abort();
  await expect(making).rejects.toMatchObject({ name: 'AbortError' });
});
