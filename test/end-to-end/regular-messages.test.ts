import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { BuildPhase } from '../../domain/build-phase.ts';
import { startAirline, type Airline } from '../support/airline.ts';

jest.setTimeout(240_000);

const INTERVAL = { AIRLINE_PROGRESS_INTERVAL_MS: '300' };
const ENOUGH = 3;

type Requested = { id: number; resource_uri: string; progress_trigger: string };

/**
 * Listens until a build was told of in a phase, again and again, and cancels it then.
 *
 * @returns all its messages
 */
async function hear(airline: Airline, build: Requested, phase: BuildPhase) {
  let heard = 0;
  return airline.messages(build, async (message) => {
    if (message.phase !== phase) return;
    heard += 1;
    if (heard !== ENOUGH) return;
    expect(await airline.rest.get(build.resource_uri)).toMatchObject({
      phase,
      phase_since: message.phase_since,
    });
    await airline.rest.post(`${build.resource_uri}cancel/`, {});
  });
}

describe('a build that stays in a phase is told of at the regular interval', () => {
  let airline: Airline;
  const silent = createServer(() => undefined);
  beforeAll(async () => {
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    airline = await startAirline({
      environment: { ...INTERVAL, AIRLINE_CANCELLATION_MS: '2000' },
      script: {
        sources: {
          unshown: { acceptAfterMs: 600_000 },
          waiting: { builds: { '*': [{ state: 'Needs building' }] } },
          endless: { builds: { '*': [{ state: 'Currently building' }] } },
          blocked: { builds: { '*': [{ state: 'Dependency wait', dependencies: 'libabsent' }] } },
          late: { builds: { '*': [{ state: 'Successfully built', logAfterMs: 600_000 }] } },
        },
        ftp: [{ on: 'STOR', match: 'hanging', hang: true }],
      },
    });
  });
  afterAll(async () => {
    await airline.stop();
    silent.closeAllConnections();
    silent.close();
  });

  test.each<[BuildPhase, string]>([
    ['checking', 'unfetched'],
    ['uploading', 'hanging'],
    ['accepting', 'unshown'],
    ['waiting_for_builder', 'waiting'],
    ['building', 'endless'],
    ['dependency_wait', 'blocked'],
    ['collecting', 'late'],
  ])('%s', async (phase, name) => {
    const { ticketId, urls } = await airline.submit({ name });
    const { port } = silent.address() as AddressInfo;
    const fetched = [`http://127.0.0.1:${port}/${name}_1.0_source.changes`];
    const build = await airline.requestBuild({
      ticketId,
      urls: phase === 'checking' ? fetched : urls,
    });

    const messages = await hear(airline, build, phase);

    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
    const told = messages.filter((message) => message.phase === phase);
    expect(told.length).toBeGreaterThanOrEqual(ENOUGH);
    expect(new Set(told.map((message) => message.phase_since)).size).toBe(1);
    expect(messages.at(-1)).toMatchObject({ exit: true, phase: 'cancelled' });
  });
});

test('one that no worker takes is told of from the first second on, again and again', async () => {
  const airline = await startAirline({
    environment: INTERVAL,
    script: { sources: {} },
    parts: ['stand-in', 'api'],
  });
  try {
    const build = await airline.requestBuild(await airline.submit({ name: 'untaken' }));
    const enough = new Error('enough');
    const seqs: number[] = [];
    const listening = airline.messages(build, async ({ seq, phase, state, message }) => {
      expect({ phase, state, message }).toEqual({
        phase: 'queued',
        state: 'WAITING',
        message: null,
      });
      if (seqs.push(seq) === ENOUGH) throw enough;
    });
    await expect(listening).rejects.toBe(enough);
    expect(seqs).toEqual([1, 2, 3]);
  } finally {
    await airline.stop();
  }
});
