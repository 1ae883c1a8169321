import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { BuildPhase } from '../../domain/builds/build-phase.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import type { WaitedFor } from '../../domain/builds/waiting.ts';
import { stackAddresses } from '../support/addresses.ts';
import { startAirline, type Airline, type Script } from '../support/airline.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

jest.setTimeout(600_000);

const INTERVAL = { AIRLINE_PROGRESS_INTERVAL_MS: '300' };
const ENOUGH = 3;
/** Far more than the interval, however busy the machine is; a caller who hears nothing for so long is left alone. */
const SILENCE_MS = 30_000;
const WAITED_FOR: Partial<Record<BuildPhase, WaitedFor>> = {
  accepting: 'ppa',
  waiting_for_builder: 'builder',
  dependency_wait: 'dependency',
};
const SCRIPT: Script = {
  sources: {
    unshown: { acceptAfterMs: 600_000 },
    waiting: { builds: { '*': [{ state: 'Needs building' }] } },
    endless: { builds: { '*': [{ state: 'Currently building' }] } },
    unanswered: { builds: { '*': [{ state: 'Currently building' }] } },
    blocked: { builds: { '*': [{ state: 'Dependency wait', dependencies: 'libabsent' }] } },
    late: { builds: { '*': [{ state: 'Successfully built', logAfterMs: 600_000 }] } },
  },
  ftp: [{ on: 'STOR', match: 'hanging', hang: true }],
};

type Requested = { id: number; resource_uri: string; progress_trigger: string };

function longestSilenceMs(messages: readonly ProgressMessage[]): number {
  const times = messages.map(({ timestamp }) => Date.parse(timestamp));
  return Math.max(...times.slice(1).map((time, at) => time - (times[at] as number)));
}

/**
 * Listens until a build was told of in a phase, again and again, and cancels it then.
 *
 * @returns all its messages
 */
async function hear(airline: Airline, build: Requested, phase: BuildPhase) {
  let heard = 0;
  return airline.messages(build, async (message) => {
    if (message.phase !== phase) return;
    // It says how far it is as soon as the upload has begun.
    if (phase === 'uploading' && !message.upload) return;
    heard += 1;
    if (heard !== ENOUGH) return;
    expect(await airline.rest.get(build.resource_uri)).toMatchObject({
      phase,
      phase_since: message.phase_since,
      waiting: message.waiting ?? null,
      upload: message.upload ? { package: message.upload.package } : null,
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
      script: SCRIPT,
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
    expect(new Set(told.map(({ waiting }) => waiting?.for))).toEqual(new Set([WAITED_FOR[phase]]));
    // From the first message that knows it.
    expect(told[0]?.builds.flatMap(({ dependencies }) => dependencies ?? [])).toEqual(
      phase === 'dependency_wait' ? ['libabsent'] : [],
    );
    expect(messages.at(-1)).toMatchObject({ exit: true, phase: 'cancelled' });
    if (phase === 'uploading')
      expect(told.at(-1)?.upload).toEqual({
        package: `${name} 1.0`,
        sent_bytes: expect.any(Number) as number,
        total_bytes: expect.any(Number) as number,
      });
  });

  test('building, while the PPA does not answer', async () => {
    const build = await airline.requestBuild(await airline.submit({ name: 'unanswered' }));
    let outage: { since: string } | undefined;
    const heard: ProgressMessage[] = [];
    try {
      const messages = await airline.messages(build, async (message) => {
        if (message.phase !== 'building') return;
        if (!outage) {
          airline.play({ ...SCRIPT, web: [{ reset: true }] });
          outage = await until('a look fails', async () => {
            const { trouble } = await airline.rest.get<{ trouble: { since: string } | null }>(
              build.resource_uri,
            );
            return trouble ?? undefined;
          });
        } else if (message.timestamp > outage.since && heard.push(message) === ENOUGH)
          await airline.rest.post(`${build.resource_uri}cancel/`, {});
      });
      expect(heard.length).toBeGreaterThanOrEqual(ENOUGH);
      expect(longestSilenceMs(messages)).toBeLessThan(SILENCE_MS);
    } finally {
      airline.play(SCRIPT);
    }
  });
});

test('one that no worker takes is told of from the first second on, again and again, with Temporal and without', async () => {
  const { hostname, port } = new URL(`tcp://${stackAddresses().temporalAddress}`);
  const temporal = await startTcpProxy(hostname, Number(port));
  const airline = await startAirline({
    environment: { ...INTERVAL, AIRLINE_TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}` },
    parts: ['api'],
  });
  const enough = new Error('enough');
  async function hearOf(name: string): Promise<void> {
    const build = await airline.requestBuild(await airline.submit({ name }));
    const heard: ProgressMessage[] = [];
    const listening = airline.messages(build, async (told) => {
      heard.push(told);
      expect(told).toMatchObject({
        phase: 'queued',
        state: 'WAITING',
        message: null,
        waiting: { for: 'temporal', gives_up_at: expect.any(String) as string },
      });
      if (heard.length === ENOUGH) throw enough;
    });
    await expect(listening).rejects.toBe(enough);
    expect(heard.map(({ seq }) => seq)).toEqual(heard.map((_, at) => at + 1));
    expect(longestSilenceMs(heard)).toBeLessThan(SILENCE_MS);
  }
  try {
    // Temporal starts nothing before a worker has registered the search attributes.
    await hearOf('untaken');
    temporal.close();
    await hearOf('unstarted');
  } finally {
    await airline.stop();
    await temporal.stop();
  }
});
