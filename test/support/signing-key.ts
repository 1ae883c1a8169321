import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clearSign, makeKey } from '../../stand-in/archive/openpgp-key.ts';

const execute = promisify(execFile);

/** A throw-away OpenPGP key without a passphrase. */
export type SigningKey = {
  fingerprint: string;
  /** Armoured public key: what the stand-in takes as a file in its `keys/`. */
  publicKey: string;
  /** Armoured secret key. */
  secretKey: string;
  /** Clear-signs a text as debsign does, without a process. */
  clearSign(text: string): Promise<string>;
};

/** A key that programs can sign with, too. */
export type KeyOfGnupg = SigningKey & {
  /** GNUPGHOME that holds the secret key, with a path short enough for an agent's socket. */
  gnupgHome: string;
  /** Ends the key's agent and deletes the folder. */
  remove(): Promise<void>;
};

/**
 * Makes a key in this process.
 *
 * @param name of its owner
 * @param subkeys one of them signs, where there are any
 */
export async function makeSigningKey(
  name = 'Airline Test',
  email = 'test@airline.example',
  subkeys: { sign: true }[] = [],
): Promise<SigningKey> {
  const privateKey = await makeKey({ name, email }, subkeys);
  const publicKey = privateKey.toPublic();
  return {
    fingerprint: publicKey.getFingerprint().toUpperCase(),
    publicKey: publicKey.armor(),
    secretKey: privateKey.armor(),
    clearSign: (text) => clearSign(text, privateKey),
  };
}

/** Makes a key in a GNUPGHOME of its own. @param owner as {@link makeSigningKey} takes it */
export async function makeKeyOfGnupg(
  ...owner: Parameters<typeof makeSigningKey>
): Promise<KeyOfGnupg> {
  return giveToGnupg(await makeSigningKey(...owner));
}

/** Puts a key into a GNUPGHOME of its own. */
export async function giveToGnupg(key: SigningKey): Promise<KeyOfGnupg> {
  const gnupgHome = await mkdtemp(join(tmpdir(), 'gnupg-'));
  const options = { timeout: 300_000, env: { ...process.env, GNUPGHOME: gnupgHome } };
  const importing = execute('gpg', ['--batch', '--quiet', '--import'], options);
  importing.child.stdin?.end(key.secretKey);
  await importing;
  return {
    ...key,
    gnupgHome,
    async remove() {
      await execute('gpgconf', ['--kill', 'all'], options);
      await rm(gnupgHome, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
