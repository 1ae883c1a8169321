import type { ProgressMessage } from '../../domain/progress.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { COMPLETED, expectOneStream, failedAs, scriptOf, startBuilds, type Mood } from './moods.ts';

jest.setTimeout(240_000);

const MADE = [{ state: 'Successfully built', binaries: true }];

const MOODS: Mood[] = [
  {
    name: 'never-accepted',
    source: { rejected: 'Version older than that in the archive.' },
    final: failedAs('upload_rejected', {
      retryable: false,
      message: expect.stringContaining('never-accepted 1.0'),
      hint: expect.stringMatching(/key.*version/),
    }),
  },
  {
    name: 'ftp-cut-in-the-changes',
    ftp: [
      { on: 'STOR', match: 'ftp-cut-in-the-changes_1.0_source.ch', cutAfterBytes: 9, count: 1 },
    ],
    final: failedAs('upload_failed', {
      retryable: true,
      message: expect.stringContaining('broke off in its last file'),
    }),
  },
  {
    name: 'ftp-disk-full-for-good',
    ftp: [{ on: 'STOR', match: 'ftp-disk-full-for-good_1.0', reply: '552 Disk full.' }],
    final: failedAs('upload_failed', { retryable: true }),
  },
  {
    name: 'dependency-wait-stays',
    source: { builds: { '*': [{ state: 'Dependency wait', dependencies: 'libfoo-dev' }] } },
    final: failedAs('dependency_wait', {
      retryable: true,
      package: 'dependency-wait-stays',
      architecture: 'amd64',
      message: expect.stringContaining('libfoo-dev'),
    }),
  },
  {
    name: 'unknown-state-for-good',
    source: { builds: { '*': [{ state: 'Frobnicating' }] } },
    final: failedAs('timed_out', { retryable: true }),
  },
  {
    name: 'never-published',
    source: { publishAfterMs: 86_400_000, builds: { '*': MADE } },
    final: { ...failedAs('timed_out'), builds: [{ buildstate: 'Successfully built' }] },
  },
  {
    name: 'published-late',
    source: { publishAfterMs: 3_000, builds: { '*': MADE } },
    final: { ...COMPLETED, builds: [{ buildstate: 'Successfully built' }] },
  },
];

let airline: Airline;
let messages: Map<string, Promise<ProgressMessage[]>>;

beforeAll(async () => {
  airline = await startAirline({
    script: scriptOf(MOODS),
    environment: {
      AIRLINE_AWAIT_PUBLICATION: 'on',
      AIRLINE_STAND_IN_BUILDERS: '20',
      AIRLINE_ACCEPTANCE_MS: '25000',
      AIRLINE_DEPENDENCY_WAIT_MS: '3000',
      AIRLINE_UPLOAD_MS: '15000',
      AIRLINE_WHOLE_BUILD_MS: '45000',
      AIRLINE_CANCELLATION_MS: '2000',
    },
  });
  messages = await startBuilds(airline, MOODS);
});
afterAll(() => airline.stop());

describe('the verdict when a deadline passes', () => {
  test.each(MOODS)('$name', async ({ name, final }) => {
    const all = (await messages.get(name)) ?? [];
    expectOneStream(all);
    expect(all.at(-1)).toMatchObject(final);
  });
});
