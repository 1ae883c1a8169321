import { join } from 'node:path';
import { startServer, type ServerProcess } from './server-process.ts';

// Nothing listens there: neither is needed for tickets, and the API runs without them.
const NOWHERE = '127.0.0.1:9';
const READY_PATH = '/api/v1/ticket/1/';

/** What every server of a measurement shares. */
export type ServerSetting = {
  directory: string;
  signal: AbortSignal;
  /** Folder for V8's profiles of Airline's processes; unset: none are taken. */
  profileDir?: string | undefined;
};

/** Starts Airline's own API, as it ships: authentication off on loopback, every request logged. */
export function startAirline(
  name: string,
  databaseUrl: string,
  port: number,
  { directory, signal, profileDir }: ServerSetting,
): Promise<ServerProcess> {
  return startServer(
    {
      name,
      args: ['main/api.ts'],
      nodeArgs: profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [],
      environment: {
        AIRLINE_AUTH: 'off',
        AIRLINE_STATE_DIR: join(directory, name.replaceAll(/\W+/g, '-')),
        AIRLINE_DATABASE_URL: databaseUrl,
        AIRLINE_AMQP_URL: `amqp://guest:guest@${NOWHERE}/`,
        AIRLINE_TEMPORAL_ADDRESS: NOWHERE,
        AIRLINE_API_PORT: String(port),
      },
      port,
      readyPath: READY_PATH,
    },
    directory,
    signal,
  );
}

/** Starts the peer, raw `node:http` and `pg`. */
export function startRaw(
  name: string,
  databaseUrl: string,
  port: number,
  { directory, signal }: ServerSetting,
): Promise<ServerProcess> {
  return startServer(
    {
      name,
      args: ['bench/api/raw-server.ts'],
      environment: { BENCH_DATABASE_URL: databaseUrl, BENCH_PORT: String(port) },
      port,
      readyPath: READY_PATH,
    },
    directory,
    signal,
  );
}

/** Starts one of the layers of bench/api/layer-server.ts. */
export function startLayer(
  name: string,
  layer: string,
  databaseUrl: string,
  port: number,
  { directory, signal }: ServerSetting,
): Promise<ServerProcess> {
  return startServer(
    {
      name,
      args: ['bench/api/layer-server.ts', layer],
      environment: { BENCH_DATABASE_URL: databaseUrl, BENCH_PORT: String(port) },
      port,
      readyPath: READY_PATH,
    },
    directory,
    signal,
  );
}
