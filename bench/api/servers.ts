import { join } from 'node:path';
import type { ServerProgram } from './server-process.ts';

// Nothing listens there: neither is needed for tickets, and the API runs without them.
const NOWHERE = '127.0.0.1:9';
const READY_PATH = '/api/v1/ticket/1/';

type ServerSetting = {
  databaseUrl: string;
  port: number;
  /** For state and logs. */
  directory: string;
};

/** Makes a server's program from its name and setting. */
export type Program = (name: string, setting: ServerSetting) => ServerProgram;

/** Airline's own API, as it ships: authentication off on loopback, every request logged. */
export const airline: Program = (name, { databaseUrl, port, directory }) => ({
  name,
  args: ['main/api.ts'],
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
});

/** The peer, raw `node:http` and `pg`. */
export const raw: Program = peerProgram(['bench/api/raw-server.ts']);

/** One of the layers of bench/api/layer-server.ts. */
export const layer = (name: string): Program => peerProgram(['bench/api/layer-server.ts', name]);

function peerProgram(args: readonly string[]): Program {
  return (name, { databaseUrl, port }) => ({
    name,
    args,
    environment: { BENCH_DATABASE_URL: databaseUrl, BENCH_PORT: String(port) },
    port,
    readyPath: READY_PATH,
  });
}
