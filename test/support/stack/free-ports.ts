import { randomInt } from 'node:crypto';
import { checkPorts, type NeededPort } from '../../../main/embedded/ports.ts';
import { neededRabbitmqPorts } from '../../../main/embedded/rabbitmq.ts';

// Below the range that the kernel takes the ports of outgoing connections from, so that a port
// that is free now stays free; and RabbitMQ's other two ports, 20000 above, still exist.
const FIRST = 12_000;
const LAST = 31_000;
const TRIES = 50;

type Ports = {
  database: number;
  amqp: number;
  temporal: number;
  temporalUi: number;
  standIn: number;
  standInFtp: number;
  api: number;
};

/** The variables that put each part on its port. */
export function portVariables(ports: Ports): Record<string, string> {
  return {
    AIRLINE_API_PORT: String(ports.api),
    AIRLINE_DATABASE_PORT: String(ports.database),
    AIRLINE_AMQP_PORT: String(ports.amqp),
    AIRLINE_TEMPORAL_PORT: String(ports.temporal),
    AIRLINE_TEMPORAL_UI_PORT: String(ports.temporalUi),
    AIRLINE_STAND_IN_PORT: String(ports.standIn),
    AIRLINE_STAND_IN_FTP_PORT: String(ports.standInFtp),
  };
}

/** Ports that are free now, one for each part. */
export async function freePorts(): Promise<Ports> {
  for (let tries = 0; tries < TRIES; tries++) {
    const first = randomInt(FIRST, LAST);
    const [amqp, database, temporal, temporalUi, standIn, standInFtp, api] = Array.from(
      { length: 7 },
      (_, at) => first + at,
    ) as [number, number, number, number, number, number, number];
    const others = [database, temporal, temporalUi, standIn, standInFtp, api].map(
      (port): NeededPort => ({ port, host: '127.0.0.1', variable: '', part: '' }),
    );
    try {
      await checkPorts([...neededRabbitmqPorts(amqp), ...others]);
      return { database, amqp, temporal, temporalUi, standIn, standInFtp, api };
    } catch {
      // One of them is taken: others then.
    }
  }
  throw new Error(`Found no free ports between ${FIRST} and ${LAST} in ${TRIES} tries.`);
}
