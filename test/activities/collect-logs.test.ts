import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { buildRecordOf } from '../../activities/ppa/build-record.ts';
import { collectLogs } from '../../activities/collect-logs.ts';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import type { BuiltSources } from '../../activities/ppa/built-packages.ts';
import type { LogScanner } from '../../activities/logs/scan-log.ts';
import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { createPpaClient, type PpaClient } from '../../ppa/client.ts';
import { PpaAnswerError, PpaUnavailableError } from '../../ppa/web-service.ts';
import { createFileStore } from '../../store/file.ts';
import { StoreUnavailableError } from '../../store/store.ts';
import { openStandIn } from '../support/stand-in.ts';
import { until } from '../support/until.ts';
import { keepLog, runActivity, type LogLine } from './activity.ts';
import { startFileServer, type FileServer } from './file-server.ts';

describe('collectLogs', () => {
  let directory: string;
  let server: FileServer;
  let lines: LogLine[];
  let deps: Pick<ActivityDependencies, 'ppaClient' | 'store' | 'logs' | 'aptUrl' | 'logger'>;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logs-'));
    server = await startFileServer();
    const kept = keepLog();
    const { logger } = kept;
    lines = kept.lines;
    deps = {
      logger,
      store: createFileStore({ directory, baseUrl: 'http://127.0.0.1:1/store' }),
      logs: { maxBytes: 1_000_000, hosts: [], idleTimeoutMs: 10_000 },
      aptUrl: 'https://ppa.example',
      ppaClient: createPpaClient({ rootUrl: server.url, timeoutMs: 60_000, logger }),
    };
  });
  afterEach(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const record = (more: Partial<BuildRecord> = {}): BuildRecord => ({
    package: 'hello',
    version: '1:2.10-3',
    architecture: 'amd64',
    buildState: 'Successfully built',
    selfLink: `${server.url}/devel/+build/1`,
    webLink: `${server.url}/+build/1`,
    buildLogUrl: null,
    uploadLogUrl: null,
    dependencies: null,
    canBeCancelled: false,
    startedAt: '2026-01-01T00:00:00Z',
    builtAt: '2026-01-01T00:01:00Z',
    ...more,
  });
  const ONE_TRY_MS = 900_000;
  /** With the wait for a free worker. */
  const ALL_TRIES_MS = 10 * ONE_TRY_MS;
  const collect = (
    records: BuildRecord[],
    info: {
      attempt?: number;
      maximumAttempts?: number;
      elapsedMs?: number;
      oneTryMs?: number;
      built?: BuiltSources;
    } = {},
    createScanner?: () => LogScanner,
  ) =>
    runActivity(
      collectLogs(deps, createScanner),
      { buildId: 7, records, ...(info.built ? { built: info.built } : {}) },
      {
        info: {
          attempt: info.attempt ?? 1,
          retryPolicy: {
            initialInterval: 1_000,
            backoffCoefficient: 2,
            maximumInterval: 60_000,
            maximumAttempts: info.maximumAttempts ?? 10,
          },
          scheduledTimestampMs: Date.now() - (info.elapsedMs ?? 0),
          startToCloseTimeoutMs: info.oneTryMs ?? ONE_TRY_MS,
          scheduleToCloseTimeoutMs: ALL_TRIES_MS,
        },
      },
    );
  const stored = async (key: string) =>
    text((await deps.store.get(key))?.stream ?? Readable.from(['(nothing)']));
  const KEY = 'builds/7/hello_1:2.10-3_amd64.build.log';
  const storedFrom = async (content: Buffer | string) => {
    await collect([record({ buildLogUrl: server.answer('log.txt.gz', content) })]);
    return stored(KEY);
  };

  it('stores a compressed log as text under the key of its build, and links it', async () => {
    const buildLogUrl = server.answer('log.txt.gz', gzipSync('the log\nof hello ä\n'));

    const collected = await collect([record({ buildLogUrl })]);

    expect(collected).toEqual({
      logs: [
        {
          package: 'hello',
          architecture: 'amd64',
          kind: 'build',
          key: KEY,
          url: 'http://127.0.0.1:1/store/builds/7/hello_1%3A2.10-3_amd64.build.log',
        },
      ],
      missing: [],
      rootCauses: [],
    });
    expect(await stored(KEY)).toBe('the log\nof hello ä\n');
    expect(await collect([record({ buildLogUrl })])).toEqual(collected);
  });

  it('stores a log that is not compressed, and an empty one, as they are', async () => {
    expect(await storedFrom('plain\n')).toBe('plain\n');
    expect(await storedFrom('')).toBe('');
    expect(await storedFrom('x')).toBe('x');
  });

  it('stores a log of several gzip members', async () => {
    expect(await storedFrom(Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]))).toBe(
      'one\ntwo\n',
    );
  });

  it('stores a large log whole', async () => {
    deps.logs.maxBytes = 20_000_000;
    const log = `${randomBytes(3_000_000).toString('hex')}\n`;
    expect((await storedFrom(gzipSync(log))) === log).toBe(true);
  });

  it('cuts a log that is too long, and says so', async () => {
    deps.logs.maxBytes = 100;
    const cut = `${'x'.repeat(100)}\n[airline: the log is longer; it is cut after 100 bytes]\n`;
    expect(await storedFrom(gzipSync('x'.repeat(101)))).toBe(cut);
    expect(await storedFrom(gzipSync(Buffer.alloc(200 * 2 ** 20, 'x')))).toBe(cut);
    expect(await storedFrom('x'.repeat(101))).toBe(cut);
    expect(await storedFrom(gzipSync('x'.repeat(100)))).toBe('x'.repeat(100));
    const nothingForEver = Buffer.concat(Array<Buffer>(1_000).fill(gzipSync('')));
    expect(await storedFrom(nothingForEver)).toMatch(/^\n\[airline: the log is longer/);
  });

  it('keeps of a damaged log what can be read, and says so', async () => {
    const log = Array.from({ length: 5_000 }, (_unused, line) => `line ${line}\n`).join('');
    const whole = gzipSync(log);

    const cutShort = await storedFrom(whole.subarray(0, whole.length - 9));
    expect(cutShort).toContain('line 4000\n');
    expect(cutShort).toMatch(/\n\[airline: the compressed log is damaged here: .+\]\n$/);

    const wrongSum = Buffer.from(whole);
    wrongSum.writeUInt32LE(1, whole.length - 8);
    expect(await storedFrom(wrongSum)).toContain('line 4000\n');
    expect(await stored(KEY)).toContain('damaged here');

    expect(await storedFrom(Buffer.from([0x1f, 0x8b, 1, 2, 3]))).toContain('damaged here');
  });

  it('follows the PPA to its own hosts and to those that are configured, and nowhere else', async () => {
    const librarian = await startFileServer();
    try {
      const moved = server.answer('moved', (_request, response) =>
        response.writeHead(303, { location: '/log' }).end(),
      );
      server.answer('log', 'from here\n');
      await collect([record({ buildLogUrl: moved })]);
      expect(await stored(KEY)).toBe('from here\n');

      librarian.answer('log', 'from the librarian\n');
      const away = server.answer('away', (_request, response) =>
        response.writeHead(302, { location: `http://localhost:${librarian.port}/log` }).end(),
      );
      await expect(collect([record({ buildLogUrl: away })])).rejects.toThrow(
        'is on no host of the PPA',
      );
      expect(librarian.asked('log')).toBe(0);

      deps.logs.hosts = ['localhost'];
      await collect([record({ buildLogUrl: away })]);
      expect(await stored(KEY)).toBe('from the librarian\n');

      const circle = server.answer('circle', (_request, response) =>
        response.writeHead(302, { location: '/circle' }).end(),
      );
      await expect(collect([record({ buildLogUrl: circle })])).rejects.toThrow(
        'redirected more than 3 times',
      );
    } finally {
      await librarian.stop();
    }
  });

  it('takes no page for signing in for a log, comes back for none, and alarms nobody', async () => {
    const file = '+build/1/+files/hello.txt.gz';
    const buildLogUrl = server.answer(file, (_request, response) =>
      response.writeHead(303, { location: `${server.url}/${file}/+login` }).end(),
    );
    const page = '<html><body onload="document.forms[0].submit();"></body></html>';
    server.answer(`${file}/+login`, (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    );

    expect(await collect([record({ buildState: 'Failed to build', buildLogUrl })])).toEqual({
      logs: [],
      missing: [],
      rootCauses: [],
    });
    expect(await stored(KEY)).toBe('(nothing)');
    const said = lines.find(({ msg }) => msg === 'a log could not be fetched');
    expect(said).toMatchObject({ log: KEY, err: { message: expect.stringMatching(/signed in/) } });
  });

  const BROKEN = [
    '   dh_auto_build',
    'a.c:3:3: error: expected expression',
    'make[1]: *** [Makefile:2: a.o] Error 1',
    'dpkg-buildpackage: error: debian/rules binary subprocess returned exit status 2',
    '',
  ].join('\n');

  it('finds in the log why a build failed or waits, and in no other', async () => {
    const log = server.answer('log.txt.gz', gzipSync(BROKEN));
    const unmet =
      ' sbuild-build-depends-main-dummy : Depends: libfoo-dev but it is not installable\nE: Package installation failed\n';

    const { rootCauses } = await collect([
      record({ architecture: 'amd64', buildState: 'Failed to build', buildLogUrl: log }),
      record({ architecture: 'arm64', buildState: 'Successfully built', buildLogUrl: log }),
      record({
        architecture: 'riscv64',
        buildState: 'Dependency wait',
        buildLogUrl: server.answer('unmet', unmet),
      }),
      record({
        architecture: 's390x',
        buildState: 'Failed to build',
        buildLogUrl: server.answer('empty', ''),
      }),
    ]);

    expect(rootCauses).toEqual([
      {
        package: 'hello',
        architecture: 'amd64',
        rule: 'compiler_error',
        line: 2,
        excerpt: BROKEN.trimEnd(),
        excerptLine: 1,
      },
      {
        package: 'hello',
        architecture: 'riscv64',
        rule: 'unmet_dependency',
        line: 1,
        excerpt: unmet.trimEnd(),
        excerptLine: 1,
      },
    ]);
  });

  it('stores a log that cannot be scanned, without a root cause', async () => {
    const buildLogUrl = server.answer('log', BROKEN);
    const records = [record({ buildState: 'Failed to build', buildLogUrl })];
    const scanners = [
      { write: fail, end: async () => undefined },
      { write: async () => {}, end: fail },
    ];
    for (const scanner of scanners) {
      const collected = await collect(records, {}, () => scanner);
      expect(collected).toMatchObject({ logs: [{ key: KEY }], missing: [], rootCauses: [] });
      expect(await stored(KEY)).toBe(BROKEN);
      expect(lines.pop()).toMatchObject({ msg: 'a log was not scanned', log: KEY });
    }
    function fail(): never {
      throw new RangeError('too much recursion');
    }
  });

  it('takes the upload log too where a build failed to upload', async () => {
    const collected = await collect([
      record({
        buildState: 'Failed to upload',
        buildLogUrl: server.answer('build', 'built\n'),
        uploadLogUrl: server.answer('upload', 'rejected\n'),
      }),
    ]);

    expect(collected.logs.map(({ kind }) => kind)).toEqual(['build', 'upload']);
    expect(await stored('builds/7/hello_1:2.10-3_amd64.upload.log')).toBe('rejected\n');
  });

  it('asks for the logs of ended builds that ran, and of no others', async () => {
    const collected = await collect([
      record({ architecture: 'a', buildState: 'Currently building' }),
      record({ architecture: 'b', buildState: 'Needs building' }),
      record({ architecture: 'c', buildState: 'Cancelled build', startedAt: null }),
      record({ architecture: 'd', buildState: 'Build for superseded Source', startedAt: null }),
      record({ architecture: 'e', buildState: 'Dependency wait' }),
      record({ architecture: 'f', buildState: 'Contemplating life' }),
    ]);
    expect(collected).toEqual({ logs: [], missing: [], rootCauses: [] });
  });

  it('comes back for a log that is not there yet, stores the others, and in the end names it', async () => {
    const records = [
      record({ architecture: 'amd64', buildLogUrl: `${server.url}/absent` }),
      record({ architecture: 'riscv64', buildLogUrl: server.answer('log', 'there\n') }),
    ];
    const other = 'builds/7/hello_1:2.10-3_riscv64.build.log';

    const warnings = () => lines.filter(({ msg }) => msg === 'a log could not be fetched');
    await expect(collect(records, { attempt: 4 })).rejects.toThrow(`no log yet for ${KEY}`);
    expect(await stored(other)).toBe('there\n');
    expect(warnings()).toEqual([]);

    expect(await collect(records, { attempt: 5 })).toMatchObject({
      logs: [{ key: other }],
      missing: [KEY],
    });
    expect(warnings()).toMatchObject([{ level: 40, log: KEY, reason: 'the PPA has none' }]);
  });

  it('comes back for a log that is out of reach, until the last try or nearly the end of the time', async () => {
    const buildLogUrl = server.answer('log', (_request, response) => response.writeHead(502).end());
    await expect(collect([record({ buildLogUrl })], { attempt: 9 })).rejects.toThrow(
      'answered 502',
    );
    expect(await collect([record({ buildLogUrl })], { attempt: 10 })).toEqual({
      logs: [],
      missing: [KEY],
      rootCauses: [],
    });
    const late = { elapsedMs: 0.95 * ALL_TRIES_MS };
    await expect(collect([record({ buildLogUrl })], late)).rejects.toThrow('answered 502');
    const atTheEnd = { elapsedMs: ALL_TRIES_MS - 0.1 * ONE_TRY_MS };
    expect(await collect([record({ buildLogUrl })], atTheEnd)).toEqual({
      logs: [],
      missing: [KEY],
      rootCauses: [],
    });
  });

  it('comes back, until the last try, where the PPA cannot be asked for the URL of a log', async () => {
    const getBuild = jest.spyOn(deps.ppaClient, 'getBuild');
    const records = [record({ buildState: 'Failed to build' })];

    getBuild.mockRejectedValue(new PpaUnavailableError('503', { retryAfterMs: 7_000 }));
    await expect(collect(records, { attempt: 9 })).rejects.toMatchObject({ retryAfterMs: 7_000 });
    expect(await collect(records, { attempt: 10 })).toMatchObject({ logs: [], missing: [KEY] });
    expect(lines.filter(({ reason }) => reason === 'the PPA has none')).toEqual([]);

    getBuild.mockRejectedValue(new PpaAnswerError(404, 'no such build'));
    expect(await collect(records, { attempt: 5 })).toMatchObject({ logs: [], missing: [KEY] });
  });

  it('comes back for a log that is not there yet, but not after the time for all tries', async () => {
    const records = [record({ buildLogUrl: `${server.url}/absent` })];
    const atTheEnd = { attempt: 2, elapsedMs: ALL_TRIES_MS - 0.1 * ONE_TRY_MS };
    expect(await collect(records, atTheEnd)).toMatchObject({ logs: [], missing: [KEY] });
    expect(lines).toMatchObject([{ log: KEY, reason: 'the PPA has none' }]);
  });

  it('comes back for no log where the pause before the next try is longer than the time', async () => {
    const outOfReach = server.answer('log', (_request, response) => response.writeHead(502).end());
    const records = [
      record({ architecture: 'amd64', buildLogUrl: outOfReach }),
      record({ architecture: 'riscv64', buildLogUrl: server.answer('other', 'there\n') }),
    ];
    const beforePause = { oneTryMs: 120_000, attempt: 7, elapsedMs: ALL_TRIES_MS - 57_000 };
    expect(await collect(records, beforePause)).toMatchObject({
      logs: [{ architecture: 'riscv64' }],
      missing: [KEY],
    });
    const beforeShortPause = { ...beforePause, attempt: 1 };
    await expect(collect(records, beforeShortPause)).rejects.toThrow('answered 502');
  });

  it('comes back for no log where this try has taken the time of the next one', async () => {
    const { now } = Date;
    let passedMs = 0;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
    const buildLogUrl = server.answer('log', (_request, response) => {
      passedMs = 0.2 * ONE_TRY_MS;
      response.writeHead(502).end();
    });
    const early = { elapsedMs: ALL_TRIES_MS - 0.3 * ONE_TRY_MS };
    try {
      expect(await collect([record({ buildLogUrl })], early)).toMatchObject({ missing: [KEY] });
    } finally {
      clock.mockRestore();
    }
  });

  it('takes what an earlier try stored, and why it failed, without asking for it again', async () => {
    const unreachable = server.answer('away', (_request, response) =>
      response.writeHead(502).end(),
    );
    const records = [
      record({ buildState: 'Failed to build', buildLogUrl: server.answer('log', BROKEN) }),
      record({ architecture: 'riscv64', buildLogUrl: unreachable }),
    ];
    await expect(collect(records)).rejects.toThrow('answered 502');

    server.answer('log', (_request, response) => response.writeHead(502).end());
    expect(await collect(records, { attempt: 10 })).toMatchObject({
      logs: [{ key: KEY }],
      missing: ['builds/7/hello_1:2.10-3_riscv64.build.log'],
      rootCauses: [{ architecture: 'amd64', rule: 'compiler_error' }],
    });
    expect(server.asked('log')).toBe(1);
    expect(await stored(KEY)).toBe(BROKEN);
  });

  it('fetches a few logs at once, and names them in the order of their builds', async () => {
    let second = '';
    const secondIsSent = new Promise<void>((resolve) => {
      second = server.answer('second', (_request, response) => response.end(BROKEN, resolve));
    });
    const first = server.answer(
      'first',
      (_request, response) => void secondIsSent.then(() => response.end(BROKEN)),
    );
    const buildState = 'Failed to build';

    const { logs, rootCauses } = await collect([
      record({ buildState, buildLogUrl: first }),
      record({ buildState, buildLogUrl: second, architecture: 'riscv64' }),
    ]);

    expect(logs.map(({ architecture }) => architecture)).toEqual(['amd64', 'riscv64']);
    expect(rootCauses?.map(({ architecture }) => architecture)).toEqual(['amd64', 'riscv64']);
  });

  it.each([
    ['its own time', { oneTryMs: 8_000 }],
    ['the time for all tries', { elapsedMs: ALL_TRIES_MS - 8_000 }],
  ])('gives what it has before %s is over, whatever does not end', async (_name, time) => {
    const drips = new Set<NodeJS.Timeout>();
    const slow = server.answer('slow', (_request, response) => {
      response.writeHead(200);
      drips.add(setInterval(() => response.write('.'), 50));
    });
    const neverAnswers = new Promise<undefined>(() => {});
    jest.spyOn(deps.ppaClient, 'getArchive').mockReturnValue(neverAnswers);
    const ppa = { owner: 'me', distribution: 'ubuntu', name: 'test' };
    try {
      const collected = await collect(
        [
          record({ buildState: 'Failed to build', buildLogUrl: server.answer('log', BROKEN) }),
          record({ architecture: 'riscv64', buildLogUrl: slow }),
        ],
        { ...time, built: { ppa, series: 'noble', packages: [] } },
      );
      expect(collected).toEqual({
        logs: [expect.objectContaining({ key: KEY })],
        missing: ['builds/7/hello_1:2.10-3_riscv64.build.log'],
        rootCauses: [expect.objectContaining({ architecture: 'amd64', rule: 'compiler_error' })],
      });
    } finally {
      for (const drip of drips) clearInterval(drip);
    }
  });

  it('tells of packages whose list the data store does not take, and of lists that it took, at the last try', async () => {
    const { put } = deps.store;
    deps.store = {
      ...deps.store,
      put: async (key, ...content) => {
        if (key.includes('world')) throw new StoreUnavailableError('the disk is full');
        return put(key, ...content);
      },
    };
    const packages = ['hello', 'world'].map((source) => ({ source, version: '1:2.10-3' }));
    const ppa = { owner: 'me', distribution: 'ubuntu', name: 'test' };
    const publication = {
      self_link: `${server.url}/devel/+sourcepub/1`,
      source_package_name: 'hello',
    };
    Object.assign(deps.ppaClient, {
      getArchive: async () => ({ reference: '', private: false, signing_key_fingerprint: null }),
      getPublishedSources: async () => [publication],
      getPublishedBinaries: async () => [
        {
          self_link: `${server.url}/devel/+binarypub/1`,
          binary_package_name: 'hello',
          binary_package_version: '1:2.10-3',
          architecture_specific: false,
          build_link: record().selfLink,
        },
      ],
      binaryFileUrls: async () => [],
    } satisfies { [name in keyof PpaClient]?: unknown });
    const made = { built: { ppa, series: 'noble', packages } };
    const records = packages.map((one) => record({ package: one.source }));
    await expect(collect(records, { ...made, attempt: 9 })).rejects.toThrow('the disk is full');
    expect((await collect(records, { ...made, attempt: 10 })).built).toEqual({
      packages: packages.map(({ source }) =>
        expect.objectContaining({ name: 'hello', source, architecture: 'all' }),
      ),
      apt: 'deb https://ppa.example/me/test/ubuntu noble main',
      lists: [deps.store.urlOf('builds/7/hello_1:2.10-3.packages.json')],
    });
  });

  it('comes back for a log whose download breaks off', async () => {
    const buildLogUrl = server.answer('log', (_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('half of it', () => response.destroy());
    });
    await expect(collect([record({ buildLogUrl })])).rejects.toThrow();
    expect(await stored(KEY)).toBe('(nothing)');
  });

  it('finds in the stand-in the log that the record did not have yet', async () => {
    const standIn = await openStandIn();
    try {
      standIn.play({
        sources: {
          '*': { builds: { '*': [{ state: 'Successfully built', log: 'all is well\n' }] } },
        },
      });
      const source = await standIn.make();
      await standIn.upload(source.files, '~me/debian/test/bookworm');
      const publication = await standIn.publication(source);
      const { logger } = keepLog();
      deps.ppaClient = createPpaClient({ rootUrl: standIn.webUrl, timeoutMs: 60_000, logger });
      const build = await until('the build', async () => {
        const [found] = await deps.ppaClient.getBuilds(publication.self_link);
        return found?.buildstate === 'Successfully built' && found;
      });

      const { logs } = await collect([{ ...buildRecordOf(build), buildLogUrl: null }]);

      expect(logs).toHaveLength(1);
      expect(await stored(`builds/7/${source.name}_1.0_amd64.build.log`)).toBe('all is well\n');
    } finally {
      await standIn.close();
    }
  });
});
