import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseChanges } from '../../domain/packages/source-package.ts';
import { runCommand } from './run-command.ts';

/** Whose changes the demonstration makes. */
export const DEVELOPER = { DEBFULLNAME: 'Airline Demo', DEBEMAIL: 'demo@airline.example' };

/** A signed source package upload on disk. */
export type SignedUpload = {
  source: string;
  version: string;
  directory: string;
  /** Names of its files, the `.changes` last. */
  files: string[];
};

/**
 * Signs uploads with a key that is made for them.
 *
 * @param paths of the `.changes` files
 * @param keysDirectory where the public key is put for the PPA to know it
 */
export async function signUploads(
  paths: readonly string[],
  keysDirectory: string,
): Promise<SignedUpload[]> {
  // A home of its own with a short path: an agent's socket does not fit into a long one.
  const home = await mkdtemp(join(tmpdir(), 'airline-key-'));
  const options = { cwd: home, environment: { GNUPGHOME: home } };
  const identity = `${DEVELOPER.DEBFULLNAME} <${DEVELOPER.DEBEMAIL}>`;
  const gpg = (...args: string[]) => runCommand('gpg', ['--batch', '--quiet', ...args], options);
  try {
    await gpg('--passphrase', '', '--quick-generate-key', identity, 'ed25519', 'sign', '1d');
    await mkdir(keysDirectory, { recursive: true });
    await writeFile(join(keysDirectory, 'demo.asc'), await gpg('--armor', '--export', identity));
    for (const path of paths)
      await runCommand('debsign', ['--no-conf', `-k${identity}`, path], {
        ...options,
        cwd: dirname(path),
      });
  } finally {
    await runCommand('gpgconf', ['--kill', 'all'], options).catch(() => undefined);
    await rm(home, { recursive: true, force: true });
  }
  return Promise.all(paths.map(readUpload));
}

async function readUpload(path: string): Promise<SignedUpload> {
  const directory = dirname(path);
  const changes = path.slice(directory.length + 1);
  const parsed = parseChanges(await readFile(path, 'utf8'), changes);
  return {
    source: parsed.source,
    version: parsed.version,
    directory,
    files: [...parsed.files.map(({ name }) => name), changes],
  };
}
