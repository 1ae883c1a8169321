import { join } from 'node:path';
import { run } from '../../../sandbox/command.ts';
import { openIsolation, type Bounds } from '../../../sandbox/isolation.ts';
import { isPlainFile } from '../../../sandbox/take-out.ts';
import type { Unprivileged } from '../../../sandbox/unprivileged.ts';
import { ImageProblem, whatRanOut } from '../test-machine.ts';

const IMAGE = 'image.squashfs';
/** Times are those of the files, and blocks are in their order whatever the number of processors. */
const CONVERT =
  'zstd --decompress --stdout "$1" | tar2sqfs --quiet --no-skip --compressor zstd --comp-extra level=6 "$2"';

/**
 * Makes a squashfs file of an image's `.tar.zst`: the same bytes of the same image.
 *
 * @param folder its own, removed by the caller
 * @throws ImageProblem
 */
export async function makeSquashfs(
  folder: string,
  tarball: string,
  unprivileged: Unprivileged,
  bounds: Bounds,
): Promise<string> {
  const isolation = await openIsolation(folder, unprivileged, { files: [tarball] });
  try {
    const made = join(isolation.own, IMAGE);
    const command = ['-o', 'pipefail', '-c', CONVERT, 'bash', tarball, made];
    const end = await isolation.run('bash', command, bounds);
    bounds.signal.throwIfAborted();
    const fault = whatRanOut(end, 'tar2sqfs', bounds);
    if (fault !== undefined) throw new ImageProblem(fault);
    if (end.exitCode !== 0) throw new ImageProblem(`tar2sqfs ended with ${end.exitCode}.`);
    const path = await isolation.take(IMAGE);
    if (!(await isPlainFile(path))) throw new ImageProblem('The image is no file.');
    return path;
  } finally {
    await isolation.stop();
  }
}

/** @throws Error that says what to install */
export async function assertMakesSquashfs(): Promise<void> {
  try {
    await run('tar2sqfs', ['--version'], { timeoutMs: 10_000 });
  } catch (cause) {
    throw new Error(
      'AIRLINE_TEST_SQUASHFS is on, and tar2sqfs cannot be run: apt-get install squashfs-tools-ng.',
      { cause },
    );
  }
}
