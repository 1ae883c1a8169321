import { createWriteStream } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { RunAs } from '../../../sandbox/unprivileged.ts';
import { createUnprivileged } from '../../../sandbox/unprivileged.ts';
import type { SignedUpload } from '../sign-upload.ts';
import type { Rest } from '../rest.ts';
import { GREETING, GREETING_TEXT } from './two-packages.ts';

const SCRIPT = fileURLToPath(new URL('install.sh', import.meta.url));
const LIMIT_MS = 300_000;
const NAMESPACES = [
  '--map-root-user',
  '--map-auto',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
];

/**
 * Installs what was landed as a user would: apt, in a fresh root file system, from the target's own repository.
 *
 * @param options.launchpadUrl of the local PPA server, which serves the repository, too
 * @throws Error where another version than the landed one is installed, or it does not work
 */
export async function installFromTarget(options: {
  rest: Rest;
  launchpadUrl: string;
  distribution: string;
  series: string;
  directory: string;
  runAs: RunAs | undefined;
  packages: readonly SignedUpload[];
  say: (line: string) => void;
}): Promise<void> {
  const { launchpadUrl, distribution, series, directory, packages, say } = options;
  const unprivileged = createUnprivileged(options.runAs);
  // Root puts nothing into a folder of the user that runs what strangers wrote.
  await mkdir(directory, { recursive: true });
  const own = join(directory, 'own');
  await unprivileged.makeDirectory(own);
  const { objects } = await options.rest.get<{ objects: { url: string }[] }>(
    `/api/v1/image/?kind=base&series=${series}&limit=1&order_by=-id`,
  );
  const [base] = objects;
  if (!base) throw new Error('There is no base image.');
  const image = join(directory, 'base.tar.zst');
  await download(base.url, image);
  const repository = `${launchpadUrl.replace(/\/$/, '')}/archive/${distribution}`;
  const keyring = '/etc/apt/keyrings/target.asc';
  await download(
    `${launchpadUrl.replace(/\/$/, '')}/apt/signing-key.asc`,
    join(directory, 'target.asc'),
  );
  await writeFile(
    join(directory, 'target.list'),
    `deb [signed-by=${keyring}] ${repository} ${series}-proposed main\n`,
  );
  await writeFile(
    join(directory, 'target.pref'),
    'Package: *\nPin: release a=*-proposed\nPin-Priority: 500\n',
  );
  for (const name of ['base.tar.zst', 'target.asc', 'target.list', 'target.pref'])
    await chmod(join(directory, name), 0o644);
  let output = '';
  try {
    const { exitCode } = await unprivileged.run(
      'unshare',
      [...NAMESPACES, '--', 'sh', SCRIPT, directory, own, image, GREETING, 'airline-greeting'],
      {
        cwd: own,
        temporaryDir: own,
        signal: AbortSignal.timeout(LIMIT_MS),
        timeoutMs: LIMIT_MS,
        killAfterMs: 5_000,
        onOutput: (chunk) => (output += chunk.toString('utf8')),
      },
    );
    if (exitCode !== 0)
      throw new Error(`apt did not install ${GREETING}:\n${output.slice(-4_000)}`);
    for (const { source, version } of packages) {
      if (!output.includes(`${source}\t${version}\n`))
        throw new Error(`${source} ${version} was not installed:\n${output.slice(-4_000)}`);
      say(`installed by apt from ${repository}: ${source} ${version}`);
    }
    if (!output.trimEnd().endsWith(GREETING_TEXT))
      throw new Error(`airline-greeting says:\n${output.slice(-400)}`);
    say(`airline-greeting says: ${GREETING_TEXT}`);
  } finally {
    await unprivileged.removeDirectory(directory);
  }
}

async function download(url: string, path: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  if (!response.ok || !response.body) throw new Error(`GET ${url}: ${response.status}`);
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(path));
}
