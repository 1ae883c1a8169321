import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readPrivateKey } from 'openpgp';
import { clearSign, makeKey } from './openpgp-key.ts';

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
  const secret =
    (await readFile(secretPath, 'utf8').catch(unlessAbsent)) ?? (await makeSecret(secretPath));
  const key = await readPrivateKey({ armoredKey: secret }).catch((error: unknown) => {
    throw new Error(`${secretPath} holds no key`, { cause: error });
  });
  const publicKey = key.toPublic().armor();
  await writeFile(publicKeyPath, publicKey);
  return {
    fingerprint: key.getFingerprint().toUpperCase(),
    publicKey,
    publicKeyPath,
    clearSign: (text) => clearSign(text, key),
  };
}

/** @returns the armoured key, as the file has it from now on */
async function makeSecret(path: string): Promise<string> {
  const secret = (await makeKey({ name: 'Airline Launchpad stand-in' })).armor();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, secret, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  return secret;
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
