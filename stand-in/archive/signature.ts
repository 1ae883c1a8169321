import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { armouredBlocks } from '../../domain/packages/openpgp.ts';
import { CommandFailed, run } from '../../sandbox/command.ts';
import { readFolder } from './read-folder.ts';

const GPGV_MS = 30_000;
const MAX_KEY_FILES = 1_000;

/** A text whose signature was verified. */
export type Verified = {
  /** What the signature covers, and nothing around it. */
  text: string;
  /** Fingerprint of the signing key's primary key. */
  fingerprint: string;
};

/** Checks clear-signed texts against the public keys in a folder. */
export type Keyring = {
  /** @returns undefined where the text is unsigned, changed, or signed by a key that is unknown, expired or revoked */
  verify(path: string): Promise<Verified | undefined>;
  close(): Promise<void>;
};

/** Reads every `*.asc` of a folder; a folder that does not exist holds no key. */
export async function openKeyring(keysDir: string): Promise<Keyring> {
  const names = (await readFolder(keysDir)).filter((name) => name.endsWith('.asc'));
  if (names.length > MAX_KEY_FILES)
    throw new Error(`${keysDir} holds more than ${MAX_KEY_FILES} keys`);
  const texts = await Promise.all(
    names.map((name) => readFile(join(keysDir, name), 'utf8').catch(() => '')),
  );
  const home = await mkdtemp(join(tmpdir(), 'keyring-'));
  const keyring = join(home, 'keys.gpg');
  // gpgv takes binary keyrings only; those may simply be joined (RFC 9580, section 10.1).
  const blocks = texts.flatMap((text) => armouredBlocks(text, 'PUBLIC KEY BLOCK'));
  await writeFile(keyring, Buffer.concat(blocks));
  return {
    async verify(path) {
      const output = join(home, 'verified');
      await rm(output, { force: true });
      let status: string;
      try {
        status = await run(
          'gpgv',
          ['--status-fd', '1', '--homedir', home, '--keyring', keyring, '--output', output, path],
          { timeoutMs: GPGV_MS },
        );
      } catch (error) {
        if (error instanceof CommandFailed && error.exitCode !== null) return undefined;
        throw error;
      }
      const signatures = [...status.matchAll(/^\[GNUPG:\] VALIDSIG (.*)$/gm)];
      const isGood = /^\[GNUPG:\] GOODSIG /m.test(status);
      // The last word is the primary key; the first may be a subkey.
      const fingerprint = signatures[0]?.[1]?.split(' ').at(-1);
      if (!isGood || signatures.length !== 1 || !fingerprint) return undefined;
      return { text: await readFile(output, 'utf8'), fingerprint };
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}
