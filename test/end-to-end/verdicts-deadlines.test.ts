import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { until } from '../support/until.ts';
import { requestHere, startImpatient } from './impatient-airline.ts';
import {
  COMPLETED,
  expectOneStream,
  failedAs,
  scriptOf,
  shows,
  startBuilds,
  type Situation,
} from './situations.ts';

jest.setTimeout(900_000);

const MADE = [{ state: 'Successfully built', binaries: true }];

/** The limit that passes is that of an upload or of its acceptance. */
const UPLOADS: Situation[] = [
  {
    name: 'never-accepted',
    source: { rejected: 'Version older than that in the archive.' },
    final: failedAs('upload_rejected', {
      retryable: false,
      message: expect.stringContaining('never-accepted 1.0'),
      hint: expect.stringMatching(/key.*version.*architectures/),
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
];

/** The time for the whole build passes while the PPA shows this. */
const STANDSTILLS: (Situation & { shown: string })[] = [
  {
    name: 'unknown-state-for-good',
    shown: 'Frobnicating',
    source: { builds: { '*': [{ state: 'Frobnicating' }] } },
    final: failedAs('timed_out', { retryable: true }),
  },
  {
    name: 'never-published',
    shown: 'Successfully built',
    source: { publishAfterMs: 86_400_000, builds: { '*': MADE } },
    final: { ...failedAs('timed_out'), builds: [{ buildstate: 'Successfully built' }] },
  },
];

/** Only the time to wait for dependencies passes. */
const PATIENT: Situation[] = [
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
    name: 'published-late',
    source: { publishAfterMs: 3_000, builds: { '*': MADE } },
    final: { ...COMPLETED, builds: [{ buildstate: 'Successfully built' }] },
  },
];
const MOODS = [...UPLOADS, ...STANDSTILLS, ...PATIENT];

let airline: Airline;
let impatient: Airline;
let messages: Map<string, Promise<ProgressMessage[]>>;

beforeAll(async () => {
  airline = await startAirline({
    script: scriptOf(MOODS),
    environment: {
      AIRLINE_AWAIT_PUBLICATION: 'on',
      AIRLINE_STAND_IN_BUILDERS: '20',
      AIRLINE_DEPENDENCY_WAIT_MS: '3000',
    },
  });
  impatient = await startImpatient(airline, {
    AIRLINE_AWAIT_PUBLICATION: 'on',
    AIRLINE_UPLOAD_MS: '15000',
    AIRLINE_ACCEPTANCE_MS: '10000',
    AIRLINE_WHOLE_BUILD_MS: '45000',
    AIRLINE_CANCELLATION_MS: '2000',
  });
  const started = startBuilds(airline, PATIENT);
  const hurried = new Map<string, Promise<ProgressMessage[]>>();
  const shown = new Map(STANDSTILLS.map((situation) => [situation.name, situation.shown]));
  for (const { name } of [...UPLOADS, ...STANDSTILLS]) {
    const ppa = `ppa:airline/${name}`;
    const submitted = await airline.submit({ name });
    const state = shown.get(name);
    if (state !== undefined) await bringTo(state, submitted, ppa);
    const all = impatient.messages(await requestHere(impatient, submitted, { ppa }));
    // Its test awaits it later, and fails then.
    all.catch(() => undefined);
    hurried.set(name, all);
  }
  messages = new Map([...(await started), ...hurried]);
});
afterAll(async () => {
  await impatient.stop();
  await airline.stop();
});

/** Lets the patient one build it, until the PPA shows it in a state. */
async function bringTo(
  state: string,
  submitted: Awaited<ReturnType<Airline['submit']>>,
  ppa: string,
): Promise<void> {
  const { resource_uri: uri } = await airline.requestBuild(submitted, { ppa });
  await until(
    `the PPA shows ${state}`,
    async () => {
      const { objects } = await airline.rest.get<{ objects: ProgressMessage[] }>(`${uri}events/`);
      return objects.some(({ builds }) => shows(state)(builds));
    },
    600_000,
  );
}

describe('the verdict when a deadline passes', () => {
  test.each(MOODS)('$name', async ({ name, final }) => {
    const all = (await messages.get(name)) ?? [];
    expectOneStream(all);
    expect(all.at(-1)).toMatchObject(final);
  });
});
