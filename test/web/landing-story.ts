import { Readable } from 'node:stream';
import type { DataStore } from '../../store/store.ts';
import { addPastLanding, addPastRuns, type SeededRun } from './seed-landing.ts';
import {
  addPastBuild,
  addPastTicket,
  insertAll,
  minutesBefore,
  select,
  type Rows,
} from './seed.ts';

/** Tickets with a landing: one that waits for a person, one behind it in line, and one whose build failed. */
export type LandingStory = { approving: number; queued: number; failed: number };

const PACKAGES = [
  { source: 'libgreet', version: '4.2-1', level: 0 },
  { source: 'hello', version: '2.13-1', level: 1 },
  { source: 'greet-tools', version: '1.8-2ubuntu1', level: 1 },
] as const;
const packages = (...sources: string[]) =>
  PACKAGES.filter(({ source }) => sources.includes(source)).map(({ source: name, version }) => ({
    name,
    version,
    source: `https://store.example:8443/${name}_${version}_source.changes`,
  }));

/** Adds what the pages of landings are shown with. */
export async function tellLandings(
  rows: Rows,
  store: DataStore,
  nowMs: number,
): Promise<LandingStory> {
  const approving = await addPastTicket(
    rows,
    {
      owner: 'ann@example.com',
      title: 'Greeting stack 4.2 for noble',
      description: 'libgreet 4.2 has the new plural forms; hello and greet-tools need it.',
      madeMinutesAgo: 120,
      way: [
        { to: 200, minutesAgo: 73, by: 'landing 1' },
        { to: 300, minutesAgo: 41, by: 'landing 1' },
        { to: 400, minutesAgo: 39, by: 'landing 1' },
      ],
      packages: packages('libgreet', 'hello', 'greet-tools'),
    },
    nowMs,
  );
  const builds: number[] = [];
  for (const { source: name, version, level } of PACKAGES) {
    const build = {
      ticketId: approving,
      name,
      version,
      by: 'landing 1',
      ppa: 'ppa:airline/silo-1',
      requestedMinutesAgo: level === 0 ? 73 : 58,
      moments: [[1, { amd64: 'Successfully built', arm64: 'Successfully built' }]] as const,
      endedAfter: 12,
    };
    builds.push(await addPastBuild(rows, build, nowMs));
  }
  const waiting = await addPastLanding(
    rows,
    {
      ticketId: approving,
      parts: PACKAGES.map((part, index) => ({
        ...part,
        state: 'built',
        ...(builds[index] === undefined ? {} : { build: builds[index] }),
      })),
      way: [
        ['queued', 74],
        ['building', 73],
        ['imaging', 41],
        ['testing', 39],
        ['approving', 14],
      ],
      policy: {
        tests: 'reverse_dependencies',
        architectures: ['amd64', 'arm64'],
      },
      testsVerdict: 'blocked',
    },
    nowMs,
  );
  const log = 'tests/hello_2.13-1_amd64.log';
  await store.put(log, Readable.from([Buffer.from(LOG)]));
  await addPastRuns(rows, waiting, runsOf(store.urlOf(log)), nowMs);
  const queued = await addPastTicket(
    rows,
    {
      owner: 'ben@example.com',
      title: 'hello: fix the exit code of --version',
      madeMinutesAgo: 35,
      packages: packages('hello'),
    },
    nowMs,
  );
  await addPastLanding(
    rows,
    {
      ticketId: queued,
      parts: [{ source: 'hello', version: '2.13-1', state: 'waiting' }],
      way: [['queued', 31]],
      ahead: [{ landing_id: waiting, ticket_id: approving }],
      estimate: { start: 12, complete: 75, landings: 9 },
      by: 'ben',
    },
    nowMs,
  );
  const failed = await addPastTicket(
    rows,
    {
      owner: 'carol@example.com',
      title: 'Greeting stack 4.2 for the landing PPA',
      madeMinutesAgo: 300,
      way: [
        { to: 200, minutesAgo: 290, by: 'landing 3' },
        { to: 999, minutesAgo: 260, by: 'landing 3', why: FAILED },
      ],
      packages: packages('libgreet', 'hello', 'greet-tools'),
    },
    nowMs,
  );
  const broken = await addPastBuild(
    rows,
    {
      ticketId: failed,
      name: 'hello',
      version: '2.13-1',
      by: 'landing 3',
      ppa: 'ppa:airline/silo-1',
      requestedMinutesAgo: 280,
      moments: [[1, { arm64: 'Failed to build' }]],
      endedAfter: 20,
      failure: { class: 'build_failed', message: 'hello 2.13-1 on arm64: Failed to build' },
    },
    nowMs,
  );
  await addPastLanding(
    rows,
    {
      ticketId: failed,
      target: '~airline/ubuntu/landed',
      parts: [
        { ...PACKAGES[0], state: 'built' },
        { ...PACKAGES[1], state: 'failed', build: broken },
        { ...PACKAGES[2], state: 'not_built' },
      ],
      way: [
        ['queued', 291],
        ['building', 290],
        ['failed', 260],
      ],
      failure: { class: 'build_failed', message: FAILED, package: 'hello', build_id: broken },
      by: 'carol',
    },
    nowMs,
  );
  return { approving, queued, failed };
}

/** Adds PPAs of the pool in every state. It is no part of the story: without a pool a landing has to name its PPA. */
export async function tellPool(rows: Rows, nowMs: number): Promise<void> {
  const [first] = await select<{ id: number }>(rows, 'SELECT min(id) AS id FROM landing', []);
  const states = [
    { state: 'leased', landing_id: first?.id },
    { state: 'free' },
    { state: 'cleaning' },
    {
      state: 'quarantined',
      reason: 'figlet 2.2.5-4 is there, and no landing has uploaded it',
    },
    { state: 'retired', reason: 'Its owner has left the team.' },
  ];
  await insertAll(
    rows,
    'pool_ppa',
    states.map((state, index) => ({
      ppa: `~airline/ubuntu/silo-${index + 1}`,
      distribution: 'ubuntu',
      state_since: minutesBefore(nowMs, 70 - 10 * index),
      created_at: minutesBefore(nowMs, 900),
      updated_at: minutesBefore(nowMs, 70 - 10 * index),
      reason: null,
      landing_id: null,
      ...state,
    })),
  );
}

const FAILED = 'build 70 of hello failed: hello 2.13-1 on arm64: Failed to build';

const passed = (...names: string[]) =>
  names.map((name) => ({ name, status: 'PASS' as const, detail: '' }));

function runsOf(log: string): SeededRun[] {
  const own = { state: 'finished', reason: 'changed', why: 'it is landed' } as const;
  return [
    {
      ...own,
      source: 'libgreet',
      version: '4.2-1',
      architecture: 'amd64',
      results: passed('smoke', 'plurals'),
    },
    {
      ...own,
      source: 'libgreet',
      version: '4.2-1',
      architecture: 'arm64',
      results: passed('smoke', 'plurals'),
    },
    {
      ...own,
      source: 'hello',
      version: '2.13-1',
      architecture: 'amd64',
      results: [
        ...passed('smoke'),
        { name: 'upstream-tests', status: 'FAIL', detail: 'non-zero exit status 1' },
      ],
      log,
      verdicts: [
        {
          test: 'upstream-tests',
          verdict: 'regression',
          why: 'It fails with the landing, twice, and passes without it.',
        },
      ],
    },
    {
      ...own,
      source: 'hello',
      version: '2.13-1',
      architecture: 'arm64',
      results: passed('smoke', 'upstream-tests'),
    },
    {
      source: 'figlet',
      version: '2.2.5-3',
      architecture: 'amd64',
      state: 'finished',
      results: [{ name: 'command1', status: 'FAIL', detail: 'non-zero exit status 2' }],
      verdicts: [
        { test: 'command1', verdict: 'always_failed', why: 'It fails without the landing, too.' },
      ],
    },
    {
      source: 'figlet',
      version: '2.2.5-3',
      architecture: 'arm64',
      state: 'bed_failed',
      fault: 'the test bed could not install the package',
    },
    { source: 'weather', version: '3.1-4', architecture: 'amd64', state: 'running' },
    { source: 'weather', version: '3.1-4', architecture: 'arm64', state: 'queued' },
  ];
}

const LOG = `autopkgtest [20:51:07]: starting date: 2026-11-22
autopkgtest [20:51:12]: test smoke: [-----------------------
Hello, world!
autopkgtest [20:51:13]: test smoke: -----------------------]
smoke                PASS
autopkgtest [20:51:14]: test upstream-tests: [-----------------------
FAIL: tests/greeting-2: expected "world", got "wrold"
autopkgtest [20:51:19]: test upstream-tests: -----------------------]
upstream-tests       FAIL non-zero exit status 1
autopkgtest [20:51:19]: @@@@@@@@@@@@@@@@@@@@ summary
smoke                PASS
upstream-tests       FAIL non-zero exit status 1
`;
