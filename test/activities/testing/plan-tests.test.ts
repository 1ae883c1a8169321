import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { createTestingActivities } from '../../../activities/testing/index.ts';
import { createScriptedArchive } from '../../../activities/testing/archive/scripted-archive.ts';
import { createScriptedMachine } from '../../../activities/testing/scripted-machine.ts';
import type { SCRIPT } from '../../../activities/testing/test-script.ts';
import type { Landing } from '../../../models/landings/landing.ts';
import { createPpaClient } from '../../../ppa/client.ts';
import { createFileStore } from '../../../store/file.ts';
import { useDatabase } from '../../models/use-database.ts';
import { addImage, addLanding, TESTS } from '../../support/rows.ts';
import { TEST_SOURCES } from '../../support/test-sources.ts';
import { keepLog, runActivity } from '../activity.ts';
import { startFileServer, type FileServer } from '../file-server.ts';

const database = useDatabase();
const STORE = 'http://127.0.0.1:1/store';
const ORIG = 'hello_2.10.orig.tar.gz';
const DEBIAN = 'hello_2.10-4.debian.tar.xz';
const DSC = 'hello_2.10-4.dsc';

let directory: string;
/** What the PPA shows of the source's files. */
let published: { url: string; size: number; sha256: string }[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plan-tests-'));
  published = [];
  play({});
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function play(archive: z.input<typeof SCRIPT>['archive']): void {
  writeFileSync(join(directory, 'script.json'), JSON.stringify({ archive }));
}

function openTester() {
  const { logger } = keepLog();
  const store = createFileStore({ directory: join(directory, 'store'), baseUrl: STORE });
  const [script, workDir] = [join(directory, 'script.json'), join(directory, 'work')];
  const activities = createTestingActivities({
    ppaClient: {
      ...createPpaClient({ rootUrl: 'http://127.0.0.1:1', timeoutMs: 1_000, logger }),
      getPublishedSources: async () => [{ self_link: 'http://127.0.0.1:1/hello' } as never],
      sourceFileUrls: async () => published,
    },
    store,
    sources: {
      ...TEST_SOURCES,
      rule: { ...TEST_SOURCES.rule, storeUrl: STORE },
    },
    logs: { hosts: [], idleTimeoutMs: 60_000 },
    database: database.now,
    logger,
    archive: createScriptedArchive(script, workDir),
    machine: createScriptedMachine(script, { name: 'tester-1', architecture: 'amd64', workDir }),
    limits: { imageMs: 60_000, testMs: 60_000, logMaxBytes: 1_000 },
  });
  return { activities, store };
}

type Kind = { testsuite?: string; packages?: string };

/** The files of the upload of hello 2.10-4, by their names. */
function uploadOf({
  testsuite = 'autopkgtest',
  packages = 'hello deb misc optional arch=any',
}: Kind = {}): Map<string, string> {
  const sum = (algorithm: string, name: string) =>
    createHash(algorithm).update(`content of ${name}`).digest('hex');
  const list = (algorithm: string) =>
    [ORIG, DEBIAN].map((name) => ` ${sum(algorithm, name)} ${11 + name.length} ${name}\n`).join('');
  const dsc = `Format: 3.0 (quilt)
Source: hello
Binary: hello
Architecture: any
Version: 2.10-4
Package-List:
 ${packages}
${testsuite === '' ? '' : `Testsuite: ${testsuite}\n`}Checksums-Sha1:
${list('sha1')}Checksums-Sha256:
${list('sha256')}Files:
${list('md5')}`;
  return new Map([
    [ORIG, `content of ${ORIG}`],
    [DEBIAN, `content of ${DEBIAN}`],
    [DSC, dsc],
    ['hello_2.10-4_source.changes', 'changes'],
  ]);
}

/** A landing of hello 2.10-4, whose upload has its files but for those that the test is about. */
async function landingOf({ without = '', ...kind }: Kind & { without?: string } = {}) {
  const { store } = openTester();
  const contents = uploadOf(kind);
  contents.delete(without);
  const files: string[] = [];
  for (const [name, content] of contents) {
    await store.put(`upload/${name}`, Readable.from([content]));
    files.push(store.urlOf(`upload/${name}`));
  }
  return landingOfFiles(files);
}

async function landingOfFiles(files: string[]): Promise<Landing> {
  const landing = await addLanding(database.now);
  const [first] = landing.packages;
  const subticketId = first?.subticketId ?? 0;
  return landing.update({
    packages: [{ subticketId, source: 'hello', version: '2.10-4', files }],
  });
}

async function imagesOf(): Promise<{ baseImageId: number; imageId: number }> {
  const { id: baseImageId } = await addImage(database.now);
  const { id: imageId } = await addImage(database.now, {
    kind: 'landing',
    baseImageId,
    binaries: [{ name: 'hello', version: '2.10-4' }],
  });
  return { baseImageId, imageId };
}

type Input = Parameters<ReturnType<typeof openTester>['activities']['planTests']>[0];

/** Plans the tests of a landing. @returns what the activity gives, and the rows of the runs */
async function plan({ id: landingId }: Landing, fields: Partial<Input> = {}) {
  const input: Input = {
    landingId,
    attempt: 1,
    architecture: 'amd64',
    ...('imageId' in fields ? { imageId: 0, baseImageId: 0 } : await imagesOf()),
    packages: [{ source: 'hello', version: '2.10-4' }],
    tests: 'reverse_dependencies',
    maxTestRuns: 200,
    ...fields,
  };
  const planned = await runActivity(openTester().activities.planTests, input);
  const rows = await database.now.TestRun.findAll({ where: { landingId }, order: ['id'] });
  expect(planned.runIds).toEqual(rows.map(({ id }) => id));
  return { ...planned, rows, input };
}
const names = (files: readonly string[]) => files.map((url) => url.split('/').at(-1));

/** Links a test suite to a ticket. @param source what it names */
async function linkSuite({ ticketId }: Landing, name: string, source: string): Promise<void> {
  const { SourcePackage, TestSuite, TicketTestSuite } = database.now;
  const { id: sourcePackageId } = await SourcePackage.findOrCreateOne({ name: source }, TESTS);
  const suite = await TestSuite.createOne({}, TESTS);
  await TestSuite.updateOne(suite.id, { name, sourcePackageId }, TESTS);
  await TicketTestSuite.createOne({ ticketId, testSuiteId: suite.id }, TESTS);
}

describe('the plan of the tests of a landing', () => {
  it('has a run for each source that is tested, with its files in the data store', async () => {
    play({ mksh: { version: '1:59-1', dependsOn: ['hello'] }, other: { dependsOn: ['ed'] } });
    const landing = await landingOf();
    const { rows, left } = await plan(landing);
    expect(left).toBe(0);
    expect(rows).toMatchObject([
      {
        source: 'hello',
        version: '2.10-4',
        architecture: 'amd64',
        reason: 'changed',
        why: 'is changed',
        state: 'queued',
        try: 1,
      },
      {
        source: 'mksh',
        version: '1:59-1',
        reason: 'depends',
        why: 'depends on hello',
        state: 'queued',
      },
    ]);
    expect(names(rows[0]?.files ?? [])).toEqual([ORIG, DEBIAN, 'hello_2.10-4.dsc']);
    expect(names(rows[1]?.files ?? [])).toEqual(['mksh_59-1.tar.xz', 'mksh_59-1.dsc']);
    const { store } = openTester();
    for (const url of rows[1]?.files ?? [])
      expect(await store.get(store.keyOf(url) ?? '')).toBeDefined();
  });

  it('has the sources of a target apart from those of the archive: another may have others', async () => {
    const target = '~team/debian/landed';
    play({ mksh: { dependsOn: ['hello'] } });
    const { imageId, baseImageId } = await imagesOf();
    await database.now.Image.update({ target }, { where: { id: baseImageId } });
    const { rows } = await plan(await landingOf(), { imageId, baseImageId });
    const { store } = openTester();
    expect(rows[1]?.files.map((url) => store.keyOf(url))).toEqual([
      `test-sources/${target}/mksh/1/mksh_1.tar.xz`,
      `test-sources/${target}/mksh/1/mksh_1.dsc`,
    ]);
  });

  it('is made once: a repeat gets what lacks, and adds nothing', async () => {
    play({ mksh: { dependsOn: ['hello'] } });
    const landing = await landingOf();
    const { rows, input, runIds } = await plan(landing);
    // As after a tester that died between the plan and its sources.
    await rows[1]?.update({ files: [] });
    play({ mksh: { dependsOn: ['hello'] }, late: { dependsOn: ['hello'] } });
    const again = await plan(landing, input);
    expect(again.runIds).toEqual(runIds);
    expect(names(again.rows[1]?.files ?? [])).toEqual(['mksh_1.tar.xz', 'mksh_1.dsc']);
  });

  it('has no run where nothing has tests', async () => {
    const { runIds, left } = await plan(await landingOf({ testsuite: '' }));
    expect({ runIds, left }).toEqual({ runIds: [], left: 0 });
  });

  it('has no run of a changed source on an architecture that it has no packages for', async () => {
    play({ mksh: { dependsOn: ['hello'] } });
    const packages = 'hello-arm deb misc optional arch=arm64';
    const { rows } = await plan(await landingOf({ packages }));
    expect(rows.map(({ source, reason }) => `${source} ${reason}`)).toEqual(['mksh depends']);
  });

  it.each([
    ['with tests', 'autopkgtest'],
    ['without tests, whose dependents cannot be found', ''],
  ])(
    'has a run that cannot be made of one that lacks its packages there: %s',
    async (_, testsuite) => {
      const packages = 'hello-bin deb misc optional arch=any';
      const { rows } = await plan(await landingOf({ testsuite, packages }));
      expect(rows).toMatchObject([
        {
          source: 'hello',
          reason: 'changed',
          state: 'unavailable',
          fault: 'The PPA has no packages of hello for amd64.',
        },
      ]);
    },
  );

  it('has no run of one that makes packages of the installer alone, which no image has', async () => {
    const packages = 'hello-udeb udeb debian-installer optional arch=any';
    const { rows } = await plan(await landingOf({ testsuite: '', packages }));
    expect(rows).toEqual([]);
  });

  it('leaves out what is too much, and says how much', async () => {
    play({ mksh: { dependsOn: ['hello'] }, shell: { triggers: ['hello'] } });
    const { rows, left } = await plan(await landingOf(), { maxTestRuns: 2 });
    expect(rows.map(({ source }) => source)).toEqual(['hello', 'mksh']);
    expect(left).toBe(1);
  });

  it('has the changed sources alone where the policy says so', async () => {
    play({ mksh: { dependsOn: ['hello'] } });
    const { rows } = await plan(await landingOf(), { tests: 'changed' });
    expect(rows.map(({ source }) => source)).toEqual(['hello']);
  });

  it("has the ticket's test suites, and says of one that cannot be run why", async () => {
    play({ smoke: {} });
    const landing = await landingOf();
    await linkSuite(landing, 'Smoke', 'smoke');
    await linkSuite(landing, 'Gone', 'gone');
    const { rows } = await plan(landing, { tests: 'changed' });
    expect(rows.slice(1)).toMatchObject([
      { source: 'smoke', reason: 'suite', why: 'is the test suite Smoke', state: 'queued' },
      {
        source: 'gone',
        reason: 'suite',
        state: 'unavailable',
        fault: 'The archive has no tests of gone.',
        endedAt: expect.any(Date),
      },
    ]);
  });

  it('has a run that cannot be made where a source cannot be had', async () => {
    play({ mksh: { dependsOn: ['hello'], fails: '404  Not Found' } });
    const { rows } = await plan(await landingOf());
    expect(rows[1]).toMatchObject({
      source: 'mksh',
      state: 'unavailable',
      fault: '404  Not Found',
      files: [],
    });
  });
});

describe('the files of a changed source', () => {
  it('come from the PPA where its upload leaves them out', async () => {
    const server = await startFileServer();
    try {
      published = [{ url: server.answer(ORIG, `content of ${ORIG}`), size: 1, sha256: '' }];
      const { rows } = await plan(await landingOf({ without: ORIG }));
      expect(names(rows[0]?.files ?? [])).toEqual([ORIG, DEBIAN, 'hello_2.10-4.dsc']);
      const { store } = openTester();
      expect(await store.get(store.keyOf(rows[0]?.files[0] ?? '') ?? '')).toBeDefined();
    } finally {
      await server.stop();
    }
  });

  it('cannot be had where the PPA has others, or none', async () => {
    const server = await startFileServer();
    const unavailable = {
      state: 'unavailable',
      fault: `Neither the data store nor the PPA has ${ORIG} as it was built.`,
    };
    try {
      expect((await plan(await landingOf({ without: ORIG }))).rows[0]).toMatchObject(unavailable);
      published = [{ url: server.answer(ORIG, 'something else'), size: 1, sha256: '' }];
      expect((await plan(await landingOf({ without: ORIG }))).rows[0]).toMatchObject(unavailable);
    } finally {
      await server.stop();
    }
  });
});

describe('the files of a changed source that are not in the data store', () => {
  let server: FileServer;
  beforeEach(async () => {
    server = await startFileServer();
  });
  afterEach(() => server.stop());

  /** What the PPA has published of hello 2.10-4. */
  function publish(contents: Map<string, string>): void {
    published = [...contents]
      .filter(([name]) => !name.endsWith('.changes'))
      .map(([name, content]) => ({
        url: server.answer(`ppa/${name}`, content),
        size: Buffer.byteLength(content),
        sha256: createHash('sha256').update(content).digest('hex'),
      }));
  }
  /** A landing of files at addresses that bring others than were built by the time that its tests are planned. */
  const landingElsewhere = () =>
    landingOfFiles(
      [...uploadOf({ testsuite: '' })].map(([name, content]) =>
        server.answer(`elsewhere/${name}`, name === DEBIAN ? 'tests that pass' : content),
      ),
    );

  it('are those that the PPA has published, and stay what they were at the plan', async () => {
    const built = uploadOf();
    publish(built);
    const { rows } = await plan(await landingElsewhere());
    expect(rows).toMatchObject([{ source: 'hello', reason: 'changed', state: 'queued' }]);
    const { store } = openTester();
    const files = rows[0]?.files ?? [];
    expect(names(files)).toEqual([ORIG, DEBIAN, DSC]);
    for (const url of files) {
      const stored = await store.get(store.keyOf(url) ?? url);
      expect(stored && (await text(stored.stream))).toBe(built.get(names([url])[0] ?? ''));
    }
  });

  it('are fetched once for all architectures of a landing', async () => {
    publish(uploadOf());
    const landing = await landingElsewhere();
    const { rows, input } = await plan(landing);
    const { planTests } = openTester().activities;
    const { runIds } = await runActivity(planTests, { ...input, architecture: 'arm64' });
    const others = await database.now.TestRun.findAll({ where: { id: runIds } });
    expect(others).toMatchObject([{ architecture: 'arm64', files: rows[0]?.files }]);
    for (const name of [ORIG, DEBIAN, DSC]) expect(server.asked(`ppa/${name}`)).toBe(1);
  });

  it('cannot be had where the PPA has no .dsc: its tests are not known', async () => {
    expect((await plan(await landingElsewhere())).rows).toMatchObject([
      {
        source: 'hello',
        reason: 'changed',
        state: 'unavailable',
        fault: `Neither the data store nor the PPA has ${DSC} as it was built.`,
      },
    ]);
  });

  it('cannot be had where the PPA brings others than it has published', async () => {
    publish(uploadOf());
    server.answer(`ppa/${DSC}`, uploadOf({ testsuite: '' }).get(DSC) ?? '');
    expect((await plan(await landingElsewhere())).rows).toMatchObject([
      { state: 'unavailable', fault: expect.stringContaining(DSC) },
    ]);
    publish(uploadOf());
    server.answer(`ppa/${DEBIAN}`, 'tests that pass');
    expect((await plan(await landingElsewhere())).rows).toMatchObject([
      { state: 'unavailable', fault: expect.stringContaining(DEBIAN) },
    ]);
  });
});

describe('what a changed source is compared with', () => {
  const compare = async (baseImageId: number, runIds: number[]) => {
    const made = await runActivity(openTester().activities.planBaselines, { baseImageId, runIds });
    const rows = await database.now.TestRun.findAll({ where: { id: made.runIds } });
    return { ids: made.runIds, rows };
  };

  it("is the archive's version with its own tests, once for all landings", async () => {
    play({ hello: { version: '2.10-3' } });
    const { input, runIds } = await plan(await landingOf(), { tests: 'changed' });
    const { rows, ids } = await compare(input.baseImageId, runIds);
    expect(rows).toMatchObject([
      {
        landingId: null,
        attempt: null,
        imageId: input.baseImageId,
        source: 'hello',
        version: '2.10-3',
        state: 'queued',
        try: 1,
      },
    ]);
    expect(names(rows[0]?.files ?? [])).toEqual(['hello_2.10-3.tar.xz', 'hello_2.10-3.dsc']);
    expect((await compare(input.baseImageId, runIds)).ids).toEqual(ids);
    await rows[0]?.update({ state: 'finished' });
    expect((await compare(input.baseImageId, runIds)).rows).toMatchObject([{ try: 2 }]);
  });

  it('can never be run where the archive has no tests of it', async () => {
    const { input, runIds } = await plan(await landingOf(), { tests: 'changed' });
    const { rows, ids } = await compare(input.baseImageId, runIds);
    expect(rows).toMatchObject([
      { state: 'unavailable', fault: 'The archive has no tests of hello.', version: '2.10-4' },
    ]);
    expect((await compare(input.baseImageId, runIds)).ids).toEqual(ids);
  });

  it('is asked for again where it could not be fetched', async () => {
    play({ hello: { version: '2.10-3', fails: '404  Not Found' } });
    const { input, runIds } = await plan(await landingOf(), { tests: 'changed' });
    const { rows } = await compare(input.baseImageId, runIds);
    expect(rows).toMatchObject([{ state: 'bed_failed', fault: '404  Not Found', try: 1 }]);
    play({ hello: { version: '2.10-3' } });
    expect((await compare(input.baseImageId, runIds)).rows).toMatchObject([
      { state: 'queued', try: 2 },
    ]);
  });
});
