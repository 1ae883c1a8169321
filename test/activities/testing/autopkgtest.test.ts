import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { openAutopkgtestMachine } from '../../../activities/testing/machine/autopkgtest-machine.ts';
import type {
  MadeImage,
  RunContext,
  StoredImage,
  TestMachine,
  TestOutcome,
} from '../../../activities/testing/test-machine.ts';
import { judgeRun, readSummary } from '../../../domain/testing/autopkgtest.ts';
import { unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';
import { createPpaClient } from '../../../ppa/client.ts';
import { readMachine, type Machine } from '../../../sandbox/machine.ts';
import { createUnprivileged } from '../../../sandbox/unprivileged.ts';
import { createFileStore } from '../../../store/file.ts';
import type { DataStore } from '../../../store/store.ts';
import { openStandIn, type OwnStandIn } from '../../support/stand-in.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { keepLog } from '../activity.ts';
import { openAptRepository, type AptRepository } from './apt-repository.ts';

// The machine may be busy.
const LIMIT_MS = 900_000;
jest.setTimeout(2_400_000);

const user = unprivilegedUser(() => undefined, 'airline-test');
const LANDED = [{ name: 'moods', version: '1.0' }];
/** In the same PPA, newer than in any archive. */
const NOT_LANDED = { name: 'ed', version: '99.0' };
/** In the target alone. */
const OF_TARGET = { name: 'tides', version: '2.0' };
/** In the target, and in every image of it. */
const ESSENTIAL = { name: 'snoop', version: '1.0' };
/** Name of the target: a repository of the test's own, with a package whose script runs in every image. */
const TARGET = 'landed';
const { signal: never } = new AbortController();
const WORK = { signal: never, onOutput: () => undefined };
const APT_SOURCE = 'etc/apt/sources.list.d/airline-ppa.list';
const execute = promisify(execFile);

let place: Machine;
let standIn: OwnStandIn;
let landed: AptRepository;
let directory: string;
let store: DataStore;
let machine: TestMachine;
let base: MadeImage & { key: string };
let landing: StoredImage;
let changed: string[];
/** What the disk of the tester says otherwise than it is. */
let disk: { bavail?: number } = {};

beforeEach(() => {
  disk = {};
});
beforeAll(async () => {
  place = await readMachine();
  standIn = await openStandIn({
    architectures: [place.architecture],
    distributions: { [place.distribution]: [place.series] },
    script: {
      sources: { '*': { builds: { '*': [{ state: 'Successfully built', binaries: true }] } } },
    },
  });
  directory = temporaryDirectory();
  const published = join(directory, 'landed');
  await mkdir(published);
  landed = await openAptRepository(published, place);
  store = createFileStore({
    directory: join(directory, 'store'),
    baseUrl: 'http://127.0.0.1:1/store',
  });
  const ppaClient = createPpaClient({
    rootUrl: standIn.webUrl,
    timeoutMs: 60_000,
    logger: keepLog().logger,
  });
  machine = await openAutopkgtestMachine({
    name: 'this',
    architecture: place.architecture,
    instance: directory,
    cacheDir: directory,
    runAs: user,
    groups: undefined,
    mirror: undefined,
    squashfs: true,
    store,
    repositoryOf: ({ owner, name, distribution }) =>
      name === TARGET ? landed.address : `${standIn.webUrl}/apt/${owner}/${name}/${distribution}`,
    fetchKey: async (ppa) =>
      ppa.name === TARGET
        ? landed.publicKey
        : ppaClient.fetchPublicKey(
            (await ppaClient.getArchive(ppa))?.signing_key_fingerprint ?? '',
          ),
    limits: {
      imageMs: LIMIT_MS,
      testMs: LIMIT_MS,
      memoryBytes: 2 ** 31,
      diskBytes: 2 ** 30,
      artifactsMaxBytes: 2 ** 20,
      cacheBytes: 2 ** 31,
    },
    readDisk: async (folder) => {
      const { bavail, bsize, files, ffree } = await statfs(folder);
      return { bavail, bsize, files, ffree, ...disk };
    },
  });
  await publish('test', { name: 'moods' }, NOT_LANDED);
  const postinst = `#!/bin/bash\nif (exec 3<>/dev/tcp/127.0.0.1/${landed.port}) 2>/dev/null; then exit 1; fi\n`;
  await landed.publish(OF_TARGET, { ...ESSENTIAL, isEssential: true, postinst });
  const { stored, ...ofBase } = await make((context) =>
    machine.makeBase({ ...place, target: target() }, context),
  );
  base = ofBase;
  const made = await make((context) =>
    machine.makeLanding(
      stored,
      {
        distribution: place.distribution,
        series: place.series,
        target: target(),
        ppa: ppa(),
        ppaSeries: place.series,
        isAlone: true,
        binaries: LANDED,
      },
      context,
    ),
  );
  const before = listOf(base);
  changed = listOf(made).filter((line) => !before.includes(line));
  landing = made.stored;
}, 1_800_000);
afterAll(async () => {
  await createUnprivileged(user).removeDirectory(directory);
  landed.close();
  await standIn.close();
});

const ppa = () => ({ owner: 'me', distribution: place.distribution, name: 'test' });

const target = () => `~me/${place.distribution}/${TARGET}`;

const listOf = ({ packages }: MadeImage): string[] =>
  packages.map(({ name, version }) => `${name} ${version}`);

/** Has a PPA build and publish packages. */
async function publish(name: string, ...all: { name: string; version?: string }[]): Promise<void> {
  for (const one of all) {
    const made = await standIn.make({ ...one, distribution: place.series });
    await standIn.upload(made.files, `~me/${place.distribution}/${name}`);
  }
  const repository = `${standIn.webUrl}/apt/me/${name}/${place.distribution}`;
  const packages = `${repository}/dists/${place.series}/main/binary-${place.architecture}/Packages`;
  await until('the packages in the PPA', async () => {
    const text = await (await standIn.read(packages)).text();
    return all.every((one) => text.includes(`Package: ${one.name}\n`));
  });
}

/** Makes an image and stores it. */
async function make(
  work: (context: RunContext) => Promise<MadeImage>,
): Promise<MadeImage & { key: string; stored: StoredImage }> {
  const said: Buffer[] = [];
  const made = await work({ signal: never, onOutput: (chunk) => said.push(chunk) }).catch(
    (error: unknown) => {
      throw new Error(Buffer.concat(said).toString('utf8'), { cause: error });
    },
  );
  const key = `images/${createHash('sha256').update(made.path).digest('hex')}.tar.zst`;
  const { sha256 } = await store.put(key, createReadStream(made.path));
  await machine.removeFolder(dirname(made.path));
  return { ...made, key, stored: { url: store.urlOf(key), sha256 } };
}

/** The command line of a process; that of one that has ended is empty. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Runs DEP-8 tests, each a shell script, in the landing's image. */
async function runTests(
  control: string,
  scripts: Record<string, string>,
  {
    signal = never,
    deadline = never,
    onOutput = () => undefined,
    beforeRemoved = async () => undefined,
  }: {
    signal?: AbortSignal;
    deadline?: AbortSignal;
    onOutput?: (chunk: Buffer) => void;
    /** Looks at what is left when the machine is done. */
    beforeRemoved?: (folder: string) => Promise<void>;
  } = {},
): Promise<TestOutcome> {
  const made = await standIn.make({
    name: 'moods',
    isSigned: false,
    files: {
      'debian/tests/control': control,
      ...Object.fromEntries(
        Object.entries(scripts).map(([name, script]) => [`debian/tests/${name}`, script]),
      ),
    },
  });
  const folder = await machine.makeFolder();
  const source = join(folder, 'source');
  await mkdir(source);
  for (const file of made.files) await copyFile(file, join(source, basename(file)));
  try {
    const outcome = await machine.runTest(
      {
        runId: 1,
        source: 'moods',
        version: '1.0',
        isBaseline: false,
        try: 1,
        image: landing,
        distribution: place.distribution,
        series: place.series,
        target: target(),
        ppa: ppa(),
        landed: LANDED,
        directory: folder,
        dsc: join(source, basename(made.dsc)),
      },
      { signal, deadline, onOutput, begin: async () => undefined },
    );
    await beforeRemoved(folder);
    return outcome;
  } finally {
    await machine.removeFolder(folder);
  }
}

it('tests pass, fail and skip with the package of the PPA, what the target has and of others what the archive has, and reach nothing but packages', async () => {
  const version = (name: string) => `"$(dpkg-query -W -f '\${Version}' ${name})"`;
  const { port } = new URL(standIn.webUrl);
  const asked = (address: string, method = 'GET') =>
    `exec 3<>/dev/tcp/127.0.0.1/3142; printf '${method} %s HTTP/1.0\\r\\n\\r\\n' ${address} >&3; grep -q ' 403 ' <&3 || exit 1`;
  const log: Buffer[] = [];
  // One stanza: for another, the image would be unpacked once more.
  const outcome = await runTests(
    'Tests: pass fail isolated loopback neutral beside target\nDepends: @, ed, tides\nRestrictions: skippable\n',
    {
      pass: `#!/bin/sh\ntest ${version('moods')} = 1.0\n`,
      fail: '#!/bin/sh\nexit 1\n',
      neutral: '#!/bin/sh\nexit 77\n',
      isolated: [
        '#!/bin/bash',
        `if (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; then exit 1; fi`,
        `if (exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null; then exit 1; fi`,
        asked(`${standIn.webUrl}/devel/~me`),
        asked(`${standIn.webUrl}/apt/other/ppa/debian/x`),
        asked(`${standIn.webUrl}/apt/me/test/${place.distribution}/../../../../devel/`),
        asked(`${standIn.webUrl}/apt/me/test/${place.distribution}/x`, 'POST'),
        'exit 0',
        '',
      ].join('\n'),
      loopback:
        '#!/bin/sh\ngetent hosts localhost || exit 3\ngetent hosts "$(hostname)" || exit 4\n',
      beside: `#!/bin/sh\ndpkg --compare-versions ${version('ed')} lt ${NOT_LANDED.version}\n`,
      target: `#!/bin/sh\ntest ${version('tides')} = ${OF_TARGET.version}\n`,
    },
    { onOutput: (chunk) => log.push(chunk) },
  );
  const text = Buffer.concat(log).toString('utf8');
  expect({ text, results: readSummary(outcome.summary ?? '') }).toEqual({
    text: expect.stringContaining('@@@'),
    results: [
      { name: 'pass', status: 'PASS', detail: '' },
      { name: 'fail', status: 'FAIL', detail: 'non-zero exit status 1' },
      { name: 'isolated', status: 'PASS', detail: '' },
      { name: 'loopback', status: 'PASS', detail: '' },
      expect.objectContaining({ name: 'neutral', status: 'SKIP' }),
      { name: 'beside', status: 'PASS', detail: '' },
      { name: 'target', status: 'PASS', detail: '' },
    ],
  });
  expect(judgeRun(outcome, { source: 'moods', version: '1.0' }, LANDED)).toMatchObject({
    state: 'finished',
    exitCode: 6,
    exercised: LANDED,
  });
  expect(outcome.artifacts).not.toBeNull();
});

it('the packages of a base image reach nothing as they are installed, and nothing of the way out stays', async () => {
  // Its script would have ended the making of the image.
  expect(base.packages).toContainEqual(ESSENTIAL);
  const extracting = execute('tar', [
    '--extract',
    '--zstd',
    '--file=-',
    '--to-stdout',
    '--wildcards',
    './etc/apt/apt.conf.d/*',
  ]);
  const image = await store.get(base.key);
  if (!image || !extracting.child.stdin) throw new Error('The base image is not in the store.');
  await pipeline(image.stream, extracting.child.stdin);
  const { stdout } = await extracting;
  expect(stdout).toContain('Acquire::Languages');
  expect(stdout).not.toMatch(/proxy/i);
});

it('the base image says what it is made of: the archive and the target', () => {
  const suite = `dists/${place.series}/InRelease`;
  const releases = Object.keys(base.releases);
  expect(releases).toContain(`127.0.0.1:${landed.port}/${suite}`);
  expect(releases.filter((address) => address.endsWith(suite)).length).toBeGreaterThan(1);
});

it("the landing's image has nothing else than its base, where nothing of it was installed", () => {
  expect(changed).toEqual([]);
});

it("the landing's image is made as a squashfs file with the same files", async () => {
  const path = (await machine.makeSquashfs?.(landing, WORK)) ?? '';
  const { stdout } = await execute('rdsquashfs', ['-c', APT_SOURCE, path]);
  expect(stdout).toContain(`/apt/me/test/${place.distribution} ${place.series} main`);
  await machine.removeFolder(dirname(path));
});

it('a run that is cancelled leaves no process and no file', async () => {
  const cancelling = new AbortController();
  let said = '';
  const running = runTests(
    'Tests: hang\nDepends:\n',
    { hang: `#!/bin/sh\necho it hangs >&2\nexec sleep 7332.${process.pid}\n` },
    {
      signal: cancelling.signal,
      onOutput: (chunk) => {
        said += chunk.toString('utf8');
        if (said.includes('it hangs')) cancelling.abort(new Error('cancelled'));
      },
    },
  );
  await expect(running).rejects.toThrow('cancelled');
  await until('the end of its processes', async () => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    return !pids.some((pid) => commandOf(pid).includes(`7332.${process.pid}`));
  });
  const left = await readdir(join(directory, 'tests'), { recursive: true });
  expect(left.filter((name) => name.includes('run-'))).toEqual([]);
});

it('a run whose time is over while a test hangs is judged by the test that had failed by then', async () => {
  const time = new AbortController();
  let said = '';
  const outcome = await runTests(
    'Tests: fail hang\nDepends: @\n',
    { fail: '#!/bin/sh\nexit 1\n', hang: '#!/bin/sh\necho it hangs >&2\nexec sleep 7333\n' },
    {
      deadline: time.signal,
      onOutput: (chunk) => {
        said += chunk.toString('utf8');
        if (said.includes('it hangs')) time.abort();
      },
    },
  );
  expect(judgeRun(outcome, { source: 'moods', version: '1.0' }, LANDED)).toEqual({
    state: 'finished',
    exitCode: null,
    results: [
      { name: 'fail', status: 'FAIL', detail: 'non-zero exit status 1' },
      { name: '*', status: 'FAIL', detail: `not done after ${LIMIT_MS} ms` },
    ],
    exercised: LANDED,
    fault: null,
  });
  expect(outcome.artifacts).not.toBeNull();
});

it('a run during which the disk becomes nearly full is ended, and what it has left goes at once', async () => {
  let said = '';
  const outcome = await runTests(
    'Tests: hang\nDepends:\n',
    { hang: '#!/bin/sh\necho it hangs >&2\nexec sleep 7334\n' },
    {
      onOutput: (chunk) => {
        said += chunk.toString('utf8');
        if (said.includes('it hangs')) disk = { bavail: 1 };
      },
      async beforeRemoved(folder) {
        expect(await readdir(folder)).not.toContain('own');
        expect(await readdir(join(folder, 'left'))).toEqual([]);
      },
    },
  );
  expect(judgeRun(outcome, { source: 'moods', version: '1.0' }, LANDED)).toMatchObject({
    state: 'bed_failed',
    exitCode: null,
    fault: expect.stringContaining('The disk of the tester was nearly full'),
  });
  expect(outcome.artifacts).toBeNull();
});

it('a machine that is closed leaves nothing in the cache but its images', async () => {
  await machine.close();
  expect(await readdir(join(directory, 'tests'))).toEqual(['images']);
});
