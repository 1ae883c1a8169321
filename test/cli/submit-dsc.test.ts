import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Interrupted } from '../../cli/command-error.ts';
import { parseChanges } from '../../domain/packages/source-package.ts';
import { makeKeyOfGnupg, type KeyOfGnupg } from '../support/signing-key.ts';
import { makeSource } from '../support/source-package.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildCommand, type BuiltCommand } from './built-command.ts';
import { assertDone, call } from './call.ts';
import { readWithKeyring } from './keyring.ts';
import { json, useScript } from './script-server.ts';

jest.setTimeout(600_000);

let key: KeyOfGnupg;
beforeAll(async () => {
  key = await makeKeyOfGnupg('Ann Doe', 'ann@example.com');
});
afterAll(() => key.remove());

/** A source package without its `.changes`. */
async function bareSource(options: { signs?: boolean; format?: 'native' | 'quilt' } = {}) {
  const { signs = true, format = 'quilt' } = options;
  const made = await makeSource({
    directory: temporaryDirectory(),
    name: 'hello',
    version: '1:2.10-3',
    format,
    ...(signs ? { key } : {}),
  });
  for (const file of made.files) if (/\.(?:changes|buildinfo)$/.test(file)) rmSync(file);
  return made;
}

const submit = (path: string, more: readonly string[], absent: readonly string[] = []) =>
  call(['submit', path, '--ppa=a/b', '--series=bookworm', '--archive=debian', ...more], {
    readProgram: readWithKeyring(key.gnupgHome, absent),
  });
const dryRun = (path: string, more: readonly string[], absent: readonly string[] = []) =>
  submit(path, ['--dry-run', '--no-check', ...more], absent);
const leftOver = () => readdirSync(tmpdir()).filter((name) => name.startsWith('airline-dsc-'));

describe('airline submit of a .dsc', () => {
  const server = useScript();

  it('takes the .changes beside it, and says so', async () => {
    const { dsc } = await makeSource({ directory: temporaryDirectory(), name: 'hello', key });
    const { code, stdout, stderr } = await dryRun(dsc, []);
    assertDone({ code, stdout, stderr });
    expect(stderr).toContain('hello_1.0.dsc: hello_1.0_source.changes beside it is submitted.');
    expect(stdout).toMatch(/hello +1\.0 +4 /);
  });

  it('without one says what makes one', async () => {
    const { dsc } = await bareSource();
    const { code, stderr } = await dryRun(dsc, []);
    expect(code).toBe(2);
    expect(stderr).toContain('there is no hello_2.10-3_source.changes beside it');
    expect(stderr).toContain('--sign-with <key>');
  });

  it('makes one in a dry run, and leaves nothing of it', async () => {
    const { dsc, directory } = await bareSource();
    const before = readdirSync(directory);
    const [dscBefore, temporaryBefore] = [readFileSync(dsc), leftOver()];
    const { code, stdout, stderr } = await dryRun(dsc, [
      '--sign-with',
      'ann@example.com',
      '--json',
    ]);
    assertDone({ code, stdout, stderr });
    const [ready] = (JSON.parse(stdout) as { ready: { signed_by: unknown; files: object[] }[] })
      .ready;
    expect(ready).toMatchObject({
      source: 'hello',
      version: '1:2.10-3',
      signed_by: { key: key.fingerprint },
    });
    expect(ready?.files).toMatchObject([
      { name: 'hello_2.10-3.dsc' },
      { name: 'hello_2.10.orig.tar.gz' },
      { name: 'hello_2.10-3.debian.tar.xz' },
      { name: 'hello_2.10-3_source.changes' },
    ]);
    expect(readdirSync(directory)).toEqual(before);
    expect(readFileSync(dsc)).toEqual(dscBefore);
    expect(leftOver()).toEqual(temporaryBefore);
  });

  it('stores what it made, and leaves it beside the .dsc', async () => {
    const { dsc, changes } = await bareSource({ signs: false });
    server.play(json(503, { error_message: 'The store is away.' }));
    const { code, stderr } = await call(
      ['submit', dsc, '--ppa=a/b', '--series=bookworm', '--archive=debian', '--no-check'].concat([
        '--sign-with',
        key.fingerprint,
      ]),
      { env: server.environment, readProgram: readWithKeyring(key.gnupgHome) },
    );
    expect(code).toBe(6);
    expect(stderr).toContain(
      `hello_2.10-3_source.changes was made beside hello_2.10-3.dsc; both are signed with ${key.fingerprint}.`,
    );
    expect(parseChanges(readFileSync(changes, 'utf8'))).toMatchObject({
      isSigned: true,
      source: 'hello',
      architectures: ['source'],
    });
    expect((await dryRun(dsc, [])).code).toBe(0);
  });

  it('leaves no .changes where it cannot write the signed .dsc', async () => {
    const { dsc, directory } = await bareSource({ signs: false });
    const before = readdirSync(directory);
    // What leads nowhere cannot be written, whoever runs this.
    symlinkSync(join(directory, 'nowhere', 'x'), `${dsc}.${process.pid}.part`);
    const { code, stderr } = await submit(dsc, ['--no-check', '--sign-with', key.fingerprint]);
    expect(code).toBe(2);
    expect(stderr).toContain('Nothing was sent');
    expect(stderr).toContain('hello_2.10-3.dsc: its .changes cannot be written beside it: ENOENT');
    expect(readdirSync(directory)).toEqual(before);
  });

  it('is left unsigned for a server that signs', async () => {
    const { dsc } = await bareSource({ signs: false, format: 'native' });
    const { code, stdout } = await dryRun(dsc, ['--allow-unsigned', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ready: [{ signed: false, signed_by: null }] });
  });

  it.each<[string, (dsc: string) => string | undefined, RegExp]>([
    [
      'a file of it is missing',
      (dsc) => rmSync(dsc.replace('_2.10-3.dsc', '_2.10.orig.tar.gz')) ?? undefined,
      /hello_2\.10\.orig\.tar\.gz: there is no such file/,
    ],
    [
      'a file of it was changed',
      (dsc) => appendFileSync(dsc.replace('.dsc', '.debian.tar.xz'), 'x') ?? undefined,
      /hello_2\.10-3\.debian\.tar\.xz: it has \d+ bytes, and \d+ in the \.dsc/,
    ],
    [
      'it was changed after it was signed',
      (dsc) => {
        writeFileSync(dsc, readFileSync(dsc, 'utf8').replace('Maintainer:', 'Maintainer: '));
        return undefined;
      },
      /hello_2\.10-3\.dsc: its signature is wrong/,
    ],
    [
      'it is not UTF-8',
      (dsc) => {
        const text = readFileSync(dsc, 'latin1').replace(
          /^Maintainer: /m,
          'Maintainer: Ren\u00E9 ',
        );
        writeFileSync(dsc, text, 'latin1');
        return undefined;
      },
      /hello_2\.10-3\.dsc: it is not UTF-8: convert debian\/control and debian\/changelog/,
    ],
    [
      'it is named otherwise',
      (dsc) => {
        const other = join(dsc, '..', 'other.dsc');
        renameSync(dsc, other);
        return other;
      },
      /other\.dsc: its Source and Version say that its name should be hello_2\.10-3\.dsc/,
    ],
    ['there is none', (dsc) => `${dsc}.dsc`, /there is no such file/],
  ])('is refused where %s', async (_, spoil, said) => {
    const { dsc } = await bareSource();
    const path = spoil(dsc) ?? dsc;
    const { code, stderr } = await dryRun(path, ['--sign-with', key.fingerprint]);
    expect(code).toBe(2);
    expect(stderr).toContain('Nothing was sent');
    expect(stderr).toMatch(said);
  });

  it('is refused where its key is not there, or a program', async () => {
    const { dsc } = await bareSource();
    const stranger = await dryRun(dsc, ['--sign-with', 'bob@example.com']);
    expect(stranger.code).toBe(2);
    expect(stranger.stderr).toContain(`${basename(dsc)}: gpg did not sign it`);
    expect(stranger.stderr).toContain('gpg --list-secret-keys');
    for (const [program, said] of [
      ['dpkg-genchanges', 'apt install dpkg-dev'],
      ['gpg', 'gpg is needed to sign it and is not installed'],
    ] as const) {
      const { code, stderr } = await dryRun(dsc, ['--sign-with', key.fingerprint], [program]);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
    }
  });
});

describe('Ctrl-C while a .dsc is made ready', () => {
  let command: BuiltCommand;
  beforeAll(async () => {
    command = await buildCommand();
  });

  it.each(['gpg', 'dpkg-source'])(
    'ends with 130 while %s runs, blames no file and runs nothing more',
    async (program) => {
      const { dsc } = await bareSource();
      const [programs, temporary] = [temporaryDirectory(), temporaryDirectory()];
      const calls = join(programs, 'calls');
      writeFileSync(
        join(programs, program),
        `#!/bin/sh\necho >> ${calls}\necho It runs. > /dev/tty\nexec sleep 60\n`,
        { mode: 0o755 },
      );
      const { code, screen } = await command.inTerminal(
        ['submit', dsc, dsc, '--ppa=a/b', '--series=bookworm', '--archive=debian'].concat([
          '--allow-unsigned',
          '--no-color',
        ]),
        { PATH: `${programs}:${process.env['PATH'] ?? ''}`, TMPDIR: temporary },
        [{ once: 'It runs.', type: '\u0003' }],
      );
      expect({ code, screen }).toEqual({
        code: 130,
        screen: expect.stringMatching(/^It runs\.\n(?:\^C)?airline: Interrupted\.\n$/),
      });
      expect(readFileSync(calls, 'utf8')).toBe('\n');
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  // As what runs a job cancels it; Ctrl-C of one terminal gets to the programs by itself.
  it.each([
    ['SIGINT', 130, 'kill -INT $PPID'],
    ['SIGTERM', 143, 'kill -TERM $PPID'],
    [
      'SIGTERM twice',
      143,
      '{ while kill -0 $$; do sleep 0.01; done; kill -TERM $PPID; } & kill -TERM $PPID',
    ],
  ])('and %s of the command alone ends with %i and leaves nothing', async (_, exit, kill) => {
    const { dsc, directory } = await bareSource();
    const before = readdirSync(directory);
    const [programs, temporary] = [temporaryDirectory(), temporaryDirectory()];
    writeFileSync(join(programs, 'dpkg-source'), `#!/bin/sh\n${kill}\nexec sleep 60\n`, {
      mode: 0o755,
    });
    const { code, stderr } = await command.inPipe(
      ['submit', dsc, '--ppa=a/b', '--series=bookworm', '--archive=debian'].concat([
        '--allow-unsigned',
        '--json',
      ]),
      { PATH: `${programs}:${process.env['PATH'] ?? ''}`, TMPDIR: temporary },
    );
    expect({ code, stderr: JSON.parse(stderr || '{}') as object }).toMatchObject({
      code: exit,
      stderr: { error: { code: 'interrupted', exit } },
    });
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(directory)).toEqual(before);
  });

  it('leaves nothing of the one before', async () => {
    const before = leftOver();
    const read = readWithKeyring(key.gnupgHome);
    let unpacked = 0;
    const { code } = await call(
      ['submit', (await bareSource()).dsc, (await bareSource()).dsc].concat([
        '--ppa=a/b',
        '--series=bookworm',
        '--archive=debian',
        '--allow-unsigned',
      ]),
      {
        readProgram: async (program, ...more) => {
          if (program === 'dpkg-source') unpacked += 1;
          if (unpacked === 2) throw new Interrupted();
          return read(program, ...more);
        },
      },
    );
    expect({ code, unpacked }).toEqual({ code: 130, unpacked: 2 });
    expect(leftOver()).toEqual(before);
  });
});
