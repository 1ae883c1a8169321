import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { CommandEnvironment } from '../../cli/environment.ts';
import { verifySignature } from '../../cli/upload/verify-signature.ts';
import { makeKeyOfGnupg, type KeyOfGnupg } from '../support/signing-key.ts';
import { makeSource } from '../support/source-package.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { call } from './call.ts';
import { readWith, readWithKeyring } from './keyring.ts';

const run = promisify(execFile);

let key: KeyOfGnupg;
beforeAll(async () => {
  key = await makeKeyOfGnupg('Ann Doe', 'ann@example.com');
});
afterAll(() => key.remove());

const source = () => makeSource({ directory: temporaryDirectory(), name: 'hello', key });

/** Submits with the real gpg, and a keyring. */
const submit = (changes: string, { gnupgHome = key.gnupgHome, absent = [] as string[] } = {}) =>
  submitWith(readWithKeyring(gnupgHome, absent), changes);

const submitWith = (readProgram: CommandEnvironment['readProgram'], changes: string) =>
  call(
    ['submit', changes, '--ppa=a/b', '--series=bookworm', '--archive=debian'].concat([
      '--dry-run',
      '--no-check',
    ]),
    { readProgram },
  );

describe('the signature of an upload', () => {
  it('that is good names its key and who signed', async () => {
    const { changes } = await source();
    const { code, stdout, stderr } = await submit(changes);
    expect(code).toBe(0);
    expect(stderr).toContain(
      `hello 1.0 is signed by Ann Doe <ann@example.com>, key ${key.fingerprint.slice(-16)}.`,
    );
    expect(stdout).toContain('Ann Doe <ann@example.com>');
  });

  it('of a .changes that was edited afterwards is refused', async () => {
    const { changes } = await source();
    const text = readFileSync(changes, 'utf8');
    writeFileSync(changes, text.replace('Urgency: medium', 'Urgency: low'));
    const { code, stderr } = await submit(changes);
    expect(code).toBe(2);
    expect(stderr).toContain('hello_1.0_source.changes: its signature is wrong');
    expect(stderr).toContain('Ann Doe <ann@example.com>, key');
    expect(stderr).toContain('debsign --re-sign');
  });

  it('that cannot be read is refused', async () => {
    const { changes } = await source();
    const text = readFileSync(changes, 'utf8');
    const start = text.indexOf('-----BEGIN PGP SIGNATURE-----');
    writeFileSync(
      changes,
      `${text.slice(0, start)}-----BEGIN PGP SIGNATURE-----\n\niQIz\n-----END PGP SIGNATURE-----\n`,
    );
    expect(await submit(changes)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /\.changes: (?:its signature cannot be read|gpg does not accept)/,
      ),
    });
  });

  it('that has lost the empty line at its head is refused', async () => {
    const { changes } = await source();
    const text = readFileSync(changes, 'utf8');
    writeFileSync(changes, text.replace('PGP SIGNATURE-----\n\n', 'PGP SIGNATURE-----\n'));
    expect(await submit(changes)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('.changes: its signature cannot be read'),
    });
  });

  it('of a key that is not in the keyring is left to the PPA, and it is said', async () => {
    const { changes } = await source();
    const { code, stdout, stderr } = await submit(changes, { gnupgHome: temporaryDirectory() });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /was not checked here: your keyring does not have its key, [0-9A-F]{16}/,
    );
    expect(stdout).toContain('not checked');
  });

  it('is left to the PPA where there is no gpg', async () => {
    const { changes } = await source();
    const { code, stderr } = await submit(changes, { absent: ['gpg'] });
    expect(code).toBe(0);
    expect(stderr).toContain('there is no gpg on this machine');
  });

  it('is left to the PPA where gpg can make no home, as in a container of another user', async () => {
    const { changes, dsc } = await source();
    // A folder cannot be made in a file, whoever runs this.
    const homeless = readWith({ PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', HOME: dsc });
    expect(await submitWith(homeless, changes)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        "hello 1.0 was not checked here: gpg did not look at it: gpg: Fatal: can't create directory",
      ),
    });
  });

  it('is left to the PPA where gpg ends and says nothing', async () => {
    const { changes } = await source();
    const ended = async () => ({ code: 130, stdout: '', stderr: '' });
    expect(await submitWith(ended, changes)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('gpg did not look at it: it ended with 130'),
    });
  });

  it('is checked of a path that looks like an option, too', async () => {
    const directory = temporaryDirectory();
    const { dsc } = await makeSource({ directory: join(directory, '-d'), name: 'hello', key });
    const read = readWithKeyring(key.gnupgHome);
    const readProgram: typeof read = (program, args) => read(program, args, { cwd: directory });
    expect(await verifySignature({ readProgram }, `-d/${basename(dsc)}`)).toMatchObject({
      kind: 'good',
      key: key.fingerprint,
    });
  });

  it('of the .dsc counts, too', async () => {
    const one = await source();
    // A .dsc of another key's time: the .changes is made again for what was spoilt, and signed.
    const dsc = readFileSync(one.dsc, 'utf8').replace('Maintainer:', 'Maintainer: ');
    writeFileSync(one.dsc, dsc);
    const { changes } = await resigned(one.changes, one.dsc);
    const { code, stderr } = await submit(changes);
    expect(code).toBe(2);
    expect(stderr).toContain('hello_1.0.dsc: its signature is wrong');
  });
});

/** Writes the checksums of a changed `.dsc` into its `.changes`, and signs that anew. */
async function resigned(changes: string, dsc: string): Promise<{ changes: string }> {
  const { createHash } = await import('node:crypto');
  const bytes = readFileSync(dsc);
  const plain = join(temporaryDirectory(), 'plain');
  const env = { ...process.env, GNUPGHOME: key.gnupgHome };
  writeFileSync(plain, '');
  const { stdout } = await run('gpg', ['--batch', '--decrypt', changes], { env });
  const name = dsc.split('/').at(-1) ?? '';
  const text = stdout
    .split('\n')
    .map((line) => {
      if (!line.endsWith(name)) return line;
      const [sum = ''] = line.trim().split(' ');
      const digest = { 32: 'md5', 40: 'sha1', 64: 'sha256' }[sum.length] ?? 'md5';
      return line
        .replace(sum, createHash(digest).update(bytes).digest('hex'))
        .replace(/(?<=^ \S+ )\d+/, String(bytes.length));
    })
    .join('\n');
  appendFileSync(plain, text);
  await run('gpg', ['--batch', '--yes', '--clearsign', '--output', changes, plain], { env });
  return { changes };
}
