import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { call, GOOD_SIGNATURE, type World } from './call.ts';
import { writeUpload } from './write-upload.ts';

const SIGNED = 'hello 2.10-3 is signed by Ann Doe <ann@example.com>, key 0123456789ABCDEF.\n';

const submit = (changes: readonly string[], ...more: string[]) => submitIn({}, changes, ...more);
const submitIn = (world: World, changes: readonly string[], ...more: string[]) =>
  call(
    [
      'submit',
      ...changes,
      '--ppa',
      'ppa:team/landing',
      '--series',
      'bookworm',
      '--archive',
      'debian',
      ...more,
    ],
    {
      fetch: () => {
        throw new Error('nothing may be sent');
      },
      ...world,
    },
  );

/** Fields of a `.dsc` that lists these files. */
const controlOf = (files: readonly string[]) => {
  const sums = (length: number) => files.map((file) => ` ${'0'.repeat(length)} 1 ${file}`);
  return [
    'Architecture: any',
    'Checksums-Sha1:',
    ...sums(40),
    'Checksums-Sha256:',
    ...sums(64),
    'Files:',
    ...sums(32),
    '',
  ].join('\n');
};

describe('what is looked at before anything is sent', () => {
  it('passes what is in order', async () => {
    const { changes } = writeUpload();
    const { code, stdout, stderr } = await submit([changes], '--dry-run', '--no-check');
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${SIGNED}Ready; nothing was sent.\n` });
    expect(stdout).toMatch(/hello +2\.10-3 +3 /);
  });

  it('is asked of one gpg after the other, since two make a keyring that is not there', async () => {
    let running = 0;
    const atOnce: number[] = [];
    const readProgram = async () => {
      atOnce.push((running += 1));
      await nextTurn();
      running -= 1;
      return { code: 0, stdout: GOOD_SIGNATURE, stderr: '' };
    };
    const changes = ['one', 'two'].map((name) => writeUpload({ name }).changes);
    const { code } = await submitIn({ readProgram }, changes, '--dry-run', '--no-check');
    expect({ code, atOnce }).toEqual({ code: 0, atOnce: [1, 1, 1, 1] });
  });

  it('says for a program what is ready', async () => {
    const { changes } = writeUpload();
    const { stdout } = await submit([changes], '--dry-run', '--json');
    expect(JSON.parse(stdout)).toEqual({
      ready: [
        {
          source: 'hello',
          version: '2.10-3',
          signed: true,
          signed_by: {
            key: expect.stringMatching(/^0+123456789ABCDEF$/),
            name: 'Ann Doe <ann@example.com>',
          },
          files: [
            expect.objectContaining({ name: 'hello_2.10-3.dsc' }),
            expect.objectContaining({ name: 'hello_2.10-3.tar.xz', size_bytes: 11 }),
            {
              name: 'hello_2.10-3_source.changes',
              size_bytes: readFileSync(changes).length,
              sha256: createHash('sha256').update(readFileSync(changes)).digest('hex'),
            },
          ],
        },
      ],
    });
  });

  it.each<[string, (upload: { changes: string; directory: string }) => void, string]>([
    [
      'a file that is missing',
      ({ directory }) => rmSync(join(directory, 'hello_2.10-3.tar.xz')),
      'hello_2.10-3.tar.xz: there is no such file',
    ],
    [
      'a file of another size',
      ({ directory }) => appendFileSync(join(directory, 'hello_2.10-3.tar.xz'), 'x'),
      'hello_2.10-3.tar.xz: it has 12 bytes, and 11 in the .changes',
    ],
    [
      'a file with other content',
      ({ directory }) => writeFileSync(join(directory, 'hello_2.10-3.tar.xz'), 'not reallY\n'),
      'its SHA-256 is not the one in the .changes',
    ],
    [
      'a .changes that is cut',
      ({ changes }) => writeFileSync(changes, 'Format: 1.8\n'),
      'hello_2.10-3_source.changes: the field Source is missing',
    ],
    [
      'a .changes that is something else',
      ({ changes }) => writeFileSync(changes, '<html>\n'),
      'this line is not a field',
    ],
    [
      'a name that leads elsewhere',
      ({ changes }) =>
        writeFileSync(
          changes,
          readFileSync(changes, 'utf8').replace('hello_2.10-3.tar.xz', '../../etc/passwd'),
        ),
      'lists a name that is not a plain file name',
    ],
    ['no .changes', ({ changes }) => rmSync(changes), 'there is no such file'],
  ])('refuses %s', async (_, spoil, said) => {
    const upload = writeUpload();
    spoil(upload);
    const { code, stdout, stderr } = await submit([upload.changes]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Nothing was sent');
    expect(stderr).toContain(said);
  });

  it('refuses what is not signed, unless it is allowed', async () => {
    const { changes } = writeUpload({ isSigned: false });
    const { code, stderr } = await submit([changes]);
    expect(code).toBe(2);
    expect(stderr).toContain('hello_2.10-3_source.changes: it is not signed');
    expect(stderr).toContain('hello_2.10-3.dsc: it is not signed');
    expect(stderr).toContain('debsign');
    expect((await submit([changes], '--allow-unsigned', '--dry-run')).code).toBe(0);
  });

  it('refuses packages in a circle where their order is asked for, and only then', async () => {
    const sums = (length: number) => `\n ${'0'.repeat(length)} 1 x_1.tar.xz\n`;
    const make = (name: string, needs: string) => {
      const lists = `Checksums-Sha1:${sums(40)}Checksums-Sha256:${sums(64)}Files:${sums(32)}`;
      const control = `Binary: ${name}\nArchitecture: any\nBuild-Depends: ${needs}\n${lists}`;
      return writeUpload({ name, control }).changes;
    };
    const both = [make('hen', 'egg'), make('egg', 'hen')];
    const { code, stdout, stderr } = await submit(both, '--order', 'dependencies');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('in a cycle: hen needs egg of egg, egg needs hen of hen');
    expect((await submit(both, '--dry-run', '--no-check')).code).toBe(0);
    const one = [make('hen', 'gcc'), make('egg', 'hen')];
    expect((await submit(one, '--order', 'dependencies', '--dry-run', '--no-check')).code).toBe(0);
    expect((await submit(one, '--order', 'alphabet')).stderr).toContain('dependencies');
  });

  it('refuses an upload of binary packages', async () => {
    const { changes } = writeUpload({ architecture: 'source amd64' });
    expect((await submit([changes])).stderr).toContain('it is not a source upload');
  });

  it('refuses a source upload with the .buildinfo of a build', async () => {
    const ofSource = writeUpload({ buildinfo: 'hello_2.10-3_source.buildinfo' });
    expect((await submit([ofSource.changes], '--dry-run', '--no-check')).code).toBe(0);
    const ofBuild = writeUpload({ buildinfo: 'hello_2.10-3_amd64.buildinfo' });
    const { code, stderr } = await submit([ofBuild.changes], '--dry-run', '--no-check');
    expect(code).toBe(2);
    expect(stderr).toContain('it lists hello_2.10-3_amd64.buildinfo');
    expect(stderr).toContain('`dpkg-buildpackage -S` makes all files again.');
  });

  it('refuses a source that names no section', async () => {
    const { changes } = writeUpload({ section: '-' });
    const { code, stderr } = await submit([changes], '--dry-run', '--no-check');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'hello_2.10-3_source.changes: the first paragraph of debian/control has no Section',
    );
  });

  it('refuses a source that Launchpad would reject for its format', async () => {
    const old = writeUpload({ format: '2.0', control: controlOf(['hello_2.10-3.tar.xz']) });
    const { code, stderr } = await submit([old.changes]);
    expect(code).toBe(2);
    expect(stderr).toContain('hello_2.10-3.dsc: Launchpad takes the formats 1.0, 3.0 (native)');
  });

  it.each<[string, () => string, string]>([
    [
      'a .changes',
      () => {
        const { changes } = writeUpload();
        const text = readFileSync(changes, 'utf8');
        writeFileSync(changes, text.replace('Changed-By: Ann', 'Changed-By: Ren\u00E9'), 'latin1');
        return changes;
      },
      'hello_2.10-3_source.changes: it is not UTF-8',
    ],
    [
      'a .dsc',
      () => {
        const control = 'Maintainer: Ren\u00E9 Doe <rene@example.com>\n';
        return writeUpload({ control, isLatin1: true }).changes;
      },
      'hello_2.10-3.dsc: it is not UTF-8',
    ],
  ])('refuses %s in Latin-1, and says what makes it so', async (_, make, said) => {
    const { code, stdout, stderr } = await submit([make()], '--dry-run');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${said}: convert debian/control and debian/changelog with iconv`);
  });

  it('refuses two of one source package', async () => {
    const one = writeUpload();
    const other = writeUpload({ version: '2.10-4' });
    expect((await submit([one.changes, other.changes])).stderr).toContain(
      'hello: more than one .changes',
    );
  });

  it('tells all that is wrong at once', async () => {
    const one = writeUpload({ isSigned: false });
    const other = writeUpload({ name: 'probe' });
    rmSync(join(other.directory, 'probe_2.10-3.tar.xz'));
    const { stderr } = await submit([one.changes, other.changes, 'absent_1_source.changes']);
    expect(stderr).toContain('there are 4 problems');
  });

  it.each(['hello.changes', 'hello_2.10-2_source.changes', 'other_2.10-3_source.changes'])(
    'refuses a .changes that is named %s, since the build would be refused in the end',
    async (name) => {
      const { changes, directory } = writeUpload();
      const path = join(directory, name);
      renameSync(changes, path);
      const { code, stdout, stderr } = await submit([path]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(
        `${name}: its Source and Version say that its name should be hello_2.10-3_source.changes`,
      );
    },
  );

  it('takes the name of a version without its epoch, and of any kind', async () => {
    const { changes, directory } = writeUpload();
    const path = join(directory, 'hello_2.10-3_amd64.changes');
    writeFileSync(
      path,
      readFileSync(changes, 'utf8').replace('Version: 2.10-3', 'Version: 1:2.10-3'),
    );
    expect((await submit([path], '--dry-run', '--no-check')).code).toBe(0);
  });

  it('refuses a file that is no .changes', async () => {
    const { directory } = writeUpload();
    expect((await submit([join(directory, 'hello_2.10-3.tar.xz')])).stderr).toContain(
      'it is neither a .changes nor a .dsc',
    );
  });
});

describe('the series', () => {
  const { changes } = writeUpload();
  const check = (series: string, archive: string, ...more: string[]) =>
    call([
      'submit',
      changes,
      '--ppa',
      'a/b',
      '--series',
      series,
      '--archive',
      archive,
      '--dry-run',
      '--no-check',
      ...more,
    ]);

  it.each([
    ['noble', 'ubuntu'],
    ['sid', 'debian'],
    [' Noble', 'Ubuntu'],
    ['anything', 'another-distribution'],
  ])('%s of %s is known', async (series, archive) => {
    expect((await check(series, archive)).code).toBe(0);
  });

  it('that is misspelt is a wrong call with what was meant', async () => {
    expect(await check('nobel', 'ubuntu')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean noble?'),
    });
  });

  it('of the other distribution says which', async () => {
    expect((await check('trixie', 'ubuntu')).stderr).toContain('give --archive debian');
  });

  it('that is newer than the program goes with --any-series', async () => {
    expect((await check('zebra', 'ubuntu', '--any-series')).code).toBe(0);
  });
});

describe('PPA, archive, series and owner', () => {
  const { changes } = writeUpload();
  const check = (...more: string[]) =>
    call(['submit', changes, '--dry-run', '--no-check', ...more]);

  it.each([
    ['--ppa=greetings', '--series=noble', 'Enter ppa:owner/name'],
    ['--ppa=ppa:a/b/c/d', '--series=noble', 'Enter ppa:owner/name'],
    ['--ppa=a/b', '--series=bookworm', '--archive=fedora', 'bookworm is a series of debian'],
    [
      '--ppa=~ada/debian/x',
      '--series=noble',
      '--archive=ubuntu',
      'is a PPA of debian, not of ubuntu',
    ],
    ['--ppa=~ada/debian/x', '--series=noble', 'noble is a series of ubuntu'],
    ['--ppa=a/b', '--series=noble', '--owner=not an email', 'Give an e-mail address'],
    ['--ppa=a/b', '--series=noble', '--assignee=ann', 'Give an e-mail address'],
  ])('%s %s %s are refused before anything is sent', async (...given) => {
    const said = given.pop() ?? '';
    const { code, stderr } = await check(...given);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
  });

  it('of a PPA that names its distribution need no archive', async () => {
    expect((await check('--ppa=~ada/debian/x', '--series=bookworm')).code).toBe(0);
  });
});

describe('what the PPA would say', () => {
  const { changes } = writeUpload();
  const TARGET = ['--ppa=a/b', '--series=bookworm', '--archive=debian'];
  const asked: unknown[] = [];
  const dryRun = (status: number, body: object, ...more: string[]) =>
    dryRunOf(changes, status, body, ...more);
  const dryRunOf = (path: string, status: number, body: object, ...more: string[]) =>
    call(['submit', path, ...TARGET, '--dry-run', ...more], {
      fetch: async (url, init) => {
        asked.push({
          url: new Request(url).url,
          body: JSON.parse(init?.body as string) as unknown,
        });
        return Response.json(body, { status });
      },
    });
  const problemOf = (status: number, code: string, detail: string) => ({
    type: 'about:blank',
    title: 'x',
    status,
    detail,
    instance: '/api/v1/check_upload',
    code,
    hint: 'Correct it.',
    retryable: false,
  });
  beforeEach(() => asked.splice(0));

  it('is asked before anything is sent', async () => {
    const { code, stderr } = await dryRun(200, { problems: [] });

    expect({ code, stderr }).toEqual({ code: 0, stderr: `${SIGNED}Ready; nothing was sent.\n` });
    const file = { name: expect.any(String), sha256: expect.any(String) };
    expect(asked).toEqual([
      {
        url: expect.stringMatching(/\/api\/v1\/check_upload$/),
        body: {
          ppa: 'a/b',
          archive: 'debian',
          series: 'bookworm',
          progress_trigger: 'airline-cli-ticket-',
          packages: [{ source: 'hello', version: '2.10-3', files: [file, file, file] }],
        },
      },
    ]);
  });

  it.each([
    ['a build with its own queue', ['--queue=mine'], 'mine'],
    ['a build with a webhook alone', ['--webhook=3'], null],
    ['a landing, whose queue may be left out', ['--land', '--target=debian'], undefined],
    ['a landing with its own queue', ['--land', '--target=debian', '--queue=mine'], 'mine'],
  ])('names the queue of %s', async (_, options, queue) => {
    expect((await dryRun(200, { problems: [] }, ...options)).code).toBe(0);
    expect(asked).toMatchObject([{ body: { ppa: 'a/b' } }]);
    const [{ body }] = asked as [{ body: { progress_trigger?: string | null } }];
    expect(body.progress_trigger).toBe(queue);
  });

  it('is asked about the tarball that an upload leaves out, too', async () => {
    const name = 'hello_2.10.orig.tar.gz';
    const without = writeUpload({
      format: '3.0 (quilt)',
      control: controlOf([name, 'hello_2.10-3.debian.tar.xz']),
    });

    expect((await dryRunOf(without.changes, 200, { problems: [] })).code).toBe(0);

    expect(asked).toMatchObject([
      { body: { packages: [{ left_out: [{ name, sha256: '0'.repeat(64) }] }] } },
    ]);
  });

  it('ends the command as other refused input does, with all that is wrong', async () => {
    const problem = (message: string) => ({
      code: 'x',
      message,
      hint: 'Sign it.',
      source: 'hello',
    });

    const { code, stderr } = await dryRun(200, { problems: [problem('one'), problem('two')] });

    expect(code).toBe(2);
    expect(stderr).toMatch(
      /Nothing was sent: the PPA would not take it\..*one\n.*two\n.*Sign it\.\n$/s,
    );
  });

  it.each([
    [503, 'check_unavailable', 'The PPA could not be asked in time.'],
    [404, 'not_found', 'There is no such address.'],
  ])(
    'is not needed: HTTP %i is told, and the command goes on',
    async (status, errorCode, detail) => {
      const { code, stderr } = await dryRun(status, problemOf(status, errorCode, detail));

      expect(code).toBe(0);
      expect(stderr).toContain(`The PPA was not asked whether it takes this: ${detail}`);
      expect(stderr).toContain('Ready; nothing was sent.');
    },
  );

  it.each([
    [403, 'target_not_allowed', 'The token team does not allow the PPA ~a/debian/b.'],
    [403, 'forbidden', 'The token team lacks the scope build:write.'],
    [401, 'unauthenticated', 'Nobody knows this token.'],
  ])(
    'of a token that may not build there ends the command: HTTP %i %s',
    async (status, errorCode, detail) => {
      const { code, stdout, stderr } = await dryRun(status, problemOf(status, errorCode, detail));

      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toContain(detail);
      expect(stderr).not.toContain('Ready');
    },
  );

  it('is not asked with --no-check', async () => {
    expect((await dryRun(500, {}, '--no-check')).code).toBe(0);
    expect(asked).toEqual([]);
  });

  it('of a PPA that is misspelt ends the command', async () => {
    const { code, stderr } = await dryRun(
      400,
      problemOf(400, 'invalid_field', 'Enter ppa:owner/name.'),
    );

    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Enter ppa:owner/name.'),
    });
  });
});
