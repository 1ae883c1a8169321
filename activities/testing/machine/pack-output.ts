import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainFolder } from '../../../sandbox/take-out.ts';
import type { Unprivileged } from '../../../sandbox/unprivileged.ts';

const PACK_MS = 300_000;

/**
 * Packs the folder that a run has left, as the user that wrote it.
 *
 * @param folder of the run, where the archive is put
 * @param output in a folder of ours; strangers' code may have left anything there, also a link to what the user reads
 * @returns the archive; null where it would be larger than `maxBytes`, where the user cannot read all of it, and where
 * it is no folder
 */
export async function packOutput(
  folder: string,
  output: string,
  {
    unprivileged,
    maxBytes,
    killAfterMs,
    signal,
  }: { unprivileged: Unprivileged; maxBytes: number; killAfterMs: number; signal: AbortSignal },
): Promise<string | null> {
  if (!(await isPlainFolder(output))) return null;
  const path = join(folder, 'artifacts.tar.gz');
  await writeFile(path, '', { flag: 'wx' });
  await unprivileged.give(path);
  const { exitCode } = await unprivileged
    .run(
      'prlimit',
      [
        `--fsize=${maxBytes}`,
        '--',
        'tar',
        '--create',
        '--gzip',
        '--file',
        path,
        // tar enters it as the user. What we start it in, we enter ourselves: as root, wherever a link leads.
        '--directory',
        output,
        '.',
      ],
      {
        cwd: folder,
        temporaryDir: folder,
        signal,
        timeoutMs: PACK_MS,
        killAfterMs,
        onOutput: () => undefined,
      },
    )
    .catch(() => ({ exitCode: 1 }));
  return exitCode === 0 ? path : null;
}
