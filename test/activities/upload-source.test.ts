import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { CancelledFailure } from '@temporalio/common';
import { uploadSource } from '../../activities/upload-source.ts';
import type { CheckedPackage } from '../../domain/packages/source-file.ts';
import { parseChanges, signerOf } from '../../domain/packages/source-package.ts';
import { CALLER_GONE } from '../../domain/builds/build-workflow.ts';
import { createPpaClient } from '../../ppa/client.ts';
import { createFileStore } from '../../store/file.ts';
import { makeSigningKey, type SigningKey } from '../support/signing-key.ts';
import type { SourcePackage } from '../support/source-package.ts';
import { openStandIn, type OwnStandIn } from '../support/stand-in.ts';
import { until } from '../support/until.ts';
import { TEST_SOURCES } from '../support/test-sources.ts';
import { codeOf, keepLog, runActivity } from './activity.ts';
import { startFileServer, type FileServer } from './file-server.ts';

/** No server that works is silent for so long. */
const IDLE_MS = 60_000;
const PPA = { owner: 'me', distribution: 'debian', name: 'test' };

const totalOf = ({ files }: CheckedPackage) =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

describe('uploadSource', () => {
  let standIn: OwnStandIn;
  let server: FileServer;
  let deps: Parameters<typeof uploadSource>[0];
  /** What was kept on the rows of builds. */
  const noted: object[] = [];

  beforeAll(async () => {
    standIn = await openStandIn();
  });
  afterAll(() => standIn.close());
  beforeEach(async () => {
    standIn.play({});
    server = await startFileServer();
    const { logger } = keepLog();
    const { hostname, port } = new URL(`ftp://${standIn.ftpAddress}`);
    noted.length = 0;
    deps = {
      logger,
      database: {
        Build: {
          async recordUpload(of, upload) {
            noted.push({ ...of, ...upload });
          },
        },
        WatchedBuild: { hasSent: async () => false },
      },
      ppaClient: createPpaClient({ rootUrl: standIn.webUrl, timeoutMs: 60_000, logger }),
      cancelUrlTimeoutMs: 60_000,
      cancelUrlPollMs: 3_600_000,
      uploadServer: { host: hostname, port: Number(port), idleTimeoutMs: IDLE_MS },
      store: createFileStore({
        directory: join(standIn.directory, 'store'),
        baseUrl: 'http://127.0.0.1:1/',
      }),
      sources: { ...TEST_SOURCES },
    };
  });
  afterEach(() => server.stop());

  let sources = 0;
  const make = (options: Parameters<OwnStandIn['make']>[0] = {}) =>
    standIn.make({ name: `probe-${++sources}`, ...options });
  /** The package as checkSources gives it. */
  async function checked(source: SourcePackage): Promise<CheckedPackage> {
    const files = await Promise.all(
      source.files.map(async (path) => ({
        name: basename(path),
        url: server.serve(path),
        sizeBytes: (await stat(path)).size,
        sha256: createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      })),
    );
    const text = await readFile(source.changes, 'utf8');
    const signer = signerOf(parseChanges(text), text);
    return { source: source.name, version: source.version, files, ...(signer ? { signer } : {}) };
  }
  const upload = (
    sourcePackage: CheckedPackage,
    options?: Parameters<typeof runActivity>[2],
    series = 'bookworm',
    others: CheckedPackage[] = [],
    cancelUrl: string | null = null,
  ) =>
    runActivity(
      uploadSource(deps),
      { ppa: PPA, series, package: sourcePackage, others, cancelUrl },
      options,
    );
  const published = ({ source, version }: CheckedPackage) =>
    deps.ppaClient.getPublishedSources(PPA, { source, version });

  /** The PPA has looked at every session before this one: it takes them in their order. */
  async function processed(): Promise<void> {
    const later = await make();
    await upload(await checked(later));
    await standIn.publication(later);
  }

  it('brings the package into the requested series, whatever its .changes says', async () => {
    const source = await make({
      distribution: 'unstable',
      format: 'quilt',
      version: '1.0-1',
    });
    const sourcePackage = await checked(source);
    const heartbeats: unknown[] = [];

    const outcome = await upload(
      sourcePackage,
      { onHeartbeat: (details) => heartbeats.push(details) },
      'trixie',
    );

    expect(outcome).toEqual({
      alreadyThere: false,
      sentBytes: totalOf(sourcePackage),
      isUnclear: false,
    });
    const publication = await standIn.publication(source);
    expect(publication['distro_series_link']).toMatch(/\/trixie$/);
    expect(heartbeats.at(-1)).toEqual({
      phase: 'delivered',
      sentBytes: totalOf(sourcePackage),
      totalBytes: totalOf(sourcePackage),
      sessions: 1,
    });
  });

  it('keeps on the row how far it is, where the input says whose', async () => {
    const sourcePackage = await checked(await make());
    const { source, version } = sourcePackage;

    await runActivity(uploadSource(deps), {
      buildId: 7,
      attempt: 2,
      ppa: PPA,
      series: 'bookworm',
      package: sourcePackage,
    });

    expect(noted[0]).toEqual({
      buildId: 7,
      attempt: 2,
      package: `${source} ${version}`,
      sent_bytes: 0,
      total_bytes: totalOf(sourcePackage),
    });
    const before = noted.length;
    await upload(await checked(await make()));
    expect(noted).toHaveLength(before);
  });

  describe('of files in our own data store, whose URL nobody serves', () => {
    /** The package as checkSources gives it, with its files in the store. */
    async function stored(source: SourcePackage): Promise<CheckedPackage> {
      const sourcePackage = await checked(source);
      for (const [at, file] of sourcePackage.files.entries()) {
        const key = `uploads/${file.name}`;
        await deps.store.put(key, createReadStream(source.files[at] ?? ''));
        file.url = deps.store.urlOf(key);
        file.storeVersion = (await deps.store.read(key))?.version ?? '';
      }
      return sourcePackage;
    }

    it('brings the package into the PPA', async () => {
      const source = await make({ files: { large: randomBytes(3 * 2 ** 20) } });

      const { sentBytes } = await upload(await stored(source));

      await standIn.publication(source);
      expect(sentBytes).toBe(totalOf(await checked(source)));
    });

    it('refuses a file that was replaced since it was checked', async () => {
      const sourcePackage = await stored(await make());
      const dsc = sourcePackage.files.find(({ name }) => name.endsWith('.dsc'));
      const content = Buffer.alloc(dsc?.sizeBytes ?? 0);
      await deps.store.put(`uploads/${dsc?.name}`, Readable.from([content]));

      expect(await codeOf(upload(sourcePackage))).toBe('checksum_mismatch');
    });
  });

  it('sends nothing where the PPA has the same source, also when that was signed anew', async () => {
    const source = await make();
    await upload(await checked(source));
    await standIn.publication(source);
    const again = await checked(source);
    for (const file of again.files) if (file.name.endsWith('.dsc')) file.sha256 = '0'.repeat(64);
    standIn.play({ ftp: [{ on: 'CONNECT', close: true }] });

    expect(await upload(again)).toMatchObject({ alreadyThere: true, sentBytes: 0 });
  });

  it('refuses another content under the same version before anything is sent', async () => {
    const source = await make();
    await upload(await checked(source));
    await standIn.publication(source);
    const other = await checked(await make({ name: source.name, files: { more: 'x' } }));
    standIn.play({ ftp: [{ on: 'CONNECT', close: true }] });

    const outcome = upload(other);

    await expect(outcome).rejects.toThrow(`already holds ${source.name} 1.0 with another`);
    expect(await codeOf(outcome)).toBe('version_conflict');
  });

  it('sends nothing where another package of the request is refused so', async () => {
    const source = await make();
    await upload(await checked(source));
    await standIn.publication(source);
    const first = await checked(await make());
    const other = await checked(await make({ name: source.name, files: { more: 'x' } }));

    const outcome = upload(first, {}, 'bookworm', [other]);

    expect(await codeOf(outcome)).toBe('version_conflict');
    await processed();
    expect(await published(first)).toEqual([]);
  });

  it('refuses a version that the PPA has for another series', async () => {
    const source = await make();
    await upload(await checked(source), {}, 'trixie');
    await standIn.publication(source);

    const outcome = upload(await checked(source), {}, 'bookworm');

    await expect(outcome).rejects.toThrow('for trixie, not for bookworm');
    expect(await codeOf(outcome)).toBe('version_conflict');
  });

  it.each([
    ['one that is there', '5.02-1', 'is not higher than 5.02-2, P'],
    ['one that is there, by its epoch', '1:0.1', undefined],
    ['one that is there, by a tilde', '5.02-2~bpo1', 'is not higher than 5.02-2, P'],
  ])('refuses a version that is not higher than %s: %s', async (_what, version, refusal) => {
    const source = await make({ version: '5.02-2', format: 'quilt' });
    await upload(await checked(source));
    await standIn.publication(source);
    const other = await checked(await make({ name: source.name, version, format: 'quilt' }));

    if (refusal === undefined) {
      expect(await upload(other)).toMatchObject({ alreadyThere: false, isUnclear: false });
      return;
    }
    const outcome = upload(other);

    await expect(outcome).rejects.toThrow(
      new RegExp(`${source.name} ${version} ${refusal}.* in ~me/debian/test for bookworm`),
    );
    expect(await codeOf(outcome)).toBe('version_not_higher');
    expect(server.asked(basename(source.changes))).toBe(1);
  });

  it('takes a version for one series that is lower than the one of another', async () => {
    const source = await make({ version: '2.0' });
    await upload(await checked(source), {}, 'trixie');
    await standIn.publication(source);
    const older = await make({ name: source.name, version: '1.0' });

    await upload(await checked(older));

    await standIn.publication(older);
  });

  it.each([
    ['has', 'bookworm', 'P.* in bookworm', false],
    ['had until it was deleted', 'bookworm', 'Deleted in bookworm', true],
    ['has in another series', 'trixie', 'P.* in trixie', false],
  ])(
    'refuses a tarball that the PPA %s with other contents',
    async (_what, series, how, isDeleted) => {
      const source = await make({ version: '1.0-1', format: 'quilt' });
      await upload(await checked(source), {}, series);
      const { self_link: link } = await standIn.publication(source);
      if (isDeleted) await standIn.post(link, 'requestDeletion');
      const next = await make({
        name: source.name,
        version: '1.0-2',
        format: 'quilt',
        files: { more: 'x' },
      });

      const outcome = upload(await checked(next));

      await expect(outcome).rejects.toThrow(
        new RegExp(
          `${source.name}_1\\.0\\.orig\\.tar\\.gz is not the file that ~me/debian/test has with ${source.name} 1\\.0-1, ${how}: `,
        ),
      );
      expect(await codeOf(outcome)).toBe('file_conflict');
      expect(server.asked(basename(next.changes))).toBe(0);
    },
  );

  it('refuses a PPA that does not exist', async () => {
    const sourcePackage = await checked(await make());
    // Where its owner has the PPA `ppa` of Ubuntu, Launchpad redirects to that one.
    for (const other of ['~me/debian/other', '~me/ubuntu/ppa']) {
      standIn.play({ ppas: [other] });

      const outcome = upload(sourcePackage);

      await expect(outcome).rejects.toThrow('There is no PPA ~me/debian/test');
      expect(await codeOf(outcome)).toBe('ppa_not_found');
    }
  });

  it('refuses a PPA that our account may not see', async () => {
    standIn.play({ hiddenPpas: ['~me/debian/test'] });

    expect(await codeOf(upload(await checked(await make())))).toBe('ppa_not_found');
  });

  it('refuses a series that the distribution does not have', async () => {
    const outcome = upload(await checked(await make()), {}, 'zesty');

    await expect(outcome).rejects.toThrow('debian has no series zesty');
    expect(await codeOf(outcome)).toBe('series_not_open');
  });

  it('refuses a series without an architecture', async () => {
    const empty = JSON.stringify({ start: 0, total_size: 0, entries: [] });
    standIn.play({ web: [{ match: '/bookworm/architectures', status: 200, body: empty }] });

    const outcome = upload(await checked(await make()));

    await expect(outcome).rejects.toThrow('debian bookworm has no architecture to build on');
    expect(await codeOf(outcome)).toBe('series_not_open');
  });

  describe('asks who signed', () => {
    const NOBODYS = { keys: [] as string[] };
    let stranger: SigningKey;
    beforeAll(async () => {
      stranger = await makeSigningKey('A Stranger', 'stranger@airline.example');
    });
    const own = (more: object = {}) => ({ keys: [standIn.key.fingerprint], ...more });

    it('and refuses a key that nobody has registered', async () => {
      const source = await checked(await make({ key: stranger }));

      const outcome = upload(source);

      await expect(outcome).rejects.toThrow(
        `${source.source} 1.0 is signed by the key ${stranger.fingerprint}, which belongs to no account that may upload to ~me/debian/test; accounts checked: ~me`,
      );
      expect(await codeOf(outcome)).toBe('key_not_registered');
    });

    it.each([
      ['the owner of the PPA', () => ({ me: own() })],
      ['a member of the team that owns it', () => ({ me: { members: ['bot'] }, bot: own() })],
      [
        'a member of a team in it',
        () => ({ me: { members: ['a'] }, a: { members: ['b'] }, b: own() }),
      ],
      [
        'who was let upload to it',
        () => ({ me: NOBODYS, bot: own({ mayUploadTo: ['~me/debian/test'] }) }),
      ],
      [
        'the account with the address in Changed-By',
        () => ({ me: { members: ['ann'] }, ann: own({ emails: ['test@airline.example'] }) }),
      ],
    ])('and takes a key of %s', async (_who, people) => {
      standIn.play({ people: people() });
      const source = await make();

      await upload(await checked(source));

      await standIn.publication(source);
    });

    it('and refuses the key of an account that may not upload', async () => {
      standIn.play({ people: { me: NOBODYS, ann: own({ emails: ['test@airline.example'] }) } });

      const outcome = upload(await checked(await make()));

      await expect(outcome).rejects.toThrow(
        `${standIn.key.fingerprint} of ~ann, and ~me/debian/test takes no upload of theirs: Signer has no upload rights to this PPA.`,
      );
      expect(await codeOf(outcome)).toBe('upload_not_allowed');
    });

    it('and refuses every key where the PPA is disabled', async () => {
      standIn.play({ people: { me: own() }, disabledPpas: ['~me/debian/test'] });

      const outcome = upload(await checked(await make()));

      await expect(outcome).rejects.toThrow(
        'of ~me, and ~me/debian/test takes no upload of theirs: test of me is disabled.',
      );
      expect(await codeOf(outcome)).toBe('upload_not_allowed');
    });

    it('and asks whose a key is, and whether the PPA is there, once in a minute for many builds', async () => {
      const asked = (
        [
          'getArchive',
          'getSeries',
          'getArchitectures',
          'getOwner',
          'getKeys',
          'checkUpload',
        ] as const
      ).map((name) => jest.spyOn(deps.ppaClient, name));
      const counts = () => asked.map((each) => each.mock.calls.length);
      const activity = uploadSource(deps);
      const send = async () =>
        runActivity(activity, {
          ppa: PPA,
          series: 'bookworm',
          package: await checked(await make()),
        });

      await send();
      await send();
      expect(counts()).toEqual([1, 1, 1, 1, 1, 2]);

      const now = performance.now.bind(performance);
      const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_001);
      await send();
      later.mockRestore();
      expect(counts()).toEqual([2, 2, 2, 2, 2, 3]);
    });

    it('and asks anew for what was missing', async () => {
      standIn.play({ people: { me: NOBODYS } });
      const activity = uploadSource(deps);
      const sourcePackage = await checked(await make());
      const send = (series = 'bookworm') =>
        runActivity(activity, { ppa: PPA, series, package: sourcePackage });
      expect(await codeOf(send('zesty'))).toBe('series_not_open');
      expect(await codeOf(send())).toBe('key_not_registered');

      standIn.play({ people: { me: own() } });
      expect(await send()).toMatchObject({ alreadyThere: false });
    });

    it('and refuses every key of a PPA whose owner has none', async () => {
      standIn.play({ people: { me: NOBODYS, else: own() } });

      expect(await codeOf(upload(await checked(await make())))).toBe('key_not_registered');
    });

    it('and finds the key that a subkey belongs to', async () => {
      const subkeyed = await makeSigningKey('A Stranger', 'subkey@airline.example', [
        { sign: true },
      ]);
      const path = join(standIn.keysDir, 'subkeyed.asc');
      writeFileSync(path, subkeyed.publicKey);
      const source = await make({ key: subkeyed });
      const sourcePackage = await checked(source);
      expect(sourcePackage.signer?.key).not.toBe(subkeyed.fingerprint);

      await upload(sourcePackage);

      await standIn.publication(source);
      rmSync(path);
    });

    it.each([
      ['the PPA hides who may upload', { match: '/gpg_keys', status: 401 }],
      ['the keyserver does not answer', { match: '/pks/lookup', reset: true as const }],
      ['the keyserver answers with an error', { match: '/pks/lookup', status: 500 }],
    ])('and refuses nothing where %s', async (_why, fault) => {
      standIn.play({ web: [fault] });
      const sourcePackage = await checked(await make({ key: stranger }));

      expect(await upload(sourcePackage)).toMatchObject({ alreadyThere: false });
    });
  });

  const nothingDelivered = [
    ['a 550 on a file', { on: 'STOR', match: '.tar.xz', reply: '550 Requested action not taken' }],
    ['a refused log-in', { on: 'PASS', reply: '530 Login incorrect.' }],
    ['a connection that is closed at once', { on: 'CONNECT', close: true }],
    ['a connection that breaks in mid-file', { on: 'STOR', match: '.tar.xz', cutAfterBytes: 10 }],
    ['a folder that is refused', { on: 'CWD', reply: '421 Service not available.' }],
    ['a full disk', { on: 'STOR', match: '.dsc', afterData: true, reply: '452 No space.' }],
    ['a 550 on the .changes', { on: 'STOR', match: '.changes', reply: '550 Not taken.' }],
    ['a server that hangs', { on: 'STOR', match: '.changes', hang: true }],
  ] as const;
  it.each(nothingDelivered)(
    'after %s leaves it to a later try, which sends all of it',
    async (_what, fault) => {
      const source = await make();
      const sourcePackage = await checked(source);
      standIn.play({ ftp: [{ ...fault, count: 1 }] });
      deps.uploadServer.idleTimeoutMs = 'hang' in fault ? 300 : IDLE_MS;
      let last: unknown;
      const failed = upload(sourcePackage, {
        onHeartbeat: (details) => {
          last = structuredClone(details);
        },
      });
      await expect(failed).rejects.toMatchObject({
        name: expect.not.stringMatching('AirlineError'),
      });
      expect(last).toMatchObject({ phase: 'broken' });
      standIn.play({});
      deps.uploadServer.idleTimeoutMs = IDLE_MS;
      await processed();
      expect(await published(sourcePackage)).toEqual([]);

      expect(await upload(sourcePackage, { info: { attempt: 2, heartbeatDetails: last } })).toEqual(
        {
          alreadyThere: false,
          sentBytes: totalOf(sourcePackage),
          isUnclear: false,
        },
      );
      await standIn.publication(source);
    },
  );

  it.each([
    ['the connection breaks', { close: true as const }],
    ['the server says 452 Insufficient storage', { reply: '452 Insufficient storage.' }],
    ['nothing comes any more', { hang: true as const }],
  ])(
    'leaves it to the PPA to show what came where %s instead of the last answer',
    async (_what, fault) => {
      // Up to the last answer, no other may take so long.
      deps.uploadServer.idleTimeoutMs = 'hang' in fault ? 10_000 : IDLE_MS;
      const source = await make();
      const sourcePackage = await checked(source);
      standIn.play({
        ftp: [{ on: 'STOR', match: '.changes', afterData: true, ...fault, count: 1 }],
      });

      expect(await upload(sourcePackage)).toEqual({
        alreadyThere: false,
        sentBytes: totalOf(sourcePackage),
        isUnclear: true,
      });
      await standIn.publication(source);
    },
  );

  it('says so where the connection breaks in the .changes, of which nothing may come', async () => {
    const sourcePackage = await checked(await make());
    standIn.play({ ftp: [{ on: 'STOR', match: '.changes', cutAfterBytes: 9, count: 1 }] });

    expect(await upload(sourcePackage)).toMatchObject({ isUnclear: true });
    await processed();
    expect(await published(sourcePackage)).toEqual([]);
  });

  it.each([
    ['after one whose .changes was on its way', 'committing', true],
    ['after one that was confirmed to have delivered', 'delivered', false],
  ])('a later try %s asks nobody and sends nothing', async (_what, phase, isUnclear) => {
    const source = await make();
    standIn.play({
      ftp: [{ on: 'CONNECT', close: true }],
      web: [{ match: 'getPublishedSources', status: 503 }],
    });
    const heartbeats: unknown[] = [];

    const laterTry = await upload(await checked(source), {
      info: { attempt: 3, heartbeatDetails: { phase } },
      onHeartbeat: (details) => heartbeats.push(details),
    });
    standIn.play({});

    expect(laterTry).toEqual({ alreadyThere: false, sentBytes: 0, isUnclear });
    // The next try would have to know it as well.
    expect(heartbeats).toEqual([]);
    expect(server.asked(basename(source.changes))).toBe(0);
  });

  it('sends nothing that an earlier run of its attempt has sent', async () => {
    const sourcePackage = await checked(await make());
    const { source, version } = sourcePackage;
    const asked: object[] = [];
    deps.database.WatchedBuild.hasSent = async (of, sent) => asked.push(of, sent) > 0;
    standIn.play({ web: [{ status: 503 }] });

    const again = await runActivity(uploadSource(deps), {
      buildId: 7,
      attempt: 2,
      ppa: PPA,
      series: 'bookworm',
      package: sourcePackage,
    });

    expect(again).toEqual({ alreadyThere: false, sentBytes: 0, isUnclear: false });
    expect(asked).toEqual([
      { buildId: 7, attempt: 2 },
      { source, version },
    ]);
    for (const { name } of sourcePackage.files) expect(server.asked(name)).toBe(0);
  });

  it.each(['checking', 'sending', 'broken'])(
    'a later try sends at once what one that was %s cannot have delivered',
    async (phase) => {
      const source = await make();
      const sourcePackage = await checked(source);

      const laterTry = await upload(sourcePackage, {
        info: { attempt: 2, heartbeatDetails: { phase } },
      });

      expect(laterTry).toMatchObject({ sentBytes: totalOf(sourcePackage), isUnclear: false });
      await standIn.publication(source);
    },
  );

  describe('after many sessions that broke off', () => {
    /** The next try, and what it says last. */
    async function tryAfter(sessions: number) {
      let last: unknown;
      const sourcePackage = await checked(await make());
      const failure: unknown = await upload(sourcePackage, {
        info: { attempt: 40, heartbeatDetails: { phase: 'broken', sessions } },
        onHeartbeat: (details) => (last = structuredClone(details)),
      }).catch((error: unknown) => error);
      return { failure, last };
    }

    it.each([
      [18, expect.not.objectContaining({ nonRetryable: true })],
      [19, expect.objectContaining({ nonRetryable: true, message: expect.stringMatching(/550/) })],
    ])('is tried again until 20 have: %i before', async (before, expected) => {
      standIn.play({ ftp: [{ on: 'STOR', match: '.tar.xz', reply: '550 Not taken.' }] });
      const { failure, last } = await tryAfter(before);
      expect(failure).toBeInstanceOf(Error);
      expect(failure).toEqual(expected);
      expect(last).toMatchObject({ phase: 'broken', sessions: before + 1 });
    });

    it('ends at once where a file has changed', async () => {
      const sourcePackage = await checked(await make());
      server.answer(sourcePackage.files[0]?.name ?? '', 'another');
      const info = { heartbeatDetails: { phase: 'broken', sessions: 19 } };
      expect(await codeOf(upload(sourcePackage, { info }))).toBe('checksum_mismatch');
    });

    it('does not count a try for which the web service is away', async () => {
      standIn.play({ web: [{ status: 503 }] });
      const { failure, last } = await tryAfter(19);
      expect(failure).toMatchObject({ name: 'PpaUnavailableError' });
      expect(last).toMatchObject({ phase: 'checking', sessions: 19 });
    });
  });

  describe('of a caller who goes', () => {
    let isThere: boolean;
    let cancelUrl: string;
    beforeEach(() => {
      isThere = true;
      cancelUrl = server.answer('caller.json', (_request, response) => {
        response.end(JSON.stringify({ building: isThere }));
      });
    });
    const send = (sourcePackage: CheckedPackage, options?: Parameters<typeof runActivity>[2]) =>
      upload(sourcePackage, options, 'bookworm', [], cancelUrl);
    const tarballOf = ({ files }: CheckedPackage) =>
      files.findIndex(({ name }) => name.includes('.tar.'));
    const GONE = { type: CALLER_GONE, nonRetryable: true };

    it('sends nothing where that was before it', async () => {
      isThere = false;
      const sourcePackage = await checked(await make());

      await expect(send(sourcePackage)).rejects.toMatchObject(GONE);

      for (const { name } of sourcePackage.files) expect(server.asked(name)).toBe(0);
      await processed();
      expect(await published(sourcePackage)).toEqual([]);
    });

    it('ends the session where that is while a file is sent', async () => {
      deps.cancelUrlPollMs = 20;
      const sourcePackage = await checked(await make());
      const tarball = sourcePackage.files[tarballOf(sourcePackage)] as {
        name: string;
        url: string;
      };
      // It goes on for ever.
      tarball.url = server.answer(tarball.name, (_request, response) => {
        response.write('x', () => (isThere = false));
      });

      await expect(send(sourcePackage)).rejects.toMatchObject(GONE);

      await processed();
      expect(await published(sourcePackage)).toEqual([]);
    });

    it('is asked once more before the .changes, which is not sent then', async () => {
      const source = await make();
      const sourcePackage = await checked(source);
      const path = source.files[tarballOf(sourcePackage)] ?? '';
      server.answer(basename(path), (_request, response) => {
        isThere = false;
        createReadStream(path).pipe(response);
      });

      await expect(send(sourcePackage)).rejects.toMatchObject(GONE);

      expect(server.asked('caller.json')).toBe(2);
      expect(server.asked(basename(source.changes))).toBe(0);
      await processed();
      expect(await published(sourcePackage)).toEqual([]);
    });

    it('finishes where that is after the .changes was begun', async () => {
      deps.cancelUrlPollMs = 20;
      const source = await make();

      const outcome = send(await checked(source), {
        onConfirm: async () => {
          isThere = false;
        },
      });

      await expect(outcome).resolves.toMatchObject({ isUnclear: false });
      await standIn.publication(source);
    });
  });

  it('ends the session before the .changes where Temporal says that the try no longer counts', async () => {
    const source = await make();
    const sourcePackage = await checked(source);
    const said: unknown[] = [];

    const outcome = upload(sourcePackage, {
      onConfirm: async (details) => {
        said.push(details);
        throw new Error('activity not found');
      },
    });

    await expect(outcome).rejects.toThrow('activity not found');
    expect(said).toEqual([expect.objectContaining({ phase: 'committing' })]);
    expect(server.asked(basename(source.changes))).toBe(0);
    await processed();
    expect(await published(sourcePackage)).toEqual([]);
  });

  it('finishes a session that is cancelled when the .changes is on its way', async () => {
    const source = await make();
    const sourcePackage = await checked(source);
    standIn.play({ ftp: [{ on: 'STOR', match: '.changes', afterData: true, delayMs: 5_000 }] });
    let cancel: (() => void) | undefined;
    const outcome = upload(sourcePackage, {
      prepare: (environment) => {
        cancel = () => environment.cancel('CANCELLED');
      },
    });
    const sessions = join(standIn.directory, 'stand-in', 'incoming', '.sessions');
    await until('the .changes has come', async () =>
      (await readdir(sessions, { recursive: true })).some((name) => name.endsWith('.changes')),
    );

    cancel?.();

    expect(await outcome).toMatchObject({ alreadyThere: false });
    await standIn.publication(source);
  });

  it('ends the session before the .changes where a file has changed since it was checked', async () => {
    const source = await make();
    const sourcePackage = await checked(source);
    const tarball = sourcePackage.files.find(({ name }) => name.endsWith('.tar.xz'));
    const content = await readFile(source.files.find((path) => path.endsWith('.tar.xz')) ?? '');
    content[0] = (content[0] ?? 0) ^ 1;
    server.answer(tarball?.name ?? '', content);

    const outcome = upload(sourcePackage);

    await expect(outcome).rejects.toThrow('has changed since it was checked');
    expect(await codeOf(outcome)).toBe('checksum_mismatch');
    expect(server.asked(basename(source.changes))).toBe(0);
  });

  it.each(['shorter', 'longer'])('does not complete a .changes that is %s now', async (now) => {
    const source = await make();
    const sourcePackage = await checked(source);
    const text = await readFile(source.changes, 'utf8');
    server.answer(basename(source.changes), now === 'longer' ? `${text}\n` : text.slice(0, -1));

    expect(await codeOf(upload(sourcePackage))).toBe('checksum_mismatch');
    await processed();
    expect(await published(sourcePackage)).toEqual([]);
  });

  it('leaves a source that breaks off to a later try', async () => {
    const sourcePackage = await checked(await make());
    const tarball = sourcePackage.files.find(({ name }) => name.endsWith('.tar.xz'));
    server.answer(tarball?.name ?? '', (_request, response) => {
      response.writeHead(200, { 'content-length': tarball?.sizeBytes });
      response.write('x', () => response.destroy());
    });

    const outcome = upload(sourcePackage);

    await expect(outcome).rejects.toMatchObject({ name: 'Error' });
  });

  it('ends the session at once when it is cancelled', async () => {
    const sourcePackage = await checked(await make());
    const tarball = sourcePackage.files.find(({ name }) => name.endsWith('.tar.xz'));
    server.answer(tarball?.name ?? '', (_request, response) => {
      response.writeHead(200, { 'content-length': tarball?.sizeBytes });
      response.write('x');
    });
    let cancel: (() => void) | undefined;
    const outcome = upload(sourcePackage, {
      prepare: (environment) => {
        cancel = () => environment.cancel('CANCELLED');
      },
    });
    await until('the file is asked for', () => server.asked(tarball?.name ?? '') > 0);

    cancel?.();

    await expect(outcome).rejects.toBeInstanceOf(CancelledFailure);
    await processed();
    expect(await published(sourcePackage)).toEqual([]);
  });
});
