import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TOOL_ENVIRONMENT } from '../../sandbox/command.ts';
import { makeWorkFolder } from './work-folder.ts';

const run = promisify(execFile);
const DEBSIGN_MS = 60_000;

/** How unsigned sources are signed. */
export type Signing = {
  /** Key id or fingerprint, as `debsign -k` takes it. Its passphrase is empty, or an agent knows it. */
  keyId: string;
  /** GnuPG home of the keyring; null is the user's own. */
  gnupgHome: string | null;
};

/**
 * Signs the `.dsc`, the `.buildinfo` where there is one, and the `.changes`, whose checksums of them `debsign` renews.
 *
 * @param controlFiles contents by plain file name, exactly one of them a `.changes`
 * @returns the same names with the signed contents
 * @throws Error with what debsign said
 */
export async function signPackage(
  controlFiles: ReadonlyMap<string, Buffer>,
  { keyId, gnupgHome }: Signing,
  signal: AbortSignal,
): Promise<Map<string, Buffer>> {
  const directory = await makeWorkFolder('sign');
  try {
    for (const [name, content] of controlFiles) await writeFile(join(directory, name), content);
    const changes = [...controlFiles.keys()].find((name) => name.endsWith('.changes')) ?? '';
    await run('debsign', ['--no-conf', '--re-sign', `-k${keyId}`, changes], {
      cwd: directory,
      timeout: DEBSIGN_MS,
      signal,
      ...(gnupgHome === null
        ? {}
        : { env: { ...TOOL_ENVIRONMENT, HOME: gnupgHome, GNUPGHOME: gnupgHome } }),
    });
    const signed = new Map<string, Buffer>();
    for (const name of controlFiles.keys()) signed.set(name, await readFile(join(directory, name)));
    return signed;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
