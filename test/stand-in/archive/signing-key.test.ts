import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openKeyring } from '../../../stand-in/archive/signature.ts';
import { openRepositoryKey } from '../../../stand-in/archive/signing-key.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const execute = promisify(execFile);

/** As apt-ftparchive writes them, with what a frame of OpenPGP has to escape. */
const RELEASE =
  'Origin: LP-PPA-me-test\nDescription:\n - one line\n-two\nSHA256:\n abc 0 Sources\n';

/** What gpgv says of a text, with the public key that the folder holds. */
async function verify(directory: string, signed: string) {
  const keyring = await openKeyring(directory);
  const path = join(temporaryDirectory(), 'InRelease');
  writeFileSync(path, signed);
  try {
    return await keyring.verify(path);
  } finally {
    await keyring.close();
  }
}

describe('the key of the repositories', () => {
  it('is made once, is secret, and gpgv verifies what it signs', async () => {
    const directory = join(temporaryDirectory(), 'signing');
    const { fingerprint } = await openRepositoryKey(directory);
    const key = await openRepositoryKey(directory);
    expect(key.fingerprint).toBe(fingerprint);
    expect(statSync(join(directory, 'secret.asc')).mode & 0o777).toBe(0o600);
    const signed = await key.clearSign(RELEASE);
    expect(signed).not.toContain('\r');
    expect(await verify(directory, signed)).toEqual({ text: RELEASE, fingerprint });
    expect(await verify(directory, signed.replace('abc', 'abd'))).toBeUndefined();
  });

  it('may be one that gpg has made', async () => {
    const directory = temporaryDirectory();
    const gpg = async (...args: string[]) =>
      (
        await execute('gpg', ['--batch', '--passphrase', '', ...args], {
          env: { ...process.env, GNUPGHOME: home },
        })
      ).stdout;
    const home = temporaryDirectory();
    await gpg('--quick-generate-key', 'Airline', 'ed25519', 'sign', 'never');
    const theirs = /^fpr:+([0-9A-F]{40}):/m.exec(await gpg('--list-keys', '--with-colons'))?.[1];
    writeFileSync(join(directory, 'secret.asc'), await gpg('--armor', '--export-secret-keys'));
    await execute('gpgconf', ['--homedir', home, '--kill', 'all']);
    const key = await openRepositoryKey(directory);
    expect(key.fingerprint).toBe(theirs);
    expect(await verify(directory, await key.clearSign(RELEASE))).toMatchObject({
      fingerprint: theirs,
    });
    expect(readFileSync(key.publicKeyPath, 'utf8')).toBe(key.publicKey);
  });

  it('is not made again where its file is damaged', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'secret.asc'), 'no key');
    await expect(openRepositoryKey(directory)).rejects.toThrow('secret.asc holds no key');
    expect(readFileSync(join(directory, 'secret.asc'), 'utf8')).toBe('no key');
  });
});
