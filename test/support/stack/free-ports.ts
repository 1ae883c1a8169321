import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { assertFreePorts, type NeededPort } from '../../../main/embedded/ports.ts';
import { neededRabbitmqPorts } from '../../../main/embedded/rabbitmq.ts';

/*
 * All ports are below 32,768, from where the kernel takes the ports of outgoing connections: a port that is free now
 * stays free. RabbitMQ has two more, 20,000 above its first; they end where that range begins.
 */
const BLOCKS = 1_350;
const FIRST_AMQP = 10_000;
const FIRST_OTHER = 13_000;
const OTHERS = [
  'database',
  'temporal',
  'temporalUi',
  'temporalHttp',
  'temporalMetrics',
  'standIn',
  'standInFtp',
  'api',
] as const;
const MAX_TRIES = 50;

type FreePorts = Record<'amqp' | (typeof OTHERS)[number], number>;

/** The variables that put each part on its port. */
export function portVariables(ports: FreePorts): Record<string, string> {
  return {
    AIRLINE_API_PORT: String(ports.api),
    AIRLINE_DATABASE_PORT: String(ports.database),
    AIRLINE_AMQP_PORT: String(ports.amqp),
    AIRLINE_TEMPORAL_PORT: String(ports.temporal),
    AIRLINE_TEMPORAL_UI_PORT: String(ports.temporalUi),
    AIRLINE_TEMPORAL_HTTP_PORT: String(ports.temporalHttp),
    AIRLINE_TEMPORAL_METRICS_PORT: String(ports.temporalMetrics),
    AIRLINE_STAND_IN_PORT: String(ports.standIn),
    AIRLINE_STAND_IN_FTP_PORT: String(ports.standInFtp),
  };
}

/** Free ports, one for each part. No other process is given one of them before this process ends. */
export async function freePorts(): Promise<FreePorts> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const block = randomInt(BLOCKS);
    if (!(await claimBlock(block))) continue;
    const amqp = FIRST_AMQP + 2 * block;
    const others = OTHERS.map(
      (name, at) => [name, FIRST_OTHER + OTHERS.length * block + at] as const,
    );
    const needed = others.map(([part, port]): NeededPort => ({
      port,
      host: '127.0.0.1',
      variable: '',
      part,
    }));
    try {
      await assertFreePorts([...neededRabbitmqPorts(amqp), ...needed]);
      return { amqp, ...(Object.fromEntries(others) as Omit<FreePorts, 'amqp'>) };
    } catch {
      // A program that knows nothing of our blocks has taken one: others then.
    }
  }
  throw new Error(`Found no block of free ports in ${MAX_TRIES} tries.`);
}

/**
 * Takes a block of ports for as long as this process lives. The claim is an abstract Unix socket: there is one of a
 * name on a machine, and it ends with its process.
 */
function claimBlock(block: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const claim = createServer();
    claim.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    claim.listen({ path: `\0airline-test-ports-${block}` }, () => {
      claim.unref();
      resolve(true);
    });
  });
}
