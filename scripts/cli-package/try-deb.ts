import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unprivilegedUser } from '../../main/embedded/unprivileged-user.ts';
import { readAptOptions, readAptSources, readMachine } from '../../sandbox/machine.ts';
import { createUnprivileged } from '../../sandbox/unprivileged.ts';

/** The oldest Debian whose Node is new enough. */
const SERIES = 'trixie';
const SCRIPT = fileURLToPath(new URL('try-deb.sh', import.meta.url));
const LIMIT_MS = 15 * 60_000;
const KILL_AFTER_MS = 10_000;

/**
 * Installs the command's `.deb` in a bare Debian made for it, with what it depends on and nothing else, uses it, and
 * removes it. The Debian comes from the mirror of this machine, and is thrown away.
 *
 * @param version of the command
 * @param say takes what is printed
 * @throws Error where something of it does not hold; what was printed says what
 */
export async function tryDeb(
  deb: string,
  version: string,
  say: (text: string) => void,
): Promise<void> {
  const machine = await readMachine();
  if (machine.distribution !== 'debian')
    throw new Error(`This is ${machine.distribution}: the check needs the mirror of a Debian.`);
  const unprivileged = createUnprivileged(unprivilegedUser(say));
  const folder = await mkdtemp(join(tmpdir(), 'airline-deb-'));
  await unprivileged.makeDirectory(folder);
  try {
    await copyFile(deb, join(folder, 'airline-cli.deb'));
    await copyFile(SCRIPT, join(folder, 'try-deb.sh'));
    const sources: string[] = [];
    for (const { name, text } of await readAptSources(machine.series)) {
      sources.push(join(folder, name));
      await writeFile(join(folder, name), text.replaceAll(machine.series, SERIES));
    }
    const { exitCode } = await unprivileged.run(
      'mmdebstrap',
      [
        '--variant=minbase',
        '--mode=unshare',
        '--format=null',
        '--quiet',
        '--skip=cleanup/apt/lists',
        // It is thrown away: dpkg need not flush every file to the disk.
        '--dpkgopt=force-unsafe-io',
        ...(await readAptOptions()).map((option) => `--aptopt=${option}`),
        '--customize-hook=copy-in airline-cli.deb try-deb.sh /root',
        `--customize-hook=chroot "$1" sh /root/try-deb.sh /root/airline-cli.deb ${version}`,
        SERIES,
        '/dev/null',
        ...sources,
      ],
      {
        cwd: folder,
        temporaryDir: folder,
        signal: new AbortController().signal,
        timeoutMs: LIMIT_MS,
        killAfterMs: KILL_AFTER_MS,
        onOutput: (chunk) => say(chunk.toString()),
      },
    );
    if (exitCode !== 0) throw new Error(`The .deb does not hold on ${SERIES}: see above.`);
  } finally {
    await unprivileged.removeDirectory(folder);
  }
}
