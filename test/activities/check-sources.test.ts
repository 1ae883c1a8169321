import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { CancelledFailure } from '@temporalio/common';
import { checkSources } from '../../activities/check-sources.ts';
import { CALLER_GONE } from '../../domain/builds/build-workflow.ts';
import { unsignedText } from '../../domain/packages/control-file.ts';
import { signatureIssuer } from '../../domain/packages/signature-issuer.ts';
import { relistFile } from '../../domain/packages/relist-file.ts';
import type { CheckedPackage } from '../../domain/packages/source-file.ts';
import { parseChanges, parseSourceControl } from '../../domain/packages/source-package.ts';
import { createFileStore } from '../../store/file.ts';
import { makeKeyOfGnupg, type KeyOfGnupg } from '../support/signing-key.ts';
import { makeSource, type SourcePackage } from '../support/source-package.ts';
import { until } from '../support/until.ts';
import { TEST_SOURCES } from '../support/test-sources.ts';
import { codeOf, keepLog, runActivity, type LogLine } from './activity.ts';
import { startFileServer, type FileServer } from './file-server.ts';

const nameOf = (source: SourcePackage, suffix: string) =>
  basename(source.files.find((path) => path.endsWith(suffix)) ?? '');

const contentOf = (source: SourcePackage, suffix: string) =>
  readFile(join(source.directory, nameOf(source, suffix)));

describe('checkSources', () => {
  let directory: string;
  let key: KeyOfGnupg;
  let signed: SourcePackage;
  let unsigned: SourcePackage;
  let server: FileServer;
  let lines: LogLine[];
  let deps: Parameters<typeof checkSources>[0];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'check-'));
    key = await makeKeyOfGnupg();
    [signed, unsigned] = await Promise.all([
      makeSource({
        directory: join(directory, 'signed'),
        key,
        version: '1.0-1',
        format: 'quilt',
        name: 'probe-a',
      }),
      makeSource({ directory: join(directory, 'unsigned'), name: 'probe-b' }),
    ]);
  }, 300_000);
  afterAll(async () => {
    await key.remove();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    server = await startFileServer();
    const log = keepLog();
    lines = log.lines;
    deps = {
      logger: log.logger,
      signing: null,
      cancelUrlTimeoutMs: 60_000,
      cancelUrlPollMs: 20,
      store: createFileStore({
        directory: join(directory, 'store'),
        baseUrl: 'http://127.0.0.1:1/store',
      }),
      sources: {
        ...TEST_SOURCES,
        rule: { hosts: ['127.0.0.1'], refusedPorts: [1], storeUrl: 'http://127.0.0.1:1/store' },
      },
    };
  });
  afterEach(() => server.stop());

  const serveAll = ({ files }: SourcePackage) => files.map((path) => server.serve(path));
  const check = (
    sourcePackages: string[],
    options?: Parameters<typeof runActivity>[2],
    cancelUrl: string | null = null,
  ) => runActivity(checkSources(deps), { sourcePackages, buildId: 7, cancelUrl }, options);
  /** A file that was signed here. */
  const signedHere = async (checked: CheckedPackage | undefined, name: string) => {
    const url = checked?.files.find((file) => file.name === name)?.url ?? '';
    return text((await deps.store.get(deps.store.keyOf(url) ?? ''))?.stream ?? Readable.from([]));
  };
  const urlsBut = (source: SourcePackage, suffix: string, ...others: string[]) => [
    ...source.files.filter((path) => !path.endsWith(suffix)).map((path) => server.serve(path)),
    ...others,
  ];
  /** The files of an upload, one of them with other content, as its `.changes` lists it then. */
  const urlsWith = async (source: SourcePackage, suffix: string, content: string) => {
    const name = nameOf(source, suffix);
    const changesName = nameOf(source, '.changes');
    const sum = (hash: string) => createHash(hash).update(content).digest('hex');
    const listed = { md5: sum('md5'), sha1: sum('sha1'), sha256: sum('sha256') };
    const changes = relistFile(
      String(await contentOf(source, '.changes')),
      { name, sizeBytes: Buffer.byteLength(content), ...listed },
      changesName,
    );
    return [
      ...urlsBut(source, suffix).filter((url) => !url.endsWith('.changes')),
      server.answer(name, content),
      server.answer(changesName, changes),
    ];
  };

  it('gives every file with its size and checksum, the .changes last, each fetched once', async () => {
    const heartbeats: unknown[] = [];
    const checked = await check(serveAll(signed).toReversed(), {
      onHeartbeat: (details) => heartbeats.push(details),
    });

    expect(checked).toHaveLength(1);
    expect(checked[0]).toMatchObject({ source: 'probe-a', version: '1.0-1' });
    expect(checked[0]).not.toHaveProperty('leftOut');
    const files = checked[0]?.files ?? [];
    expect(files.at(-1)?.name).toBe('probe-a_1.0-1_source.changes');
    expect(files.map(({ name }) => name).toSorted()).toEqual(
      signed.files.map((path) => basename(path)).toSorted(),
    );
    for (const file of files) {
      const content = await readFile(join(signed.directory, file.name));
      expect(file.sizeBytes).toBe(content.length);
      expect(file.sha256).toBe(createHash('sha256').update(content).digest('hex'));
      expect(server.asked(file.name)).toBe(1);
    }
    const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(heartbeats.at(-1)).toMatchObject({ readBytes: total });
  });

  it('puts packages in the order of their dependencies where that is asked for, and refuses a circle', async () => {
    const make = (name: string, ...buildDepends: string[]) =>
      makeSource({ directory: join(directory, name), key, name, buildDepends });
    const [app, base, loop] = await Promise.all([
      make('app', 'probe-base (>= 1.0)', 'make'),
      make('probe-base'),
      make('probe-base-loop'),
    ]);
    const sourcePackages = [app, base, loop].flatMap(serveAll);
    const inOrder = (urls: string[]) =>
      runActivity(checkSources(deps), { sourcePackages: urls, buildId: 7, order: 'dependencies' });
    expect((await inOrder(sourcePackages)).map(({ source, place }) => ({ source, place }))).toEqual(
      [
        { source: 'probe-base', place: { level: 0, after: [] } },
        { source: 'probe-base-loop', place: { level: 0, after: [] } },
        { source: 'app', place: { level: 1, after: [0] } },
      ],
    );
    expect((await check(sourcePackages)).map(({ source, place }) => ({ source, place }))).toEqual(
      ['app', 'probe-base', 'probe-base-loop'].map((source) => ({ source })),
    );
    const [hen, egg] = await Promise.all([make('hen', 'egg'), make('egg', 'hen')]);
    const circle = inOrder([hen, egg].flatMap(serveAll));
    expect(await codeOf(circle)).toBe('dependency_cycle');
    await expect(circle).rejects.toThrow(/cycle: hen needs egg of egg, egg needs hen of hen$/);
  });

  it('takes files of our own data store from there: nobody serves its URL', async () => {
    const urls: string[] = [];
    for (const path of signed.files) {
      const key = `uploads/probe-a/${basename(path)}`;
      await deps.store.put(key, createReadStream(path));
      urls.push(deps.store.urlOf(key));
    }

    const [checked] = await check(urls);

    expect(checked?.files.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
    for (const { name, storeVersion } of checked?.files ?? [])
      expect(storeVersion).toBe((await deps.store.read(`uploads/probe-a/${name}`))?.version);
    deps.sources.maxBytes = 100;
    expect(await codeOf(check(urls))).toBe('source_too_large');
  });

  it('says of a file that is not in our own data store that it is not, and asks nobody for its URL', async () => {
    const refused = server.answer('store/uploads/absent_1_source.changes', (_request, response) =>
      response.writeHead(401).end(),
    );
    const storeUrl = `${server.url}/store`;
    deps.sources.rule = { ...deps.sources.rule, storeUrl };
    deps.store = createFileStore({ directory: join(directory, 'own'), baseUrl: storeUrl });

    const outcome = check([refused]);

    await expect(outcome).rejects.toThrow(`${refused}: the data store has no such file`);
    expect(await codeOf(outcome)).toBe('source_not_fetched');
    expect(server.asked('store/uploads/absent_1_source.changes')).toBe(0);
  });

  it('groups the files of several packages by their .changes', async () => {
    const second = await makeSource({ directory: join(directory, 'c'), key, name: 'probe-c' });

    const checked = await check([...serveAll(signed), ...serveAll(second)]);

    expect(checked.map(({ source }) => source)).toEqual(['probe-a', 'probe-c']);
    expect(checked[1]?.files.map(({ name }) => name)).toContain('probe-c_1.0.dsc');
    expect(checked[1]?.files.every(({ name }) => name.startsWith('probe-c_'))).toBe(true);
  });

  it('warns of files that belong to no package, and does not fetch them', async () => {
    await check([...serveAll(signed), server.answer('notes.txt', 'read me')]);

    expect(lines.find(({ ignored }) => ignored)?.['ignored']).toEqual(['notes.txt']);
    expect(server.asked('notes.txt')).toBe(0);
  });

  it('takes an upload without the tarball that the PPA holds, and checks it where it is named', async () => {
    const orig = nameOf(signed, '.orig.tar.gz');
    const changes = (await contentOf(signed, '.changes'))
      .toString()
      .split('\n')
      .filter((line) => !line.endsWith(` ${orig}`))
      .join('\n');
    const changesUrl = server.answer(nameOf(signed, '.changes'), changes);
    const others = urlsBut(signed, '.changes').filter((url) => !url.endsWith(orig));

    const [checked] = await check([...others, changesUrl]);
    expect(checked?.files.map(({ name }) => name)).not.toContain(orig);
    const content = await contentOf(signed, '.orig.tar.gz');
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(checked?.leftOut).toEqual([{ name: orig, sha256 }]);

    const wrong = server.answer(orig, 'another tarball');
    expect(await codeOf(check([...others, changesUrl, wrong]))).toBe('checksum_mismatch');
  });

  it('signs what is not signed where a key is configured', async () => {
    deps.signing = { keyId: key.fingerprint, gnupgHome: key.gnupgHome };

    const [checked] = await check(serveAll(unsigned));

    const files = checked?.files ?? [];
    expect(files.at(-1)?.name).toBe('probe-b_1.0_source.changes');
    expect(files.at(-1)?.url).toMatch(
      /^http:\/\/127\.0\.0\.1:1\/store\/builds\/7\/signed\/[0-9a-f-]{36}\//,
    );
    const changes = parseChanges(await signedHere(checked, 'probe-b_1.0_source.changes'));
    const dsc = await signedHere(checked, 'probe-b_1.0.dsc');
    expect(changes.isSigned).toBe(true);
    expect(parseSourceControl(dsc).isSigned).toBe(true);
    for (const { name, sizeBytes, sha256 } of changes.files)
      expect(files.find((file) => file.name === name)).toMatchObject({ sizeBytes, sha256 });
    const sha256 = createHash('sha256').update(dsc).digest('hex');
    expect(changes.files.find(({ name }) => name.endsWith('.dsc'))?.sha256).toBe(sha256);
    const buildinfo = await signedHere(checked, 'probe-b_1.0_source.buildinfo');
    expect(buildinfo).toContain(`\n ${sha256} ${dsc.length} probe-b_1.0.dsc\n`);
    expect(files.find(({ name }) => name.endsWith('.tar.xz'))?.url).toMatch(server.url);
  });

  it.each([
    ['that says what a .changes says', (changes: string) => changes],
    ['that is a signed .changes', (changes: string) => key.clearSign(changes)],
  ])('signs no .buildinfo %s: whoever has it could upload it', async (_, disguised) => {
    deps.signing = { keyId: key.fingerprint, gnupgHome: key.gnupgHome };
    const name = nameOf(unsigned, '.buildinfo');
    const changes = String(await contentOf(unsigned, '.changes'));
    const ofPackage = changes.split('\n').filter((line) => !line.endsWith(` ${name}`));
    const buildinfo = await disguised(ofPackage.join('\n'));

    const [checked] = await check(await urlsWith(unsigned, '.buildinfo', buildinfo));

    const uploaded = await signedHere(checked, nameOf(unsigned, '.changes'));
    expect(parseChanges(uploaded).isSigned).toBe(true);
    const stored = await signedHere(checked, name);
    expect(stored).toMatch(/^Format: 1\.8\n/);
    expect(stored).not.toContain('-----BEGIN PGP');
  });

  it.each(['.dsc', '.buildinfo'])(
    'signs without running a command that the .changes has before the name of a %s',
    async (suffix) => {
      deps.signing = { keyId: key.fingerprint, gnupgHome: key.gnupgHome };
      const proof = join(directory, `proof${suffix}`);
      const changesName = nameOf(unsigned, '.changes');
      const note = `Checksum-Note: see $(touch\${IFS}${proof})${nameOf(unsigned, suffix)}`;
      const changes = `${note}\n${String(await contentOf(unsigned, '.changes'))}`;

      const [checked] = await check(
        urlsBut(unsigned, '.changes', server.answer(changesName, changes)),
      );

      expect(existsSync(proof)).toBe(false);
      expect(await signedHere(checked, changesName)).toContain(`\n\n${note}\nFormat: 1.8\n`);
    },
  );

  it('signs a .dsc anew whose .changes is not signed', async () => {
    const other = await makeKeyOfGnupg();
    try {
      deps.signing = { keyId: other.fingerprint, gnupgHome: other.gnupgHome };
      const name = nameOf(signed, '.changes');
      const changes = unsignedText(String(await contentOf(signed, '.changes')), name);

      const [checked] = await check(urlsBut(signed, '.changes', server.answer(name, changes)));

      const dsc = await signedHere(checked, nameOf(signed, '.dsc'));
      expect(signatureIssuer(dsc)).toBe(other.fingerprint);
      expect(dsc.match(/^-----BEGIN PGP SIGNED MESSAGE-----$/gm)).toHaveLength(1);
      const listed = parseChanges(await signedHere(checked, name)).files;
      const sha256 = createHash('sha256').update(dsc).digest('hex');
      expect(listed.find((file) => file.name.endsWith('.dsc'))?.sha256).toBe(sha256);
    } finally {
      await other.remove();
    }
  });

  it('leaves what one try has signed as it is, whatever another try signs', async () => {
    const otherKey = await makeKeyOfGnupg();
    try {
      const trySigning = ({ fingerprint: keyId, gnupgHome }: KeyOfGnupg) => {
        deps.signing = { keyId, gnupgHome };
        return check(serveAll(unsigned));
      };
      const [taken] = await trySigning(key);
      const [late] = await trySigning(otherKey);

      const changed = new Set(late?.files.map(({ sha256 }) => sha256));
      const own = taken?.files.filter(({ sha256 }) => !changed.has(sha256)) ?? [];
      expect(own.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['probe-b_1.0.dsc', 'probe-b_1.0_source.changes']),
      );
      for (const { name, url, sha256 } of own) {
        const file = await deps.store.get(deps.store.keyOf(url) ?? '');
        const stored = await buffer(file?.stream ?? Readable.from([]));
        expect([name, createHash('sha256').update(stored).digest('hex')]).toEqual([name, sha256]);
      }
    } finally {
      await otherKey.remove();
    }
  });

  it('says what gpg said where the key is not there', async () => {
    deps.signing = { keyId: '0123456789ABCDEF0123456789ABCDEF01234567', gnupgHome: key.gnupgHome };

    await expect(check(serveAll(unsigned))).rejects.toThrow(/No secret key/);
  });

  describe('refuses for good', () => {
    it('an unsigned package where no key is configured', async () => {
      expect(await codeOf(check(serveAll(unsigned)))).toBe('not_signed');
    });

    it('a signed .changes around an unsigned .dsc', async () => {
      const dsc = (await contentOf(unsigned, '.dsc')).toString();
      const changes = (await contentOf(unsigned, '.changes')).toString();
      const clearSigned = `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${changes}\n-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n`;
      const outcome = check([
        ...urlsBut(unsigned, '.changes').filter((url) => !url.endsWith('.dsc')),
        server.answer(nameOf(unsigned, '.dsc'), dsc),
        server.answer(nameOf(unsigned, '.changes'), clearSigned),
      ]);
      expect(await codeOf(outcome)).toBe('not_signed');
    });

    it('a file of the same size with other contents', async () => {
      const content = await contentOf(signed, '.debian.tar.xz');
      content[content.length - 1] = (content.at(-1) ?? 0) ^ 1;
      const url = server.answer(nameOf(signed, '.debian.tar.xz'), content);
      const outcome = check(urlsBut(signed, '.debian.tar.xz', url));

      await expect(outcome).rejects.toThrow(/debian\.tar\.xz .*sha256 [0-9a-f]{64}, not/);
      expect(await codeOf(outcome)).toBe('checksum_mismatch');
    });

    it('a file of another size', async () => {
      const url = server.answer(nameOf(signed, '.orig.tar.gz'), 'short');
      expect(await codeOf(check(urlsBut(signed, '.orig.tar.gz', url)))).toBe('checksum_mismatch');
    });

    it.each(['.dsc', '.orig.tar.gz', '.debian.tar.xz', '.buildinfo'])(
      'a request without the %s that its .changes lists',
      async (suffix) => {
        const outcome = check(urlsBut(signed, suffix));
        await expect(outcome).rejects.toThrow(nameOf(signed, suffix));
        expect(await codeOf(outcome)).toBe('missing_file');
      },
    );

    it('a request without a .changes, or with a .dsc that none lists', async () => {
      expect(await codeOf(check(urlsBut(signed, '.changes')))).toBe('missing_file');
      const stray = server.serve(unsigned.dsc);
      expect(await codeOf(check([...serveAll(signed), stray]))).toBe('missing_file');
    });

    it('two files of one name', async () => {
      const other = server.answer(`elsewhere/${nameOf(signed, '.dsc')}`, 'x');
      expect(await codeOf(check([...serveAll(signed), other]))).toBe('ambiguous_file');
    });

    it('a host that is not on the allow-list, before anything is fetched', async () => {
      const urls = serveAll(signed);
      for (const foreign of [
        'http://example.org/a.dsc',
        'http://127.0.0.1:1/a.dsc',
        'ftp://127.0.0.1/a.dsc',
        'file:///etc/passwd',
        'http://[::1]/a.dsc',
        'no url',
      ])
        expect(await codeOf(check([...urls, foreign]))).toBe('host_not_allowed');
      for (const foreign of [
        'http://127.0.0.1@example.org/a.dsc',
        'http://user:s3cret@127.0.0.1/a.dsc',
      ]) {
        const outcome = check([...urls, foreign]);
        expect(await codeOf(outcome)).toBe('credentials_in_url');
        await expect(outcome).rejects.not.toThrow('s3cret');
      }
      expect(server.asked(nameOf(signed, '.changes'))).toBe(0);
    });

    it('a name that leads to no public address', async () => {
      const urls = serveAll(signed).map((url) => url.replace('127.0.0.1', 'sources.example'));
      deps.sources.rule = { ...deps.sources.rule, hosts: ['sources.example'] };
      deps.sources.resolve = (_name, _options, answer) =>
        answer(null, [{ address: '127.0.0.1', family: 4 }]);

      expect(await codeOf(check(urls))).toBe('address_not_allowed');
      expect(server.asked(nameOf(signed, '.changes'))).toBe(0);
    });

    it('a name that leads elsewhere when it is asked again', async () => {
      const urls = serveAll(signed).map((url) => url.replace('127.0.0.1', 'sources.example'));
      deps.sources.rule = {
        ...deps.sources.rule,
        hosts: ['sources.example'],
        privateNetworks: ['127.0.0.1/32'],
      };
      const answers = ['127.0.0.1', '127.0.0.2'];
      deps.sources.resolve = (_name, _options, answer) =>
        answer(null, [{ address: answers.shift() ?? '127.0.0.2', family: 4 }]);

      expect(await codeOf(check(urls))).toBe('address_not_allowed');
      expect(server.asked(nameOf(signed, '.changes'))).toBe(1);

      deps.sources.resolve = (_name, _options, answer) =>
        answer(null, [{ address: '127.0.0.1', family: 4 }]);
      expect(await check(urls)).toHaveLength(1);
    });

    it('files whose list says that they are too large, without fetching them', async () => {
      const name = nameOf(signed, '.orig.tar.gz');
      const changes = (await contentOf(signed, '.changes'))
        .toString()
        .replaceAll(new RegExp(` \\d+ ((?:[a-z]+ [a-z]+ )?${name})`, 'g'), ' 99999999999 $1');
      const url = server.answer(nameOf(signed, '.changes'), changes);
      expect(await codeOf(check(urlsBut(signed, '.changes', url)))).toBe('source_too_large');
      expect(server.asked(name)).toBe(0);
    });

    it('two names that differ by case only', async () => {
      const other = server.answer(nameOf(signed, '.dsc').toUpperCase(), 'x');
      expect(await codeOf(check([...serveAll(signed), other]))).toBe('ambiguous_file');
    });

    it('a control file that is no UTF-8', async () => {
      const content = Buffer.concat([
        await contentOf(signed, '.changes'),
        Buffer.from([0xff, 0xfe]),
      ]);
      const outcome = check(
        urlsBut(signed, '.changes', server.answer(nameOf(signed, '.changes'), content)),
      );
      await expect(outcome).rejects.toThrow(
        'it is not UTF-8: convert debian/control and debian/changelog with iconv',
      );
      expect(await codeOf(outcome)).toBe('malformed_control_file');
    });

    it('a .dsc that would take many times its size in memory', async () => {
      const dsc = String(await contentOf(unsigned, '.dsc'));
      const hostile = dsc.replace('arch=', `profile=${'+'.repeat(1_000_000)} arch=`);
      const outcome = check(await urlsWith(unsigned, '.dsc', hostile));
      await expect(outcome).rejects.toThrow('more than 30000 words');
      expect(await codeOf(outcome)).toBe('malformed_control_file');
    });

    it.each([301, 302, 307, 401, 403, 404, 410])('a source that answers %d', async (status) => {
      const url = server.answer(nameOf(signed, '.dsc'), (_request, response) =>
        response.writeHead(status, { location: server.serve(signed.dsc) }).end(),
      );
      expect(await codeOf(check(urlsBut(signed, '.dsc', url)))).toBe('source_not_fetched');
    });

    it('a file that says that it is too large, and one that turns out to be', async () => {
      deps.sources.maxBytes = 100_000;
      const name = nameOf(signed, '.debian.tar.xz');
      const saysSo = server.answer(name, (_request, response) =>
        response.writeHead(200, { 'content-length': 200_000 }).flushHeaders(),
      );
      expect(await codeOf(check(urlsBut(signed, '.debian.tar.xz', saysSo)))).toBe(
        'source_too_large',
      );
      const endless = server.answer(name, (_request, response) => {
        const more = () => {
          while (response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      });
      expect(await codeOf(check(urlsBut(signed, '.debian.tar.xz', endless)))).toBe(
        'source_too_large',
      );
    });

    it('a .changes that never ends', async () => {
      const url = server.answer(nameOf(signed, '.changes'), Buffer.alloc(1_100_000, 'Files: x\n'));
      expect(await codeOf(check(urlsBut(signed, '.changes', url)))).toBe('malformed_control_file');
    });

    it('an upload that holds binaries', async () => {
      const changes = (await contentOf(unsigned, '.changes'))
        .toString()
        .replace('Architecture: source', 'Architecture: source all');
      const url = server.answer(nameOf(unsigned, '.changes'), changes);
      expect(await codeOf(check(urlsBut(unsigned, '.changes', url)))).toBe('not_a_source_upload');
    });

    it('a source that names no section, of which Launchpad takes none', async () => {
      const changes = (await contentOf(unsigned, '.changes'))
        .toString()
        .replaceAll(' misc optional ', ' - - ');
      const url = server.answer(nameOf(unsigned, '.changes'), changes);
      deps.signing = { keyId: key.fingerprint, gnupgHome: key.gnupgHome };

      const outcome = check(urlsBut(unsigned, '.changes', url));

      await expect(outcome).rejects.toThrow('the first paragraph of debian/control has no Section');
      expect(await codeOf(outcome)).toBe('malformed_control_file');
    });

    it('a source upload with the .buildinfo of a build, as sbuild --source-only-changes makes it', async () => {
      const ofBuild = 'probe-b_1.0_amd64.buildinfo';
      const changes = (await contentOf(unsigned, '.changes'))
        .toString()
        .replaceAll('probe-b_1.0_source.buildinfo', ofBuild);
      const buildinfo = server.answer(ofBuild, await contentOf(unsigned, '.buildinfo'));
      const url = server.answer(nameOf(unsigned, '.changes'), changes);
      deps.signing = { keyId: key.fingerprint, gnupgHome: key.gnupgHome };

      const outcome = check([...urlsBut(unsigned, '.changes', url), buildinfo]);

      await expect(outcome).rejects.toThrow(`it lists ${ofBuild}`);
      expect(await codeOf(outcome)).toBe('not_a_source_upload');
    });

    it.each([
      [
        'a name that leads elsewhere',
        (changes: string) => changes.replaceAll('probe-b_1.0.dsc', '../x.dsc'),
      ],
      ['no file at all', (changes: string) => changes.replace(/^Files:[\s\S]*$/m, 'Files:\n')],
      [
        'a file of another package',
        (changes: string) => changes.replaceAll('probe-b_1.0.tar.xz', 'probe-a_1.0.tar.xz'),
      ],
      [
        'a file that no source package has',
        (changes: string) => changes.replaceAll('probe-b_1.0.tar.xz', 'probe-b_1.0.deb'),
      ],
      [
        'a .changes among its files',
        (changes: string) => changes.replaceAll('probe-b_1.0.tar.xz', 'probe-b_1.0.changes'),
      ],
      [
        'a .dsc of another version by its name',
        (changes: string) => changes.replaceAll('probe-b_1.0.dsc', 'probe-b_2.0.dsc'),
      ],
      [
        'another version than its .dsc',
        (changes: string) => changes.replace('Version: 1.0', 'Version: 1.1'),
      ],
    ])('a .changes with %s', async (_what, change) => {
      const changes = change((await contentOf(unsigned, '.changes')).toString());
      const url = server.answer(nameOf(unsigned, '.changes'), changes);
      expect(await codeOf(check(urlsBut(unsigned, '.changes', url)))).toBe(
        'malformed_control_file',
      );
    });
  });

  describe('refuses what Launchpad would reject without telling it', () => {
    const DIGESTS = { md5: 32, sha1: 40, sha256: 64 };
    /** Serves a package whose `.dsc` is another one, which its `.changes` lists as it is. */
    const serveWith = async (source: SourcePackage, change: (dsc: string) => string) => {
      const dscName = nameOf(source, '.dsc');
      const dsc = change((await contentOf(source, '.dsc')).toString());
      let changes = change((await contentOf(source, '.changes')).toString());
      for (const [algorithm, length] of Object.entries(DIGESTS))
        changes = changes.replace(
          new RegExp(`^ [0-9a-f]{${length}} \\d+ (.*${dscName})$`, 'gm'),
          ` ${createHash(algorithm).update(dsc).digest('hex')} ${Buffer.byteLength(dsc)} $1`,
        );
      return [
        ...urlsBut(source, '.dsc').filter((url) => !url.endsWith('.changes')),
        server.answer(dscName, dsc),
        server.answer(nameOf(source, '.changes'), changes),
      ];
    };

    it.each<[string, (dsc: string) => string, string]>([
      [
        'a format that it does not know',
        (dsc) => dsc.replace('Format: 3.0 (native)', 'Format: 2.0'),
        'probe-b_1.0.dsc: Launchpad takes the formats 1.0, 3.0 (native) and 3.0 (quilt), not "2.0"',
      ],
      [
        'a tarball by xz in format 1.0, which a .dsc without a format has',
        (dsc) => dsc.replace('Format: 3.0 (native)\n', ''),
        'probe-b_1.0.dsc: in format 1.0 Launchpad takes',
      ],
      [
        'a tarball by lzma',
        (dsc) => dsc.replaceAll('probe-b_1.0.tar.xz', 'probe-b_1.0.tar.lzma'),
        'probe-b_1.0.dsc: in format 3.0 (native) Launchpad takes',
      ],
    ])('%s', async (_what, change, said) => {
      const lzma = server.answer('probe-b_1.0.tar.lzma', await contentOf(unsigned, '.tar.xz'));
      const outcome = check([...(await serveWith(unsigned, change)), lzma]);
      await expect(outcome).rejects.toThrow(said);
      expect(await codeOf(outcome)).toBe('source_format_refused');
    });
  });

  describe('leaves to a later try', () => {
    it.each([408, 429, 500, 502, 503])('a source that answers %d', async (status) => {
      const url = server.answer(nameOf(signed, '.dsc'), (_request, response) =>
        response.writeHead(status).end(),
      );
      await expect(check(urlsBut(signed, '.dsc', url))).rejects.toThrow(`answered ${status}`);
    });

    it('a source that cannot be reached', async () => {
      const urls = serveAll(signed);
      await server.stop();
      await expect(check(urls)).rejects.toThrow('ECONNREFUSED');
      server = await startFileServer();
    });

    it('a download that breaks off', async () => {
      const url = server.answer(nameOf(signed, '.dsc'), (_request, response) => {
        response.writeHead(200, { 'content-length': 2_000 });
        response.write('Format: 3.0', () => response.destroy());
      });
      await expect(check(urlsBut(signed, '.dsc', url))).rejects.toThrow('broke off after 11 bytes');
    });

    it('a download that drips, after the time for one file', async () => {
      deps.sources.fileMs = 300;
      const url = server.answer(nameOf(signed, '.dsc'), (_request, response) => {
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
      });
      await expect(check(urlsBut(signed, '.dsc', url))).rejects.toThrow('not read within 300 ms');
    });

    it('a server whose header drips', async () => {
      deps.sources.fileMs = 300;
      const dripping = createServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('X-More: x\r\n'), 20);
        socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
      }).listen(0, '127.0.0.1');
      await once(dripping, 'listening');
      const { port } = dripping.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/${nameOf(signed, '.dsc')}`;
      await expect(check(urlsBut(signed, '.dsc', url))).rejects.toThrow('not read within 300 ms');
      dripping.close();
    });

    it('a download that brings nothing for too long', async () => {
      deps.sources.idleTimeoutMs = 100;
      const url = server.answer(nameOf(signed, '.dsc'), (_request, response) => {
        response.writeHead(200).write('Format');
      });
      await expect(check(urlsBut(signed, '.dsc', url))).rejects.toMatchObject({
        cause: { message: expect.stringContaining('nothing came for 100 ms') },
      });
    });
  });

  it('fetches nothing for a caller who is gone', async () => {
    const cancelUrl = server.answer('caller.json', '{"building": false}');
    await expect(check(serveAll(signed), {}, cancelUrl)).rejects.toMatchObject({
      type: CALLER_GONE,
      nonRetryable: true,
    });
    for (const path of signed.files) expect(server.asked(basename(path))).toBe(0);
  });

  it('ends when the caller goes while a file is fetched', async () => {
    let isThere = true;
    const cancelUrl = server.answer('caller.json', (_request, response) => {
      response.end(JSON.stringify({ building: isThere }));
    });
    const url = server.answer(nameOf(signed, '.dsc'), (_request, response) => {
      response.writeHead(200).write('Format', () => (isThere = false));
    });
    await expect(check(urlsBut(signed, '.dsc', url), {}, cancelUrl)).rejects.toMatchObject({
      type: CALLER_GONE,
    });
  });

  it('goes on where the cancel URL gives no answer that counts', async () => {
    const cancelUrl = server.answer('caller.json', (_request, response) => {
      response.writeHead(500).end('{"building": false}');
    });
    expect(await check(serveAll(signed), {}, cancelUrl)).toHaveLength(1);
    expect(server.asked('caller.json')).toBeGreaterThan(0);
  });

  it('ends at once when it is cancelled', async () => {
    const url = server.answer(nameOf(signed, '.dsc'), (_request, response) => {
      response.writeHead(200).write('Format');
    });
    let cancel: (() => void) | undefined;
    const outcome = check(urlsBut(signed, '.dsc', url), {
      prepare: (environment) => {
        cancel = () => environment.cancel('CANCELLED');
      },
    });
    await until('the file is asked for', () => server.asked(nameOf(signed, '.dsc')) > 0);

    cancel?.();

    await expect(outcome).rejects.toBeInstanceOf(CancelledFailure);
  });
});
