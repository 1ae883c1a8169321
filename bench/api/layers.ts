import { withBenchDatabase } from './bench-database.ts';
import { load, type Sample } from './load.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import { requireSameAnswers } from './same-answers.ts';
import { readIds, SIZES } from './seed.ts';
import type { ServerProcess } from './server-process.ts';
import { startAirline, startLayer, startRaw } from './servers.ts';
import { medianSample } from './summary.ts';

export type LayerSummary = {
  title: string;
  operations: { operation: OperationName; sample: Sample }[];
};

const MEASURED: readonly OperationName[] = ['detail', 'list'];
const LEAD_IN_MS = 1_000;
const WARM_UP_MS = 3_000;
const MAX_IDS = 20_000;

/** Measures reads with one layer after the other between the socket and the database, up to the whole API. */
export function measureLayers(options: {
  rounds: number;
  windowMs: number;
  signal: AbortSignal;
  say: (line: string) => void;
}): Promise<LayerSummary[]> {
  const { rounds, windowMs, signal, say } = options;
  return withBenchDatabase(signal, async ({ make, keep, ports, directory }) => {
    const url = await make('layers', SIZES.small);
    const ids = await readIds(url, MAX_IDS);
    const setting = { directory, signal };
    const [raw, http, koa, router, pg, whole] = ports as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const servers: [string, ServerProcess][] = [
      ['node:http, fixed answer', await keep(startLayer('http', 'http', url, http, setting))],
      ['Koa, fixed answer', await keep(startLayer('koa', 'koa', url, koa, setting))],
      [
        'Koa and the router, fixed answer',
        await keep(startLayer('router', 'router', url, router, setting)),
      ],
      ['node:http and pg (the peer)', await keep(startRaw('raw', url, raw, setting))],
      ['Koa, the router and pg', await keep(startLayer('pg', 'pg', url, pg, setting))],
      ["Airline's API", await keep(startAirline('airline', url, whole, setting))],
    ];
    const [, peer] = servers[3] as [string, ServerProcess];
    const [, airline] = servers[5] as [string, ServerProcess];
    await requireSameAnswers(peer, airline, ids);
    say('ready');

    const summaries: LayerSummary[] = servers.map(([title]) => ({ title, operations: [] }));
    for (const name of MEASURED) {
      const operation = OPERATIONS.find((one) => one.name === name);
      if (!operation) throw new Error(`there is no operation ${name}`);
      const measure = async (server: ServerProcess, ms: number) =>
        (await load(server, operation, ids, { leadInMs: LEAD_IN_MS, windowMs: ms }, signal)).sample;
      for (const [, server] of servers) await measure(server, WARM_UP_MS);
      const samples: Sample[][] = servers.map(() => []);
      for (let number = 0; number < rounds; number++) {
        const order = [...servers.keys()];
        for (const at of number % 2 === 0 ? order : order.toReversed()) {
          const [, server] = servers[at] as [string, ServerProcess];
          samples[at]?.push(await measure(server, windowMs));
        }
        say(`${operation.title}: round ${number + 1} of ${rounds}`);
      }
      for (const [at, summary] of summaries.entries())
        summary.operations.push({ operation: name, sample: medianSample(samples[at] ?? []) });
    }
    return summaries;
  });
}
