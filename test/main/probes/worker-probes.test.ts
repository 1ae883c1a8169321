import { join } from 'node:path';
import pino from 'pino';
import { assertRoom } from '../../../activities/testing/slots-with-room.ts';
import { serveProbes } from '../../../main/probes/worker-probes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { getFromSocket } from './get-from-socket.ts';

const logger = pino({ level: 'silent' });
const readMetrics = async () => ({ body: 'figure 1\n', mediaType: 'text/plain' });
const answer = async () => {};
const isDown = async () => {
  throw new Error('postgres://airline:secret@db does not answer');
};

/** Parts that are as well as a test says. */
function scriptedParts() {
  const parts = { query: answer, systemInfo: answer, state: 'RUNNING' };
  const database = { sequelize: { query: () => parts.query() } };
  const polling = {
    connection: {
      withDeadline: <T>(_: number, call: () => Promise<T>) => call(),
      workflowService: { getSystemInfo: () => parts.systemInfo() },
    },
    workers: [{ getState: () => parts.state, options: { taskQueue: 'build-source' } }],
  };
  return { parts, database, polling };
}

/**
 * Serves the probes of such parts. Each call asks anew: that a health check counts for two seconds is another test's
 * concern.
 */
async function serve(ownParts = {}) {
  const address = join(temporaryDirectory(), 'probes.sock');
  const { parts, database, polling } = scriptedParts();
  const probes = await serveProbes({
    address,
    database,
    ownParts,
    timeoutMs: 60_000,
    readMetrics,
    logger,
  });
  return { parts, polling, probes, get: (path: string) => getFromSocket(address, path) };
}

it('is alive and not ready before it has connected', async () => {
  const { get, probes } = await serve();
  expect(await get('/healthz')).toMatchObject({ status: 200, body: '{"healthy":true}' });
  const { status, body } = await get('/readyz');
  expect([status, JSON.parse(body)]).toMatchObject([
    503,
    { ready: false, health: { database: { healthy: true }, polling: { healthy: false } } },
  ]);
  await probes.close();
});

it('is ready while it polls, and Temporal and the database answer', async () => {
  const { get, probes, polling } = await serve();
  probes.attach(polling);
  const { status, body } = await get('/readyz');
  expect([status, JSON.parse(body).ready]).toEqual([200, true]);
  await probes.close();
});

it.each([
  ['the database', { query: isDown }, 'database'],
  ['Temporal', { systemInfo: isDown }, 'temporal'],
  ['a worker that still polls', { state: 'DRAINING' }, 'polling'],
])('is not ready without %s, and tells nobody why but its log', async (_, changed, part) => {
  const { get, probes, parts, polling } = await serve();
  probes.attach(polling);
  Object.assign(parts, changed);
  const { status, body } = await get('/readyz');
  const { health } = JSON.parse(body) as { health: Record<string, { healthy: boolean }> };
  const unwell = Object.entries(health).flatMap(([name, { healthy }]) => (healthy ? [] : [name]));
  expect([status, unwell]).toEqual([503, [part]]);
  expect(body).not.toContain('secret');
  await probes.close();
});

it('is not ready while the disk of a tester is short, and names the disk', async () => {
  const room = { isShort: false };
  const { get, probes, polling } = await serve({ disk: () => assertRoom(room) });
  probes.attach(polling);
  expect(await get('/readyz')).toMatchObject({ status: 200 });
  await probes.close();

  room.isShort = true;
  const { get: getShort, probes: others } = await serve({ disk: () => assertRoom(room) });
  others.attach(polling);
  const { status, body } = await getShort('/readyz');
  expect([status, JSON.parse(body)]).toMatchObject([
    503,
    { ready: false, health: { disk: { healthy: false }, polling: { healthy: true } } },
  ]);
  await others.close();
});

it('serves figures and nothing else', async () => {
  const { get, probes } = await serve();
  expect(await get('/metrics?x=1')).toMatchObject({ status: 200, body: 'figure 1\n' });
  expect(await get('/constructor')).toMatchObject({ status: 404 });
  await probes.close();
});
