import { ApplicationFailure } from '@temporalio/common';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { judgeTests } from '../../../activities/landing/judge-tests.ts';
import { createTestingActivities } from '../../../activities/testing/index.ts';
import { createScriptedArchive } from '../../../activities/testing/archive/scripted-archive.ts';
import { createScriptedMachine } from '../../../activities/testing/scripted-machine.ts';
import { ImageLost, ImageProblem } from '../../../activities/testing/test-machine.ts';
import type { SCRIPT } from '../../../activities/testing/test-script.ts';
import { ROW_UNKNOWN } from '../../../domain/testing/tester-activities.ts';
import type { TestResult, TestRunReason } from '../../../domain/testing/test-run.ts';
import type { Image } from '../../../models/landings/image.ts';
import type { Landing } from '../../../models/landings/landing.ts';
import type { TestRun } from '../../../models/landings/test-run.ts';
import { createPpaClient, type PpaClient } from '../../../ppa/client.ts';
import { createFileStore } from '../../../store/file.ts';
import { useDatabase } from '../../models/use-database.ts';
import { addImage, addLanding } from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { TEST_SOURCES } from '../../support/test-sources.ts';
import { keepLog, runActivity } from '../activity.ts';

const database = useDatabase();
const PLACE = { distribution: 'debian', series: 'bookworm', architecture: 'amd64' };
const PPA = { owner: 'airline', distribution: 'debian', name: 'silo' };
const [TAR, DSC] = ['hello_1.0.tar.xz', 'hello_1.0.dsc'];
const ANY_AGE = 86_400_000;
const NO_CANCELLATION = {
  cancelRequested: false,
  workerShutdown: false,
  notFound: false,
  paused: false,
  timedOut: false,
  reset: false,
};
const PASS: TestResult = { name: 'command1', status: 'PASS', detail: '' };

let directory: string;
let published: Record<string, string>;
/** What the PPA says of a package, besides its version. */
let kinds: Record<string, { section_name?: string; is_debug?: boolean }>;
let limits: Parameters<typeof createTestingActivities>[0]['limits'];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'scripted-tests-'));
  published = { hello: '1.0' };
  kinds = {};
  limits = { imageMs: 60_000, testMs: 60_000, logMaxBytes: 1_000 };
  play({});
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function play(script: z.input<typeof SCRIPT>, name = 'script.json'): void {
  writeFileSync(join(directory, name), JSON.stringify(script));
}

/** What a tester has, on a PPA that has published what the test says. */
function openTester({ name = 'tester-1', script = 'script.json', squashfs = false } = {}) {
  const { logger } = keepLog();
  const store = createFileStore({ directory, baseUrl: 'http://127.0.0.1:1/store' });
  const nothing = createPpaClient({ rootUrl: 'http://127.0.0.1:1', timeoutMs: 1_000, logger });
  const ppaClient: PpaClient = {
    ...nothing,
    getPublishedSources: async () => [{ status: 'Published', self_link: 'x' } as never],
    getBuilds: async () => [],
    getPublishedBinaries: async () =>
      Object.entries(published).map(
        ([name, version]) =>
          ({
            status: 'Published',
            binary_package_name: name,
            binary_package_version: version,
            distro_arch_series_link: 'http://lp/debian/bookworm/amd64',
            ...kinds[name],
          }) as never,
      ),
  };
  const machine = createScriptedMachine(join(directory, script), {
    name,
    architecture: 'amd64',
    workDir: join(directory, 'work'),
    squashfs,
  });
  const archive = createScriptedArchive(join(directory, script), join(directory, 'work'));
  const activities = createTestingActivities({
    ppaClient,
    store,
    sources: {
      ...TEST_SOURCES,
      rule: {
        hosts: [],
        refusedPorts: [],
        storeUrl: 'http://127.0.0.1:1/store',
        privateNetworks: [],
      },
    },
    database: database.now,
    logger,
    logs: { hosts: [], idleTimeoutMs: 1_000 },
    archive,
    machine,
    limits,
  });
  return { activities, store, machine, archive };
}

/** Has the target publish, once or once more; undefined: nothing. */
type Publish = (release: string | undefined) => void;

/** A tester of a target, which makes base images of what it has published by then. */
function openTesterOf(target: string) {
  const tester = openTester();
  const { makeBase: make } = { ...tester.machine };
  let published: string | undefined;
  const publish: Publish = (release) => (published = release);
  jest.spyOn(tester.archive, 'targetRelease').mockImplementation(async () => published);
  const makeBase = jest.spyOn(tester.machine, 'makeBase');
  makeBase.mockImplementation(async (place, context) => ({
    ...(await make(place, context)),
    releases: { 'ppa.example/InRelease': published ?? '', 'mirror.example/InRelease': 'b' },
  }));
  const ask = async (maxAgeMs = ANY_AGE) => {
    const input = { ...PLACE, target, maxAgeMs };
    const { imageId } = await runActivity(tester.activities.makeBaseImage, input);
    return database.now.Image.findByPk(imageId, { rejectOnEmpty: true });
  };
  return { ...tester, ask, publish, madeFor: () => makeBase.mock.calls.map(([place]) => place) };
}

const makeBase = (maxAgeMs = ANY_AGE) =>
  runActivity(openTester().activities.makeBaseImage, { ...PLACE, maxAgeMs });

async function makeLanding(landing: Landing, baseImageId: number, tester = openTester()) {
  return runActivity(tester.activities.makeLandingImage, {
    landingId: landing.id,
    attempt: 1,
    baseImageId,
    ppa: PPA,
    packages: [{ source: 'hello', version: '1.0' }],
  });
}

/** Judges the tests that a landing has in an image. */
function judge(
  { id: landingId }: Landing,
  made: { baseImageId: number; imageId: number },
  ran: Parameters<ReturnType<typeof judgeTests>>[0]['ran'] = [],
) {
  return judgeTests({ database: database.now })({
    landingId,
    attempt: 1,
    images: [{ architecture: 'amd64', ...made }],
    left: 0,
    ran,
    testBedTries: 1,
    baselineMaxAgeDays: 1,
  });
}

/** Removes the file of an image, as an operator does whose disk is full. */
async function removeFile({ url }: Image): Promise<void> {
  const { store } = openTester();
  await store.remove(store.keyOf(url) ?? '');
}

/** What the data store has at the address of an image; undefined where nothing is there. */
async function fileOf({ url }: Image): Promise<string | undefined> {
  const { store } = openTester();
  const stored = await store.get(store.keyOf(url) ?? '');
  return stored && text(stored.stream);
}

function newLanding(): Promise<Landing> {
  return addLanding(database.now);
}

/** Stores hello 1.0, after a test has changed it. @returns the URLs of its files */
async function storeSource(change: (contents: Map<string, string>) => void = () => undefined) {
  const { store } = openTester();
  const contents = new Map<string, string>();
  const archive = createScriptedArchive(join(directory, 'script.json'), join(directory, 'work'));
  await archive.fetchSources(
    PLACE,
    [{ source: 'hello', version: '1.0' }],
    async (_, folder) => {
      for (const name of [TAR, DSC]) contents.set(name, readFileSync(join(folder, name), 'utf8'));
    },
    new AbortController().signal,
  );
  change(contents);
  for (const [name, content] of contents) await store.put(name, Readable.from([content]));
  return [...contents.keys()].map((name) => store.urlOf(name));
}

const OF_HELLO = {
  source: 'hello',
  version: '1.0',
  architecture: 'amd64',
  reason: 'changed',
  why: 'it is landed',
} as const;

/** A run of a landing, in an image of its own. */
async function addRun(fields: { reason?: TestRunReason; files?: string[] } = {}): Promise<TestRun> {
  const landing = await newLanding();
  const { imageId } = await makeLanding(landing, (await makeBase()).imageId);
  return database.now.TestRun.create({
    landingId: landing.id,
    attempt: 1,
    imageId,
    ...OF_HELLO,
    files: fields.files ?? (await storeSource()),
    ...fields,
  });
}

/** A run of the archive's own version, which landings are compared with. */
async function addBaseline(): Promise<TestRun> {
  const { imageId } = await makeBase(0);
  const files = await storeSource();
  return database.now.TestRun.create({ imageId, ...OF_HELLO, files });
}

const run = ({ id: runId }: TestRun, options: Parameters<typeof runActivity>[2] = {}) =>
  runActivity(openTester().activities.runTest, { runId }, options);

/** Runs a test that hangs, and cancels it for a reason once it runs. */
async function runUntilCancelled(
  row: TestRun,
  why: Partial<typeof NO_CANCELLATION>,
): Promise<void> {
  let cancel = () => undefined as void;
  const running = run(row, {
    prepare: (environment) => {
      cancel = () => environment.cancel('CANCELLED', { ...NO_CANCELLATION, ...why });
    },
  });
  running.catch(() => undefined);
  await until('it runs', async () => (await row.reload()).state === 'running', 60_000);
  cancel();
  await expect(running).rejects.toThrow();
}

async function artifactsOf(landingId: number | null) {
  const landing = await database.now.Landing.findByPk(landingId ?? 0, { rejectOnEmpty: true });
  const { ticketId } = landing;
  return database.now.TicketArtifact.findAll({ where: { ticketId }, order: ['id'], raw: true });
}

describe('a base image', () => {
  it('is made once where two ask at once, and taken again', async () => {
    const [one, other] = await Promise.all([makeBase(), makeBase()]);
    expect(other).toEqual(one);
    expect(await makeBase()).toEqual(one);
    const row = await database.now.Image.findByPk(one.imageId, { rejectOnEmpty: true });
    expect(row).toMatchObject({ ...PLACE, kind: 'base', format: 'tar', baseImageId: null });
    const { store } = openTester();
    const key = store.keyOf(row.manifestUrl) ?? '';
    expect(await text((await store.get(key))?.stream ?? Readable.from([]))).toBe('base-files 1\n');
  });

  it('is made anew where it is too old', async () => {
    const { imageId } = await makeBase();
    expect((await makeBase(0)).imageId).toBeGreaterThan(imageId);
  });

  it('is made once for all that want a new one while an earlier one is made', async () => {
    const { activities, archive, machine } = openTester();
    const { makeBase: make } = { ...machine };
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const making = jest.spyOn(machine, 'makeBase');
    making.mockImplementation(async (...asked) => {
      await held;
      return make(...asked);
    });
    const looks = jest.spyOn(archive, 'targetRelease');
    const ask = () => runActivity(activities.makeBaseImage, { ...PLACE, maxAgeMs: 0 });
    const earlier = ask();
    await until('it is being made', () => making.mock.calls.length === 1, 60_000);
    const before = looks.mock.calls.length;
    const later = [ask(), ask(), ask(), ask()];
    await until('all have asked', () => looks.mock.calls.length === before + 4, 60_000);
    release();
    const { imageId } = await earlier;
    const ids = new Set((await Promise.all(later)).map((image) => image.imageId));
    expect([...ids]).toEqual([expect.any(Number)]);
    expect(ids).not.toContain(imageId);
    expect(making).toHaveBeenCalledTimes(2);
  });

  it('is made anew where its file is gone from the data store', async () => {
    const { Image } = database.now;
    const { imageId } = await makeBase();
    const first = await Image.findByPk(imageId, { rejectOnEmpty: true });
    await removeFile(first);
    const again = await Image.findByPk((await makeBase()).imageId, { rejectOnEmpty: true });
    expect(again.id).toBeGreaterThan(imageId);
    expect(await fileOf(again)).toMatch(/^debian bookworm amd64 /);
    expect(await makeBase()).toEqual({ imageId: again.id });
  });

  it('is that of the mirrors alone as long as the target has published nothing', async () => {
    const { imageId } = await makeBase();
    const { ask } = openTesterOf('~team/debian/empty');
    expect(await ask()).toMatchObject({ id: imageId, target: null });
  });

  it('has what the target has, and is made anew where that has published since', async () => {
    const target = '~team/debian/landed';
    const { imageId: ofMirrors } = await makeBase();
    const { ask, publish, madeFor } = openTesterOf(target);
    publish('one');
    const first = await ask();
    expect(first).toMatchObject({ ...PLACE, target, kind: 'base' });
    expect((await ask()).id).toBe(first.id);
    publish('two');
    const second = await ask();
    expect(second.id).toBeGreaterThan(first.id);
    expect((await ask()).id).toBe(second.id);
    expect((await ask(0)).id).toBeGreaterThan(second.id);
    expect(madeFor()).toEqual(Array.from({ length: 3 }, () => ({ ...PLACE, target })));
    expect(await makeBase()).toEqual({ imageId: ofMirrors });
  });

  it('is not that of another target', async () => {
    const [one, other] = ['~team/debian/one', '~team/debian/other'].map(openTesterOf);
    one?.publish('same');
    other?.publish('same');
    const made = await one?.ask();
    expect((await other?.ask())?.id).not.toBe(made?.id);
  });

  it('is made by no guess where the target cannot be asked', async () => {
    const { ask, archive, madeFor } = openTesterOf('~team/debian/away');
    jest.spyOn(archive, 'targetRelease').mockRejectedValue(new Error('503'));
    await expect(ask()).rejects.toThrow('503');
    expect(madeFor()).toEqual([]);
  });

  it('that cannot be made says why, and another try may make it', async () => {
    play({ images: { base: { fails: 'no mirror', times: 1 } } });
    const { activities } = openTester();
    const ask = () => runActivity(activities.makeBaseImage, { ...PLACE, maxAgeMs: 0 });
    await expect(ask()).rejects.toThrow('no mirror');
    await expect(ask()).resolves.toEqual({ imageId: expect.any(Number) });
  });

  it('that cannot be made is tried again after minutes, and given up at the third such try, whatever else has failed before', async () => {
    play({ images: { base: { fails: 'no mirror' } } });
    const { activities } = openTester();
    let heartbeatDetails: unknown;
    const failureAt = (attempt: number) =>
      runActivity(
        activities.makeBaseImage,
        { ...PLACE, maxAgeMs: 0 },
        {
          info: { attempt, heartbeatDetails },
          onHeartbeat: (details) => (heartbeatDetails = structuredClone(details)),
        },
      ).catch((reason: unknown) => reason);
    const failures = [await failureAt(6), await failureAt(7), await failureAt(8)];
    const failure = { type: 'ImageProblem', message: expect.stringContaining('no mirror') };
    expect(failures).toMatchObject([
      { ...failure, nonRetryable: false, nextRetryDelay: 120_000 },
      { ...failure, nonRetryable: false, nextRetryDelay: 600_000 },
      { ...failure, nonRetryable: true },
    ]);
  });

  it('that fails for something else tells the next try what it has been told', async () => {
    const { activities, machine } = openTester();
    jest.spyOn(machine, 'makeBase').mockRejectedValue(new Error('the database is away'));
    const told: unknown[] = [];
    const asked = runActivity(
      activities.makeBaseImage,
      { ...PLACE, maxAgeMs: 0 },
      {
        info: { attempt: 3, heartbeatDetails: { problems: 2 } },
        onHeartbeat: (details) => told.push(structuredClone(details)),
      },
    );
    const error = await asked.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: 'the database is away' });
    expect(error).not.toHaveProperty('nextRetryDelay');
    expect(told.at(-1)).toMatchObject({ problems: 2 });
  });

  it('that takes too long is given up as one that cannot be made', async () => {
    limits.imageMs = 300;
    play({ images: { base: { durationMs: 60_000 } } });
    const asked = runActivity(
      openTester().activities.makeBaseImage,
      { ...PLACE, maxAgeMs: 0 },
      { info: { heartbeatDetails: { problems: 2 } } },
    );
    await expect(asked).rejects.toMatchObject({
      nonRetryable: true,
      message: 'The image took longer than 300 ms.',
    });
  });
});

describe("a landing's image", () => {
  it('is made once for the same packages, and is an artifact of each ticket that is tested in it', async () => {
    const [landing, another] = [await newLanding(), await newLanding()];
    const base = await makeBase(0);
    const made = await makeLanding(landing, base.imageId);
    expect(await makeLanding(landing, base.imageId)).toEqual(made);
    expect(await makeLanding(another, base.imageId)).toEqual(made);
    const row = await database.now.Image.findByPk(made.imageId, { rejectOnEmpty: true });
    expect(row).toMatchObject({
      ...PLACE,
      kind: 'landing',
      baseImageId: base.imageId,
      binaries: [{ name: 'hello', version: '1.0' }],
    });
    for (const one of [landing, another]) {
      await judge(one, { baseImageId: base.imageId, ...made });
      expect(await artifactsOf(one.id)).toEqual([
        expect.objectContaining({ type: 'IMAGE', image: 'built', reference: row.url }),
      ]);
    }
    published = { hello: '1.1' };
    expect(await makeLanding(landing, base.imageId)).not.toEqual(made);
  });

  it('is no artifact of its ticket where another was made before anything was tested in it', async () => {
    const landing = await newLanding();
    const tester = openTester();
    const { makeBase: make } = { ...tester.machine };
    let begun = 0;
    // As a real one: no two base images have the same bytes.
    jest.spyOn(tester.machine, 'makeBase').mockImplementation(async (place, context) => {
      const made = await make(place, context);
      writeFileSync(made.path, `base image ${(begun += 1)}`);
      return made;
    });
    const urls: string[] = [];
    let last = { baseImageId: 0, imageId: 0 };
    for (let round = 0; round < 3; round += 1) {
      const ask = { ...PLACE, maxAgeMs: 0 };
      const { imageId: baseImageId } = await runActivity(tester.activities.makeBaseImage, ask);
      last = { baseImageId, ...(await makeLanding(landing, baseImageId, tester)) };
      urls.push((await database.now.Image.findByPk(last.imageId, { rejectOnEmpty: true })).url);
    }
    expect(new Set(urls).size).toBe(3);
    for (let time = 0; time < 2; time += 1) {
      await judge(landing, last);
      const artifacts = await artifactsOf(landing.id);
      expect(artifacts.map(({ reference }) => reference)).toEqual(urls.slice(-1));
    }
  });

  it("has the PPA's packages of the series that they are built for, not of the target's", async () => {
    const landing = await addLanding(database.now, {
      series: 'bullseye',
      targetSeries: 'bookworm',
    });
    const { imageId } = await makeBase();
    const tester = openTester();
    const made = jest.spyOn(tester.machine, 'makeLanding');
    await makeLanding(landing, imageId, tester);
    expect(made.mock.calls).toMatchObject([
      [{}, { series: 'bookworm', ppaSeries: 'bullseye' }, {}],
    ]);
  });

  it.each([
    ['debian', null, true],
    ['~team/debian/landed', null, false],
    ['~team/debian/landed', '~team/debian/landed', true],
  ])(
    'for %s on a base of %s takes its packages alone of the PPA: %s',
    async (target, of, isAlone) => {
      const landing = await addLanding(database.now, { target });
      // No other test has made this image.
      published = { hello: `2.${target.length}${of?.length}` };
      const imageId =
        of === null
          ? (await makeBase()).imageId
          : (await addImage(database.now, { target: of })).id;
      const tester = openTester();
      const made = jest.spyOn(tester.machine, 'makeLanding');
      const { imageId: id } = await makeLanding(landing, imageId, tester);
      expect(made.mock.calls).toMatchObject([[{}, { isAlone, target: of }, {}]]);
      expect(await database.now.Image.findByPk(id)).toMatchObject({ target: of });
    },
  );

  it('has no debug symbols and nothing of the installer: the index that apt reads does not', async () => {
    const landing = await newLanding();
    const { imageId } = await makeBase();
    published = { hello: '1.3', 'hello-dbgsym': '1.3', 'hello-udeb': '1.3' };
    kinds = {
      hello: { section_name: 'devel', is_debug: false },
      'hello-dbgsym': { section_name: 'debug', is_debug: true },
      'hello-udeb': { section_name: 'debian-installer', is_debug: false },
    };
    const { imageId: id } = await makeLanding(landing, imageId);
    expect(await database.now.Image.findByPk(id)).toMatchObject({
      binaries: [{ name: 'hello', version: '1.3' }],
    });
  });

  it('is not tried again where the database does not know its base image, as after a restore', async () => {
    const error: unknown = await makeLanding(await newLanding(), 987_654).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject({
      nonRetryable: true,
      message: 'the database does not know image 987654, as after a restore',
    });
  });

  it('is made at a later try where the PPA has not published all of a source', async () => {
    const landing = await newLanding();
    const { imageId } = await makeBase();
    published = {};
    const tester = openTester();
    const made = jest.spyOn(tester.machine, 'makeLanding');
    const error: unknown = await makeLanding(landing, imageId, tester).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      message: '~airline/debian/silo has not published all of hello 1.0.',
    });
    expect(error).not.toBeInstanceOf(ApplicationFailure);
    expect(made).not.toHaveBeenCalled();
    published = { hello: '1.4' };
    await makeLanding(landing, imageId, tester);
    expect(made).toHaveBeenCalledTimes(1);
  });

  it('whose packages cannot be installed is given up at the first try', async () => {
    const landing = await newLanding();
    const { imageId } = await makeBase();
    published = { hello: '1.2' };
    play({ images: { landing: { fails: 'hello needs gone', uninstallable: true } } });
    const error: unknown = await makeLanding(landing, imageId).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject({
      type: 'uninstallable',
      nonRetryable: true,
      message: 'hello needs gone',
    });
  });
});

describe("a landing's image as a squashfs file", () => {
  it('is made once, beside the tar file that tests run in, where the tester makes these', async () => {
    const [landing, another] = [await newLanding(), await newLanding()];
    const { imageId: baseImageId } = await makeBase();
    const made = await makeLanding(landing, baseImageId);
    expect(await makeLanding(landing, baseImageId, openTester({ squashfs: true }))).toEqual(made);
    expect(await makeLanding(another, baseImageId, openTester({ squashfs: true }))).toEqual(made);
    const { Image } = database.now;
    const tar = await Image.findByPk(made.imageId, { rejectOnEmpty: true });
    const [squashfs, ...more] = await Image.findAll({ where: { format: 'squashfs' } });
    expect(more).toEqual([]);
    expect(squashfs).toMatchObject({
      ...PLACE,
      kind: 'landing',
      baseImageId,
      binaries: tar.binaries,
      manifestUrl: tar.manifestUrl,
      url: expect.stringMatching(/\.squashfs$/),
    });
    const { store } = openTester();
    const stored = await store.get(store.keyOf(squashfs?.url ?? '') ?? '');
    const content = await text(stored?.stream ?? Readable.from([]));
    expect(content).toBe(`squashfs of ${tar.sha256}\n`);
    expect(squashfs?.sha256).toBe(createHash('sha256').update(content).digest('hex'));
    expect(squashfs?.size).toBe(content.length);
    for (const one of [landing, another]) {
      await judge(one, { baseImageId, ...made });
      expect(await artifactsOf(one.id)).toMatchObject([
        { type: 'IMAGE', reference: tar.url },
        { type: 'IMAGE', reference: squashfs?.url },
      ]);
    }
  });

  it('is made anew, as is the tar file, where the data store has lost them, and keeps its row', async () => {
    const { Image } = database.now;
    const { imageId: baseImageId } = await makeBase();
    const make = async () => {
      const landing = await newLanding();
      const { imageId } = await makeLanding(landing, baseImageId, openTester({ squashfs: true }));
      const tar = await Image.findByPk(imageId, { rejectOnEmpty: true });
      const found = await Image.findOne({
        where: { baseImageId, format: 'squashfs' },
        rejectOnEmpty: true,
      });
      return { landing, images: [tar, found] };
    };
    published = { hello: '1.5' };
    const first = await make();
    for (const image of first.images) await removeFile(image);
    const { landing, images } = await make();
    const urls = images.map(({ url }) => url);
    await judge(landing, { baseImageId, imageId: images[0]?.id ?? 0 });
    expect(images.map(({ id }) => id)).toEqual(first.images.map(({ id }) => id));
    for (const image of images)
      expect(
        createHash('sha256')
          .update((await fileOf(image)) ?? '')
          .digest('hex'),
      ).toBe(image.sha256);
    expect((await artifactsOf(landing.id)).map(({ reference }) => reference)).toEqual(urls);
    expect((await make()).images.map(({ url }) => url)).toEqual(urls);
  });
});

describe('a test run', () => {
  it('that passes has its results, its log and its artifacts, and is not run again', async () => {
    const row = await addRun({ reason: 'depends' });
    expect(await run(row)).toEqual({ state: 'finished', exitCode: 0 });
    await row.reload();
    expect(row).toMatchObject({
      state: 'finished',
      tester: 'tester-1',
      results: [PASS],
      exercised: [{ name: 'hello', version: '1.0' }],
      fault: null,
    });
    const { store } = openTester();
    const log = await store.get(store.keyOf(row.logUrl ?? '') ?? '');
    expect(await text(log?.stream ?? Readable.from([]))).toBe('Scripted tests of hello 1.0\n');
    expect(await artifactsOf(row.landingId)).toMatchObject([
      { type: 'LOGS', name: 'hello_1.0_amd64.test.log', reference: row.logUrl },
      { type: 'RESULTS', name: 'hello_1.0_amd64.tests.json' },
    ]);
    play({ sources: { hello: { landing: [{ exitCode: 16 }] } } });
    expect(await run(row)).toEqual({ state: 'finished', exitCode: 0 });
  });

  it.each(['run', 'compare', 'judge'] as const)(
    'that the database does not know, as after a restore, is not asked for again: %s',
    async (what) => {
      const landing = await newLanding();
      const { imageId: baseImageId } = await makeBase();
      const { imageId } = await makeLanding(landing, baseImageId);
      const { activities } = openTester();
      const runId = 987_654;
      const asked = {
        run: () => runActivity(activities.runTest, { runId }),
        compare: () => runActivity(activities.planBaselines, { baseImageId, runIds: [runId] }),
        judge: () => judge(landing, { baseImageId, imageId }, [{ runId, fault: 'gone' }]),
      };
      await expect(asked[what]()).rejects.toMatchObject({
        nonRetryable: true,
        type: ROW_UNKNOWN,
        message: 'the database does not know test run 987654, as after a restore',
      });
    },
  );

  it('whose image the database does not know, as after a restore, is not judged again', async () => {
    const { imageId: baseImageId } = await makeBase();
    const judged = judge(await newLanding(), { baseImageId, imageId: 987_654 });
    await expect(judged).rejects.toMatchObject({
      nonRetryable: true,
      type: ROW_UNKNOWN,
      message: 'the database does not know image 987654, as after a restore',
    });
  });

  it('that fails is finished, and says which test', async () => {
    const failure: TestResult = { name: 'a', status: 'FAIL', detail: 'timed out' };
    play({ sources: { hello: { landing: [{ results: [failure] }, {}] } } });
    const row = await addRun();
    expect(await run(row)).toEqual({ state: 'finished', exitCode: 4 });
    expect((await row.reload()).results).toEqual([failure]);
  });

  it.each([
    ['a NUL', 'a\0b', 'a␀b'],
    ['a character that is cut in two', `${'x'.repeat(479)}😀`, `${'x'.repeat(479)}<U+D83D>`],
  ])('that fails says so, though its summary has %s', async (_, unknown, shown) => {
    const summary = `smoke FAIL exit 1\nodd SKIP unknown restriction ${unknown}\n`;
    play({ sources: { hello: { landing: [{ summary, exitCode: 6 }] } } });
    const row = await addRun();
    expect(await run(row)).toEqual({ state: 'finished', exitCode: 6 });
    expect((await row.reload()).results).toEqual([
      { name: 'smoke', status: 'FAIL', detail: 'exit 1' },
      { name: 'odd', status: 'SKIP', detail: `unknown restriction ${shown}` },
    ]);
  });

  it.each([
    ['autopkgtest fails', { exitCode: 16, summary: 'testbed failure: gone\n' }, 'gone'],
    ['no testinfo.json is left', { testinfo: false }, 'no complete results'],
    [
      'another version was installed',
      { installed: [{ name: 'hello', version: '0.9' }] },
      'hello 0.9 was installed, not 1.0.',
    ],
  ])("is the test bed's fault where %s", async (_, scripted, fault) => {
    play({ sources: { hello: { landing: [scripted] } } });
    const row = await addRun();
    expect(await run(row)).toMatchObject({ state: 'bed_failed' });
    expect((await row.reload()).fault).toContain(fault);
  });

  it("is the test bed's fault where it takes too long", async () => {
    limits.testMs = 300;
    play({ sources: { '*': { landing: [{ hang: true }] } } });
    const row = await addRun();
    expect(await run(row)).toEqual({ state: 'bed_failed', exitCode: null });
    expect((await row.reload()).fault).toContain('300 ms');
  });

  it('has its source in a folder with nothing else, which its log is not in', async () => {
    const { activities, machine } = openTester();
    const { runTest } = { ...machine };
    let found: string[] = [];
    jest.spyOn(machine, 'runTest').mockImplementation((request, context) => {
      found = readdirSync(dirname(request.dsc));
      return runTest(request, context);
    });
    await runActivity(activities.runTest, { runId: (await addRun()).id });
    expect(found.toSorted()).toEqual([DSC, TAR].toSorted());
  });

  it('is unavailable where its source cannot be had', async () => {
    const row = await addRun({ files: ['http://elsewhere.example/hello_1.0.dsc'] });
    expect(await run(row)).toEqual({ state: 'unavailable', exitCode: null });
  });

  it.each([
    ['has no checksums', DSC, (dsc: string) => dsc.replace(/^Checksums-Sha256:\n .*\n/m, '')],
    ['lists a file that differs', TAR, () => 'hello 1.1\n'],
    ['lists a file that is longer', TAR, (tar: string) => `${tar}more`],
    ['lists a file that is missing', TAR, () => undefined],
  ])('is unavailable, and nothing of it is run, where the .dsc %s', async (_, name, change) => {
    const files = await storeSource((contents) => {
      const changed = change(contents.get(name) ?? '');
      if (changed === undefined) contents.delete(name);
      else contents.set(name, changed);
    });
    const row = await addRun({ files });
    expect(await run(row)).toEqual({ state: 'unavailable', exitCode: null });
    await row.reload();
    expect(row.fault).toMatch(/Checksums-Sha256|hello_1\.0\.tar\.xz/);
    const { store } = openTester();
    const log = await store.get(store.keyOf(row.logUrl ?? '') ?? '');
    expect(await text(log?.stream ?? Readable.from([]))).not.toContain('Scripted tests');
  });

  it.each([
    ['that is cancelled ends as such', { cancelRequested: true }, 'cancelled'],
    ['whose tester stops is left to another', { workerShutdown: true }, 'running'],
  ])('%s', async (_, why, state) => {
    play({ sources: { hello: { landing: [{ hang: true }] } } });
    const row = await addRun();
    await runUntilCancelled(row, why);
    expect((await row.reload()).state).toBe(state);
  });

  it('whose tester stops has not begun for the next one', async () => {
    play({ sources: { hello: { landing: [{ hang: true }] } } });
    const row = await addRun();
    let [told, confirmed]: unknown[] = [];
    let stop = () => undefined as void;
    const running = run(row, {
      info: { heartbeatDetails: { begun: 2 } },
      onHeartbeat: (details) => (told = structuredClone(details)),
      onConfirm: async (details) => void (confirmed = details),
      prepare: (environment) => {
        stop = () => environment.cancel('CANCELLED', { ...NO_CANCELLATION, workerShutdown: true });
      },
    });
    running.catch(() => undefined);
    await until('it begins', () => confirmed !== undefined);
    stop();
    await expect(running).rejects.toThrow();
    expect(confirmed).toMatchObject({ begun: 3 });
    expect(told).toMatchObject({ begun: 2 });
  });

  /** A try of a run by a tester of its own. @param heartbeatDetails what the try before it has told */
  const tryRun = async (row: TestRun, tester: ReturnType<typeof openTester>, details?: unknown) => {
    let told: unknown;
    const options = {
      info: { heartbeatDetails: details },
      onHeartbeat: (said: unknown) => (told = structuredClone(said)),
    };
    const running = runActivity(tester.activities.runTest, { runId: row.id }, options);
    const failure = await running.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { told, failure };
  };

  it.each([
    ['the data store takes no log', 'store'],
    ['its image cannot be had', 'machine'],
    ['Temporal does not answer', 'temporal'],
  ])('has not begun where %s', async (_, away) => {
    const row = await addRun();
    const { activities, store, machine } = openTester();
    const fault = new Error('it is away');
    if (away === 'store') jest.spyOn(store, 'put').mockRejectedValue(fault);
    if (away === 'machine') jest.spyOn(machine, 'runTest').mockRejectedValue(fault);
    let told: unknown;
    const running = runActivity(
      activities.runTest,
      { runId: row.id },
      {
        info: { heartbeatDetails: { begun: 2 } },
        onHeartbeat: (details) => (told = structuredClone(details)),
        onConfirm: async () => {
          if (away === 'temporal') throw fault;
        },
      },
    );
    const failure: unknown = await running.catch((reason: unknown) => reason);
    expect(failure).toBe(fault);
    expect(told).toMatchObject({ begun: 2 });
  });

  it('is given up at once where the data store has lost its image, and not where a tester lacks something', async () => {
    const row = await addRun();
    const tester = openTester();
    const failing = jest.spyOn(tester.machine, 'runTest');
    const none = new ImageProblem('This machine has no apt source.');
    failing.mockRejectedValueOnce(none);
    expect((await tryRun(row, tester)).failure).toBe(none);
    failing.mockRejectedValueOnce(new ImageLost('It is gone.'));
    const { failure } = await tryRun(row, tester);
    expect(failure).toMatchObject({ message: 'It is gone.', nonRetryable: true });
  });

  it('tells Temporal that it begins before it does', async () => {
    play({ sources: { hello: { landing: [{ hang: true }] } } });
    const row = await addRun();
    const { activities, machine } = openTester();
    const { runTest } = { ...machine };
    const order: unknown[] = [];
    jest
      .spyOn(machine, 'runTest')
      .mockImplementation((request, context) =>
        runTest(request, { ...context, onOutput: () => order.push('it runs') }),
      );
    let cancel = () => undefined as void;
    const running = runActivity(
      activities.runTest,
      { runId: row.id },
      {
        onConfirm: async (details) => void order.push(details),
        prepare: (environment) => {
          cancel = () => environment.cancel('CANCELLED', NO_CANCELLATION);
        },
      },
    );
    running.catch(() => undefined);
    await until('it runs', () => order.length > 1, 60_000);
    cancel();
    await expect(running).rejects.toThrow();
    expect(order).toEqual([expect.objectContaining({ begun: 1 }), 'it runs']);
  });

  it('that fails once it has begun is begun three times, and then says what was wrong', async () => {
    const row = await addRun();
    const tester = openTester();
    const runs = jest.spyOn(tester.machine, 'runTest');
    runs.mockImplementation(async (_, { begin }) => {
      await begin();
      throw new Error('the disk is full');
    });
    const first = await tryRun(row, tester);
    const second = await tryRun(row, tester, first.told);
    const third = await tryRun(row, tester, second.told);
    expect([first, second, third].map(({ failure }) => failure)).toMatchObject([
      { message: 'the disk is full' },
      { message: 'the disk is full' },
      { message: 'the disk is full', nonRetryable: true },
    ]);
    expect(first.failure).not.toBeInstanceOf(ApplicationFailure);
    expect(second.failure).not.toBeInstanceOf(ApplicationFailure);
    expect(runs).toHaveBeenCalledTimes(3);
  });

  it('whose testers have died three times is given up, and its log stays', async () => {
    const row = await addRun();
    const tester = openTester();
    const runs = jest.spyOn(tester.machine, 'runTest');
    const put = jest.spyOn(tester.store, 'put');
    const { failure } = await tryRun(row, tester, { begun: 3 });
    expect(failure).toMatchObject({
      nonRetryable: true,
      message: 'The tests were begun 3 times, and no tester came to their end.',
    });
    expect(runs).not.toHaveBeenCalled();
    expect(put).not.toHaveBeenCalled();
  });

  it.each(['.artifacts.tar.gz', '.test.log', '.tests.json'])(
    'is not made again where the data store refuses its %s at first',
    async (refused) => {
      const row = await addRun();
      const { activities, store, machine } = openTester();
      const artifacts = join(directory, 'artifacts.tar.gz');
      writeFileSync(artifacts, 'artifacts');
      const { runTest } = { ...machine };
      let isOver = false;
      const runs = jest.spyOn(machine, 'runTest');
      runs.mockImplementation(async (...request) => {
        const outcome = await runTest(...request);
        isOver = true;
        return { ...outcome, artifacts };
      });
      const { put } = { ...store };
      let refusals = 0;
      jest.spyOn(store, 'put').mockImplementation(async (key, stream, ...more) => {
        if (isOver && key.endsWith(refused) && refusals === 0) {
          refusals += 1;
          stream.destroy();
          throw new Error('the data store is away');
        }
        return put(key, stream, ...more);
      });
      const end = await runActivity(activities.runTest, { runId: row.id });
      expect(end).toEqual({ state: 'finished', exitCode: 0 });
      expect(refusals).toBe(1);
      expect(runs).toHaveBeenCalledTimes(1);
      const log = await store.get(store.keyOf((await row.reload()).logUrl ?? '') ?? '');
      expect(await text(log?.stream ?? Readable.from([]))).toBe('Scripted tests of hello 1.0\n');
      expect(row.artifactsUrl).not.toBeNull();
    },
  );

  it('heartbeats until all that it leaves is stored', async () => {
    const row = await addRun();
    const { activities, store } = openTester();
    const { put } = { ...store };
    let isStoring = false;
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    jest.spyOn(store, 'put').mockImplementation(async (key, ...more) => {
      if (key.endsWith('.tests.json')) {
        isStoring = true;
        await held;
      }
      return put(key, ...more);
    });
    let heartbeats = 0;
    const running = runActivity(
      activities.runTest,
      { runId: row.id },
      { onHeartbeat: () => (heartbeats += 1) },
    );
    await until('its results are stored', () => isStoring);
    const before = heartbeats;
    await until('it heartbeats on', () => heartbeats > before + 2);
    goOn();
    expect(await running).toEqual({ state: 'finished', exitCode: 0 });
  });

  it('that is cancelled while its artifacts are stored ends as such', async () => {
    const row = await addRun();
    const { activities, store, machine } = openTester();
    const artifacts = join(directory, 'artifacts.tar.gz');
    writeFileSync(artifacts, 'artifacts');
    const { runTest } = { ...machine };
    jest
      .spyOn(machine, 'runTest')
      .mockImplementation(async (...request) => ({ ...(await runTest(...request)), artifacts }));
    let cancel = () => undefined as void;
    const { put } = { ...store };
    jest.spyOn(store, 'put').mockImplementation((key, ...more) => {
      if (key.endsWith('.artifacts.tar.gz')) cancel();
      return put(key, ...more);
    });
    const running = runActivity(
      activities.runTest,
      { runId: row.id },
      {
        prepare: (environment) => {
          const details = { ...NO_CANCELLATION, cancelRequested: true };
          cancel = () => environment.cancel('CANCELLED', details);
        },
      },
    );
    await expect(running).rejects.toThrow('CANCELLED');
    expect(await row.reload()).toMatchObject({ state: 'cancelled', artifactsUrl: null });
  });

  it('that two landings are compared with is made once, and what is kept of it is of its verdict', async () => {
    play({ sources: { hello: { baseline: [{ untilReleased: true }] } } });
    const failure: TestResult = { name: 'command1', status: 'FAIL', detail: '' };
    play({ sources: { hello: { baseline: [{ results: [failure] }] } } }, 'second.json');
    const row = await addBaseline();
    const first = run(row);
    await until('it runs', async () => (await row.reload()).state === 'running', 60_000);
    const other = openTester({ name: 'tester-2', script: 'second.json' });
    const runs = jest.spyOn(other.machine, 'runTest');
    let heartbeats = 0;
    const second = runActivity(
      other.activities.runTest,
      { runId: row.id },
      { onHeartbeat: () => (heartbeats += 1) },
    );
    await until(
      'another landing has asked for it',
      () => heartbeats > 10 || runs.mock.calls.length > 0,
    );
    play({ sources: { hello: { released: true, baseline: [{ untilReleased: true }] } } });
    const end = { state: 'finished', exitCode: 0 };
    expect(await Promise.all([first, second])).toEqual([end, end]);
    expect(runs).not.toHaveBeenCalled();
    expect(await row.reload()).toMatchObject({ tester: 'tester-1', results: [PASS] });
    const kept = await other.store.get(`tests/${row.id}/hello_1.0_amd64.tests.json`);
    expect(JSON.parse(await text(kept?.stream ?? Readable.from([])))).toMatchObject({
      results: [PASS],
    });
  });

  it('that landings are compared with is left to the others where one is cancelled', async () => {
    play({ sources: { hello: { baseline: [{ hang: true }] } } });
    const row = await addBaseline();
    await runUntilCancelled(row, { cancelRequested: true });
    expect(await row.reload()).toMatchObject({ state: 'queued', tester: null, startedAt: null });
    play({});
    expect(await run(row)).toEqual({ state: 'finished', exitCode: 0 });
  });

  it('whose tester dies is made once more by another, whose word counts', async () => {
    const mute = { log: 'nothing yet\n', hang: true };
    play({ sources: { hello: { landing: [mute] } } });
    const row = await addRun({ reason: 'depends' });
    let wake = () => undefined as void;
    const silent = run(row, {
      prepare: (environment) => {
        wake = () => environment.cancel('NOT_FOUND', { ...NO_CANCELLATION, notFound: true });
      },
    });
    silent.catch(() => undefined);
    await until('it runs', async () => (await row.reload()).state === 'running', 60_000);
    // A script of its own: the first one may not have read its own yet.
    play({}, 'second.json');
    const { activities, store } = openTester({ name: 'tester-2', script: 'second.json' });
    const again = { state: 'finished', exitCode: 0 };
    expect(await runActivity(activities.runTest, { runId: row.id })).toEqual(again);
    // The first one was not dead: it wakes up, and learns that nobody waits for it.
    wake();
    await expect(silent).rejects.toThrow();
    await row.reload();
    expect(row).toMatchObject({ state: 'finished', tester: 'tester-2', results: [PASS] });
    const log = await store.get(store.keyOf(row.logUrl ?? '') ?? '');
    expect(await text(log?.stream ?? Readable.from([]))).toBe('Scripted tests of hello 1.0\n');
    expect(await artifactsOf(row.landingId)).toMatchObject([{ type: 'LOGS' }, { type: 'RESULTS' }]);
  });

  it('ends once the script lets it', async () => {
    play({ sources: { hello: { landing: [{ untilReleased: true }] } } });
    const row = await addRun();
    const running = run(row);
    await until('it runs', async () => (await row.reload()).state === 'running', 60_000);
    play({ sources: { hello: { released: true, landing: [{ untilReleased: true }] } } });
    expect(await running).toEqual({ state: 'finished', exitCode: 0 });
  });

  it('keeps no more of its log than it may', async () => {
    play({ sources: { hello: { landing: [{ log: 'x'.repeat(5_000) }] } } });
    const row = await addRun();
    await run(row);
    const { store } = openTester();
    const log = await store.get(store.keyOf((await row.reload()).logUrl ?? '') ?? '');
    const kept = await text(log?.stream ?? Readable.from([]));
    expect(kept).toMatch(/^x{1000}\nairline: the log is cut off here\.\n$/);
  });
});
