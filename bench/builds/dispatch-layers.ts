import pino from 'pino';
import { createBuildWorkflows, type BuildWorkflows } from '../../dispatch/build-workflows.ts';
import { startDispatcher } from '../../dispatch/dispatch-builds.ts';
import type { BuildSourceInput } from '../../domain/build-workflow.ts';
import { acceptedPpa } from '../../domain/ppa.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import { openDatabase } from '../../models/database.ts';
import { migrate } from '../../models/sql/migrate.ts';
import { run } from '../api/seed.ts';
import { sideBySide } from './side-by-side.ts';

const DATABASE = 'dispatch_layers';
/** Ids of its builds begin there, so that no workflow of theirs is one of the API's own. */
const FIRST_BUILD = 500_000_000;
const TICKET = 1;
const LIMIT_MS = 600_000;
const LOOK_MS = 5;
const RPC_MS = 5_000;
/** As many starts at a time as a dispatcher has. */
const LANES = 8;

/** Builds a second that each part of dispatching could do alone. */
export type DispatchLayers = {
  /** The dispatcher with a Temporal that takes no time: rows are found, locked and marked. */
  rowsPerSecond: number;
  /** The starts alone, as many at a time, with all that the API says of a build. */
  startsPerSecond: number;
  /** Both: the dispatcher, with all rows there when it begins and no API around it. */
  backlogPerSecond: number;
};

/** Measures the parts of the dispatcher in this process, on a database of their own beside the API's. */
export type LayerMeasurement = {
  measure: (count: number) => Promise<DispatchLayers>;
  close: () => Promise<void>;
};

/** @param input what the API starts workflows with */
export async function openDispatchLayers(options: {
  databaseUrl: string;
  temporalAddress: string;
  namespace: string;
  input: BuildSourceInput;
}): Promise<LayerMeasurement> {
  const { input } = options;
  const database = openDatabase(await makeDatabase(options.databaseUrl));
  const temporal = createBuildWorkflows({
    address: options.temporalAddress,
    namespace: options.namespace,
    limits: input.limits,
    rpcTimeoutMs: RPC_MS,
    taskQueue: 'bench-layers',
  });
  let lastId = 2 * FIRST_BUILD - 1;
  const { buildId: _buildId, attempt: _attempt, ...request } = input.request;

  const fill = async (count: number) => {
    await sideBySide(Array.from({ length: count }), LANES, () =>
      database.Build.accept({ ...request, ticketId: TICKET, requestId: 'bench' }),
    );
  };

  /** Lets a dispatcher work off so many rows that are there. */
  const dispatch = async (count: number, start: BuildWorkflows['start']): Promise<number> => {
    await fill(count);
    let started = 0;
    const startedAtMs = performance.now();
    const dispatcher = startDispatcher({
      database,
      workflows: {
        ...temporal,
        async start(build) {
          await start(build);
          started += 1;
        },
      },
      logger: pino({ level: 'silent' }),
      intervalMs: 1_000,
      maxBackoffMs: 1_000,
      sweepIntervalMs: Number.MAX_SAFE_INTEGER,
      startMs: LIMIT_MS,
      silenceMs: LIMIT_MS,
    });
    try {
      const until = { timeoutMs: LIMIT_MS, intervalMs: LOOK_MS };
      await waitUntil('the dispatch of all rows', () => started === count, until);
      // It is done with the last row when that is committed.
      await waitUntil(
        'the last commit',
        async () => (await database.Build.backlog()).count === 0,
        until,
      );
      return (count / (performance.now() - startedAtMs)) * 1_000;
    } finally {
      await dispatcher.stop();
    }
  };

  return {
    async measure(count) {
      const rowsPerSecond = await dispatch(count, () => Promise.resolve());
      const ids = Array.from({ length: count }, () => ++lastId);
      const startedAtMs = performance.now();
      await sideBySide(ids, LANES, (buildId) =>
        temporal.start({
          workflowId: `build-${buildId}-ticket-${request.ticketId}-layers`,
          requestId: 'bench',
          request: { ...request, buildId, attempt: 1 },
          ppa: acceptedPpa(request),
          packagesToRetry: undefined,
        }),
      );
      const startsPerSecond = (count / (performance.now() - startedAtMs)) * 1_000;
      const backlogPerSecond = await dispatch(count, (build) => temporal.start(build));
      return { rowsPerSecond, startsPerSecond, backlogPerSecond };
    },
    close: async () => {
      await temporal.close();
      await database.close();
    },
  };
}

async function makeDatabase(besideUrl: string): Promise<string> {
  const url = new URL(besideUrl);
  await run(url.href, `CREATE DATABASE ${DATABASE}`);
  url.pathname = `/${DATABASE}`;
  await migrate(url.href);
  await run(
    url.href,
    `INSERT INTO ticket (id, owner, title) VALUES (${TICKET}, 'bench@airline.example', 'Layers');
     SELECT setval(pg_get_serial_sequence('build', 'id'), ${FIRST_BUILD}, false)`,
  );
  return url.href;
}
