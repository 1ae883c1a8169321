import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../sandbox/command.ts';

const GPG_MS = 60_000;

/** The key that signs the apt repositories of a stand-in. */
export type RepositoryKey = {
  fingerprint: string;
  /** Armoured public key. */
  publicKey: string;
  publicKeyPath: string;
  /** Clear-signs a text. */
  clearSign(text: string): Promise<string>;
};

/** Reads the key of a folder; the first time, makes one. */
export async function openRepositoryKey(directory: string): Promise<RepositoryKey> {
  const secretPath = join(directory, 'secret.asc');
  const publicKeyPath = join(directory, 'public.asc');
  const secret = await readFile(secretPath, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (secret === undefined) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await inGnupgHome(async (gpg) => {
      await gpg(
        ['--quick-generate-key', 'Airline Launchpad stand-in', 'ed25519', 'sign', 'never'],
        '',
      );
      const made = await gpg(['--armor', '--export-secret-keys'], '');
      await writeFile(`${secretPath}.new`, made, { mode: 0o600, flush: true });
      await rename(`${secretPath}.new`, secretPath);
    });
  }
  return inGnupgHome(async (gpg) => {
    const key = await readFile(secretPath, 'utf8');
    await gpg(['--import'], key);
    const listing = await gpg(['--list-keys', '--with-colons'], '');
    const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(listing)?.[1];
    if (!fingerprint) throw new Error(`${secretPath} holds no key`);
    const publicKey = await gpg(['--armor', '--export', fingerprint], '');
    await writeFile(publicKeyPath, publicKey);
    return {
      fingerprint,
      publicKey,
      publicKeyPath,
      clearSign: (text) =>
        inGnupgHome(async (again) => {
          await again(['--import'], key);
          return again(['--digest-algo', 'SHA512', '--clear-sign'], text);
        }),
    };
  });
}

/**
 * Runs gpg in a folder that lives as long as the call. gpg's agent is bound to its folder by a socket, whose path may
 * have 107 characters, and it outlives a killed stand-in: in a short-lived folder neither matters.
 */
async function inGnupgHome<Result>(
  use: (gpg: (args: readonly string[], input: string) => Promise<string>) => Promise<Result>,
): Promise<Result> {
  const home = await mkdtemp(join(tmpdir(), 'gpg-'));
  const options = { timeoutMs: GPG_MS, env: { GNUPGHOME: home } };
  try {
    return await use((args, input) =>
      run('gpg', ['--batch', '--quiet', '--no-tty', '--passphrase', '', ...args], {
        ...options,
        input,
      }),
    );
  } finally {
    await run('gpgconf', ['--kill', 'all'], options);
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}
