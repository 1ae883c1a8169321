import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKey, readPrivateKey } from 'openpgp';
import { clearSign } from './clear-sign.ts';

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
  const { privateKey } = await generateKey({
    userIDs: { name: 'Airline Launchpad stand-in' },
    type: 'ecc',
    // The form of Ed25519 that the gpg of Debian 12 reads, too.
    curve: 'ed25519Legacy',
    subkeys: [],
  });
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, privateKey, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
  return privateKey;
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
