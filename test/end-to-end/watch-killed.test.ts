import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { NEWS_SIGNAL, watchWorkflowId } from '../../domain/builds/ppa-watch.ts';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { foreignEnvironment } from '../../main/config/config.ts';
import { startOverheardProxy } from '../progress/overheard-proxy.ts';
import { stackAddresses } from '../support/addresses.ts';
import { startAirline, type Airline } from '../support/airline.ts';
import { programArguments } from '../support/program.ts';
import { until } from '../support/until.ts';

const builds = {
  '*': [{ state: 'Currently building', untilReleased: true }, { state: 'Successfully built' }],
};
/** Within a round: the PPA shows the upload well before it. Between rounds: most of the time. */
const ROUND_MS = 15_000;
const PATIENCE_MS = 300_000;

jest.setTimeout(600_000);

let airline: Airline;
let database: Client;
let worker: string[];
const workers: ChildProcess[] = [];

beforeAll(async () => {
  worker = await programArguments('main/worker.ts');
  airline = await startAirline({
    script: { sources: { '*': { builds } } },
    parts: ['stand-in', 'api'],
    environment: {
      AIRLINE_STAND_IN_BUILDERS: '2',
      AIRLINE_POLL_INITIAL_MS: String(ROUND_MS),
      AIRLINE_POLL_MAX_MS: String(ROUND_MS),
    },
  });
  database = new Client({ connectionString: airline.stack.addresses.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  for (const one of workers) if (one.kill('SIGKILL')) await once(one, 'exit');
  await database?.end();
  await airline?.stop();
});

/** A worker that the test can kill. */
function startWorker(addresses: Record<string, string> = {}): ChildProcess {
  const started = spawn(process.execPath, worker, {
    stdio: 'ignore',
    env: {
      ...foreignEnvironment(),
      ...airline.stack.environment,
      ...addresses,
    },
  });
  workers.push(started);
  return started;
}

function server(url: string) {
  const { hostname: host, port } = new URL(url);
  return { host, port: Number(port) };
}

async function requestBuild(ppa: string) {
  const build = await airline.requestBuild(await airline.submit({ name: `in-${ppa}` }), {
    ppa: `ppa:airline/${ppa}`,
  });
  const watched = async () => {
    const { rows } = await database.query<{ accepted: boolean; told_phase: string | null }>(
      'SELECT accepted, told_phase FROM watched_build WHERE build_id = $1',
      [build.id],
    );
    return rows[0];
  };
  const news = async () => {
    const { events } = await airline.temporal.workflow
      .getHandle((await airline.build(build.id)).workflow_id)
      .fetchHistory();
    return (events ?? []).filter(
      ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === NEWS_SIGNAL,
    ).length;
  };
  return { ...build, watched, news };
}

async function hasWorkflow(workflowId: string): Promise<boolean> {
  const found = airline.temporal.workflow.getHandle(workflowId).describe();
  return found.then(
    () => true,
    () => false,
  );
}

/** What the PPA says of its builds. */
async function buildStates(ppa: string): Promise<string[]> {
  const url = `${airline.stack.addresses.launchpadUrl}/devel/~airline/+archive/debian/${ppa}`;
  const answer = await fetch(`${url}?ws.op=getBuildRecords`);
  if (answer.status === 404) return [];
  const { entries } = (await answer.json()) as { entries: { buildstate: string }[] };
  return entries.map(({ buildstate }) => buildstate);
}

/** A worker that dies between publishing a message and marking it leaves it to be published again, just as it was. */
function withoutRepeats(messages: readonly ProgressMessage[]): ProgressMessage[] {
  return messages.filter(
    (message, index) =>
      !messages.slice(0, index).some((earlier) => isDeepStrictEqual(earlier, message)),
  );
}

it('a worker that dies between two rounds of a watch, or in one when it has recorded what it has not told: nothing is lost, nothing is told twice', async () => {
  const toTemporal = await startOverheardProxy(
    server(`http://${stackAddresses().temporalAddress}`),
  );
  // Once a round has read what it watches, it goes on, but nothing of it reaches Temporal.
  const { databaseUrl } = airline.stack.addresses;
  let hasJoined = false;
  const toDatabase = await startOverheardProxy(server(databaseUrl), {
    onServer: (chunk) => {
      if (hasJoined && chunk.includes('~airline/debian/within')) void toTemporal.holdClients();
      return true;
    },
  });
  const victim = startWorker({
    AIRLINE_TEMPORAL_ADDRESS: `127.0.0.1:${toTemporal.port}`,
    AIRLINE_DATABASE_URL: databaseUrl.replace(/@[^/]*/, `@127.0.0.1:${toDatabase.port}`),
  });

  const between = await requestBuild('between');
  await until(
    'it is told',
    async () => (await between.watched())?.told_phase === 'building',
    PATIENCE_MS,
  );

  const within = await requestBuild('within');
  await until('the PPA builds it', async () =>
    (await buildStates('within')).includes('Currently building'),
  );
  const ppa = { owner: 'airline', distribution: 'debian', name: 'within' };
  await until('its watch begins', () => hasWorkflow(watchWorkflowId(ppa)), PATIENCE_MS);
  hasJoined = true;
  await until('it is recorded', async () => (await within.watched())?.accepted, PATIENCE_MS);
  victim.kill('SIGKILL');
  await once(victim, 'exit');
  await toTemporal.stop();
  await toDatabase.stop();
  expect(await within.watched()).toEqual({ accepted: true, told_phase: null });
  expect(await within.news()).toBe(0);

  airline.play({ sources: { '*': { released: true, builds } } });
  for (const ppa of ['between', 'within'])
    await until('the PPA has built it', async () =>
      (await buildStates(ppa)).every((state) => state === 'Successfully built'),
    );
  startWorker();

  // The one was told of its acceptance before; the other is over when the round is tried again.
  for (const [build, news] of [
    [between, 2],
    [within, 1],
  ] as const) {
    const messages = withoutRepeats(await airline.messages(build));
    expect(messages.at(-1)).toMatchObject({ state: 'COMPLETED', seq: messages.length });
    const states = messages.flatMap(({ message, phase, builds }) =>
      message === 'INPROGRESS' ? builds.map(({ state }) => `${phase}: ${state}`) : [],
    );
    // Each change is told of once, whichever worker has seen it.
    expect(states).toEqual([...new Set(states)]);
    expect(states).toContain('building: building');
    expect(await build.news()).toBe(news);
    expect(await build.watched()).toBeUndefined();
  }
});
