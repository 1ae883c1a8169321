import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readMachine } from '../../../sandbox/machine.ts';
import type { ProcessEnd, Unprivileged } from '../../../sandbox/unprivileged.ts';
import { openChroots, removeAbandonedWork } from '../../../stand-in/builders/chroot.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

/** A mmdebstrap that runs until the test ends it, or its build is cancelled. */
type Making = { args: readonly string[]; signal: AbortSignal; succeed: () => void };

const asRoot = process.getuid?.() === 0 ? it : it.skip;
/** Stands for the user that builds run as. */
const USER = 65_534;

let makings: Making[];
let cache: string;
let aptDir: string;
let unprivileged: Unprivileged;
let chroots: ReturnType<typeof openChroots>;

beforeEach(async () => {
  makings = [];
  cache = temporaryDirectory();
  aptDir = temporaryDirectory();
  await aptSource('http://mirror.example/debian');
  unprivileged = {
    makeDirectory: async (path) => void mkdirSync(path, { recursive: true }),
    removeDirectory: async (path) => rmSync(path, { recursive: true, force: true }),
    give: async () => undefined,
    run: (_, args, { signal }) =>
      new Promise<ProcessEnd>((resolve) => {
        const tarball = args.find((arg) => arg.endsWith('/chroot.tar')) as string;
        signal.addEventListener('abort', () => resolve({ exitCode: null, wasKilled: true }));
        makings.push({
          args,
          signal,
          succeed() {
            writeFileSync(tarball, '');
            resolve({ exitCode: 0, wasKilled: false });
          },
        });
      }),
  };
  chroots = openChroots({
    chrootsDir: join(cache, 'chroots'),
    workDir: join(cache, 'work'),
    machine: await readMachine(),
    unprivileged,
    timeoutMs: 60_000,
    killAfterMs: 1_000,
    aptDir,
  });
});

/** Says where the machine's packages come from. */
async function aptSource(uri: string): Promise<void> {
  const { series } = await readMachine();
  writeFileSync(join(aptDir, 'sources.list'), `deb ${uri} ${series} main\n`);
}

/** A build that wants the chroot. */
function want() {
  const cancellation = new AbortController();
  const tarball = chroots.tarball(cancellation.signal, () => undefined);
  // Awaited where it matters; here it only must not be unhandled.
  tarball.catch(() => undefined);
  return { tarball, cancel: () => cancellation.abort(), signal: cancellation.signal };
}

/** A build wants the chroot, which is made for it. @returns where it is */
async function make(): Promise<string> {
  const { length } = makings;
  const { tarball } = want();
  await until('a mmdebstrap', () => makings.length > length);
  makings[length]?.succeed();
  return tarball;
}

it('a chroot is made once for all builds that want it', async () => {
  const builds = [want(), want(), want()];
  await until('a mmdebstrap', () => makings.length > 0);
  makings[0]?.succeed();
  const paths = await Promise.all(builds.map(({ tarball }) => tarball));
  expect(new Set(paths).size).toBe(1);
  expect(makings).toHaveLength(1);
});

it('a build that is cancelled while it makes the chroot leaves it to one of those that wait', async () => {
  const builds = [want(), want(), want()];
  for (const cancelled of [1, 2]) {
    await until('a mmdebstrap', () => makings.length === cancelled);
    const maker = builds.find(({ signal }) => signal === makings.at(-1)?.signal);
    maker?.cancel();
    await expect(maker?.tarball).rejects.toThrow('mmdebstrap was ended.');
  }
  await until('a mmdebstrap', () => makings.length === 3);
  makings.at(-1)?.succeed();
  const last = builds.find(({ signal }) => !signal.aborted);
  expect(await last?.tarball).toMatch(/\.tar$/);
});

it('a chroot is made where its caller cleans, and only what is whole is kept', async () => {
  const { tarball } = want();
  await until('a mmdebstrap', () => makings.length === 1);
  expect(readdirSync(join(cache, 'chroots'))).toEqual([]);
  expect(readdirSync(join(cache, 'work'))).toHaveLength(1);
  makings[0]?.succeed();
  const made = basename(await tarball);
  expect(readdirSync(join(cache, 'chroots'))).toEqual([made]);
  expect(readdirSync(join(cache, 'work'))).toEqual([]);
});

asRoot('a chroot that the user of the builds has made can be changed by root alone', async () => {
  const { run } = unprivileged;
  unprivileged.run = async (command, args, options) => {
    const ended = await run(command, args, options);
    chownSync(args.find((arg) => arg.endsWith('/chroot.tar')) as string, USER, USER);
    return ended;
  };
  const made = await make();
  expect([made, join(made, '..')].map((path) => statSync(path).uid)).toEqual([0, 0]);
  expect(await want().tarball).toBe(made);
});

asRoot('a chroot that the user of the builds could change is made anew', async () => {
  const old = await make();
  writeFileSync(old, 'with a compiler of somebody else');
  for (const path of [dirname(old), old]) chownSync(path, USER, USER);
  expect(await make()).toBe(old);
  expect(readFileSync(old, 'utf8')).toBe('');
  expect(statSync(dirname(old)).uid).toBe(0);
});

it('a chroot has what sets it up, which the mmdebstrap of Debian 13 puts into none by itself', async () => {
  await make();
  expect(makings[0]?.args).toContain('--include=fakeroot,mount,passwd');
});

it('a chroot whose mirror is reached by https has the authorities by which apt verifies it', async () => {
  const before = await make();
  await aptSource('https://mirror.example/debian');
  const made = await make();
  expect(makings[1]?.args).toContain('--include=fakeroot,mount,passwd,ca-certificates');
  expect(readdirSync(dirname(made))).toEqual([basename(made)]);
  expect(made).not.toBe(before);
});

it.each(['mirror', 'mirror+http', 'mirror+https'])(
  'a chroot can be made of mirrors whose list apt fetches by %s, and some may be https',
  async (method) => {
    await aptSource(`${method}://mirror.example/list`);
    await make();
    expect(makings[0]?.args).toContain('--include=fakeroot,mount,passwd,ca-certificates');
  },
);

it('no chroot is made of what apt reaches neither by http nor by https', async () => {
  await aptSource('mirror+file:/nowhere/mirrors.list');
  await expect(want().tarball).rejects.toThrow(
    /mirror\+file:\/nowhere\/mirrors\.list, which is neither http nor https/,
  );
});

it('a chroot of an earlier version, which may lack packages, is not used and goes; others stay', async () => {
  const { distribution, series, architecture } = await readMachine();
  const earlier = ['', '+fakeroot'].map(
    (packages) => `${distribution}-${series}-${architecture}${packages}.tar`,
  );
  const others = ['debian-other-amd64.tar', `${distribution}-${series}-${architecture}v3.tar`];
  const folder = join(cache, 'chroots');
  mkdirSync(folder);
  for (const name of [...earlier, ...others]) writeFileSync(join(folder, name), 'made before');
  const made = await make();
  expect(readFileSync(made, 'utf8')).toBe('');
  expect(readdirSync(folder).toSorted()).toEqual([...others, basename(made)].toSorted());
});

describe('beside a build that has left its chroot', () => {
  let victim: string;
  beforeEach(() => {
    victim = join(cache, 'of-root');
    writeFileSync(victim, 'secret');
  });

  it('nothing is written where a link leads that it has put among the files of a new chroot', async () => {
    const { makeDirectory } = unprivileged;
    unprivileged.makeDirectory = async (path) => {
      await makeDirectory(path);
      symlinkSync(victim, join(path, '0.list'));
    };
    await make();
    expect(readFileSync(victim, 'utf8')).toBe('secret');
  });

  it('a link in place of the tarball is no chroot', async () => {
    unprivileged.run = async (_, args) => {
      symlinkSync(victim, args.find((arg) => arg.endsWith('/chroot.tar')) as string);
      return { exitCode: 0, wasKilled: false };
    };
    await expect(want().tarball).rejects.toThrow('mmdebstrap made no file.');
    expect(readdirSync(join(cache, 'chroots'))).toEqual([]);
  });
});

it('what killed processes of earlier versions left among the tarballs is removed', async () => {
  const chrootsDir = join(cache, 'chroots');
  for (const name of ['.work-abandoned', '.work-of-another', 'debian-trixie-amd64.tar'])
    mkdirSync(join(chrootsDir, name), { recursive: true });
  for (const name of ['.work-abandoned', 'debian-trixie-amd64.tar']) {
    const longAgo = new Date(Date.now() - 61_000);
    utimesSync(join(chrootsDir, name), longAgo, longAgo);
  }
  await removeAbandonedWork({ chrootsDir, unprivileged }, 60_000);
  expect(readdirSync(chrootsDir).toSorted()).toEqual([
    '.work-of-another',
    'debian-trixie-amd64.tar',
  ]);
});
