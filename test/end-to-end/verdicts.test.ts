import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import {
  BUILT,
  COMPLETED,
  expectOneStream,
  failedAs,
  logOf,
  scriptOf,
  shows,
  startBuilds,
  type Situation,
} from './situations.ts';

jest.setTimeout(900_000);

const MAX_LOG_BYTES = 1_000_000;
const built = (architecture: string) => ({ architecture, buildstate: 'Successfully built' });
const states = (messages: ProgressMessage[]) =>
  messages.flatMap(({ builds }) => builds.map(({ state }) => state));
/** The one who failed is judged only when the other has ended. */
const untilTheOtherEnds = (messages: ProgressMessage[]) =>
  expect(messages.slice(0, -1).every(({ state }) => state !== 'FAILED')).toBe(true);

const UPLOADING: Situation[] = [
  {
    name: 'ftp-550',
    ftp: [{ on: 'STOR', match: 'ftp-550_1.0.tar', reply: '550 Internal server error.', count: 2 }],
    final: COMPLETED,
  },
  {
    name: 'ftp-421',
    ftp: [{ on: 'CWD', match: '/ftp-421/', reply: '421 Try again later.', close: true, count: 1 }],
    final: COMPLETED,
  },
  {
    name: 'ftp-cut-in-mid-file',
    ftp: [{ on: 'STOR', match: 'ftp-cut-in-mid-file_1.0.tar', cutAfterBytes: 10, count: 1 }],
    final: COMPLETED,
  },
  {
    name: 'ftp-hangs',
    ftp: [{ on: 'STOR', match: 'ftp-hangs_1.0.tar', hang: true, count: 1 }],
    final: COMPLETED,
  },
  {
    name: 'ftp-disk-full',
    ftp: [
      { on: 'STOR', match: 'ftp-disk-full_1.0.dsc', afterData: true, reply: '452 Full.', count: 1 },
    ],
    final: COMPLETED,
  },
  {
    name: 'ftp-last-answer-lost',
    ftp: [
      {
        on: 'STOR',
        match: 'ftp-last-answer-lost_1.0_source.ch',
        afterData: true,
        close: true,
        count: 1,
      },
    ],
    final: COMPLETED,
  },
  {
    name: 'accepted-late',
    source: { acceptAfterMs: 3_000, builds: { '*': BUILT } },
    final: COMPLETED,
  },
];

const WATCHING: Situation[] = [
  {
    name: 'web-503-retry-after',
    web: [{ match: '/web-503-retry-after/', status: 503, retryAfterS: 1, count: 2 }],
    final: COMPLETED,
  },
  { name: 'web-502', web: [{ match: '/web-502/', status: 502, count: 2 }], final: COMPLETED },
  { name: 'web-hangs', web: [{ match: '/web-hangs/', hang: true, count: 1 }], final: COMPLETED },
  {
    name: 'web-json-cut',
    web: [{ match: ['/web-json-cut/', 'getBuilds'], truncateAfterBytes: 40, count: 2 }],
    final: COMPLETED,
  },
  {
    name: 'web-connection-cut',
    web: [{ match: ['/web-connection-cut/', 'getBuilds'], cutAfterBytes: 40, count: 2 }],
    final: COMPLETED,
  },
  {
    name: 'web-slow',
    web: [{ match: ['/web-slow/', 'getBuilds'], bytesPerS: 100, count: 1 }],
    final: COMPLETED,
  },
  {
    name: 'pages-that-change',
    architecture: 'any',
    source: {
      builds: { amd64: [{ state: 'Successfully built' }], '*': [{ state: 'Failed to build' }] },
    },
    web: [
      { match: ['/pages-that-change/', 'getBuilds', 'ws.start=1'], hideFirst: 1, count: 1 },
      { match: ['/pages-that-change/', 'getBuilds'], pageSize: 1 },
    ],
    final: failedAs('build_failed', { architecture: 'riscv64' }),
  },
  {
    name: 'retried-by-somebody',
    architecture: 'any',
    source: {
      builds: {
        amd64: [
          { state: 'Failed to build', untilReleased: 1 },
          { state: 'Needs building', untilReleased: 2 },
          ...BUILT,
        ],
        '*': [{ state: 'Currently building', untilReleased: 2 }, { state: 'Successfully built' }],
      },
    },
    releasedBy: [shows('Failed to build'), shows('Needs building')],
    final: { ...COMPLETED, builds: [built('amd64'), built('riscv64')] },
  },
  {
    name: 'building-to-waiting',
    source: {
      builds: {
        '*': [
          { state: 'Currently building', untilReleased: 1 },
          { state: 'Needs building', untilReleased: 2 },
          ...BUILT,
        ],
      },
    },
    releasedBy: [shows('Currently building'), shows('Needs building')],
    final: COMPLETED,
    check: (messages) =>
      expect(states(messages).join(' ')).toMatch(/building.* waiting.* completed/),
  },
  {
    name: 'dependency-wait-resolves',
    source: {
      builds: {
        '*': [
          { state: 'Dependency wait', untilReleased: 1, dependencies: 'libfoo-dev' },
          { state: 'Needs building', untilReleased: 2 },
          ...BUILT,
        ],
      },
    },
    releasedBy: [shows('Dependency wait'), shows('Needs building')],
    final: COMPLETED,
  },
  {
    name: 'superseded',
    source: { builds: { '*': [{ state: 'Build for superseded Source', noLog: true }] } },
    final: failedAs('superseded', { retryable: false }),
  },
  {
    name: 'all-cancelled-by-others',
    architecture: 'any',
    source: { builds: { '*': [{ state: 'Cancelled build', noLog: true }] } },
    final: failedAs('cancelled', {
      retryable: true,
      message: expect.stringContaining('not by this attempt'),
    }),
  },
  {
    name: 'one-failed-one-cancelled',
    architecture: 'any',
    source: {
      builds: {
        // The PPA lists it first.
        amd64: [{ state: 'Cancelled build', noLog: true }],
        '*': [{ state: 'Failed to build' }],
      },
    },
    final: failedAs('build_failed', { architecture: 'riscv64' }),
  },
  {
    name: 'one-failed-one-building',
    architecture: 'any',
    source: {
      builds: {
        amd64: [{ state: 'Failed to build' }],
        '*': [{ state: 'Currently building', untilReleased: 1 }, { state: 'Successfully built' }],
      },
    },
    releasedBy: [shows('Failed to build')],
    final: {
      ...failedAs('build_failed', { package: 'one-failed-one-building', architecture: 'amd64' }),
      builds: [
        { architecture: 'amd64', buildstate: 'Failed to build' },
        { architecture: 'riscv64', buildstate: 'Successfully built' },
      ],
    },
    check: untilTheOtherEnds,
  },
  {
    name: 'uploading-with-datebuilt',
    source: {
      builds: {
        '*': [
          { state: 'Uploading build', untilReleased: 1 },
          { state: 'Failed to upload', log: 'built\n', uploadLog: 'the archive has it already\n' },
        ],
      },
    },
    releasedBy: [shows('Uploading build')],
    final: failedAs('publish_failed', { hint: expect.stringContaining('upload log') }),
    check: async (messages) => {
      expect(await logOf(messages, 0)).toContain('built');
      expect(await logOf(messages, 1)).toContain('the archive has it already');
    },
  },
  {
    name: 'unknown-state',
    source: { builds: { '*': [{ state: 'Frobnicating', untilReleased: 1 }, ...BUILT] } },
    releasedBy: [shows('Frobnicating')],
    final: COMPLETED,
    check: (messages) => expect(states(messages)).toContain('unknown'),
  },
  {
    name: 'chroot-problem',
    source: { builds: { '*': [{ state: 'Chroot problem' }] } },
    final: failedAs('chroot_problem', { retryable: true }),
  },
];

// A build that never ran has no log, and is asked for none.
const RUNNING = { state: 'Currently building' };
const FAILED = { state: 'Failed to build', log: 'it went wrong\n' };
const LOGS: Situation[] = [
  {
    name: 'log-late',
    source: { builds: { '*': [RUNNING, { ...FAILED, logAfterMs: 2_000 }] } },
    final: failedAs('build_failed'),
    check: async (messages) => expect(await logOf(messages)).toContain('it went wrong'),
  },
  {
    name: 'log-404',
    source: { builds: { '*': [FAILED] } },
    web: [{ match: ['+files', 'log-404_'], status: 404 }],
    final: { ...failedAs('build_failed'), logs: [] },
  },
  {
    name: 'log-expired',
    source: { builds: { '*': [RUNNING, { ...FAILED, noLog: true }] } },
    final: { ...failedAs('build_failed'), logs: [] },
  },
  {
    name: 'log-connection-cut',
    source: { builds: { '*': [{ ...FAILED, logRepeat: 10_000 }] } },
    web: [{ match: ['+librarian', 'log-connection-cut_'], cutAfterBytes: 100, count: 1 }],
    final: failedAs('build_failed'),
    check: async (messages) => expect(await logOf(messages)).toBe('it went wrong\n'.repeat(10_000)),
  },
  {
    name: 'log-gzip-broken',
    source: {
      builds: {
        '*': [{ state: 'Failed to build', log: 'a line of the log\n'.repeat(5_000), logRepeat: 5 }],
      },
    },
    web: [{ match: ['+librarian', 'log-gzip-broken_'], truncateAfterBytes: 600 }],
    final: failedAs('build_failed'),
    check: async (messages) => {
      const log = await logOf(messages);
      expect(log).toMatch(/^a line of the log\n/);
      expect(log).toContain('[airline: the compressed log is damaged here');
    },
  },
  {
    name: 'log-of-20-mb',
    source: {
      builds: {
        '*': [
          { state: 'Failed to build', log: `${'x'.repeat(99)}\n`.repeat(1_000), logRepeat: 200 },
        ],
      },
    },
    final: failedAs('build_failed'),
    check: async (messages) => {
      const log = await logOf(messages);
      expect(log.length).toBeLessThan(MAX_LOG_BYTES + 200);
      expect(log).toContain(`it is cut after ${MAX_LOG_BYTES} bytes`);
    },
  },
];

let airline: Airline;
let messages: Map<string, Promise<ProgressMessage[]>>;

beforeAll(async () => {
  const situations = [...UPLOADING, ...WATCHING, ...LOGS];
  airline = await startAirline({
    script: scriptOf(situations),
    environment: {
      AIRLINE_STAND_IN_ARCHITECTURES: 'amd64,riscv64',
      AIRLINE_STAND_IN_BUILDERS: '100',
      // Two faults hang until these have passed; without one, no request of a busy machine takes so long.
      AIRLINE_LAUNCHPAD_TIMEOUT_MS: '10000',
      AIRLINE_UPLOAD_IDLE_MS: '10000',
      AIRLINE_LOG_MAX_BYTES: String(MAX_LOG_BYTES),
    },
  });
  messages = await startBuilds(airline, situations);
});
afterAll(() => airline.stop());

const allOf = (name: string) => messages.get(name) ?? Promise.reject(new Error(`no build ${name}`));
const play = async ({ name, final, check }: Situation) => {
  const all = await allOf(name);
  expectOneStream(all);
  expect(all.at(-1)).toMatchObject(final);
  await check?.(all);
};

describe('the verdict on a build whose upload server', () => {
  test.each(UPLOADING)('$name', play);

  test('brings each of these sources to the PPA once, and has nothing rejected', async () => {
    await Promise.all(UPLOADING.map(({ name }) => allOf(name)));
    const rejections = join(airline.stack.directories.state, 'stand-in', 'rejections.jsonl');
    expect(await readFile(rejections, 'utf8').catch(() => '')).toBe('');
  });

  test('same-version-same-contents', async () => {
    await allOf('ftp-550');
    const before = await airline.submit({ name: 'twice' });
    const ppa = { ppa: 'ppa:airline/twice' };
    const [first, second] = [
      await airline.messages(await airline.requestBuild(before, ppa)),
      await airline.messages(await airline.requestBuild(before, ppa)),
    ];
    expect(first.at(-1)).toMatchObject(COMPLETED);
    expect(second.at(-1)).toMatchObject(COMPLETED);
    expect(second.at(-1)?.builds).toEqual(first.at(-1)?.builds);
  });
});

describe('the verdict on builds that the PPA shows as', () => {
  test.each(WATCHING)('$name', play);
});

describe('the logs of a build where the PPA has', () => {
  test.each(LOGS)('$name', play);
});
