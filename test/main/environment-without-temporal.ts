import { foreignEnvironment } from '../../main/config/config.ts';

/** Nothing listens there. */
const CLOSED = '127.0.0.1:1';

/** The environment of a worker or tester that has its database, and waits for Temporal. */
export function environmentWithoutTemporal(
  stateDir: string,
  databaseUrl: string,
): Record<string, string> {
  return {
    ...foreignEnvironment(),
    AIRLINE_STATE_DIR: stateDir,
    AIRLINE_DATABASE_URL: databaseUrl,
    AIRLINE_AMQP_URL: `amqp://${CLOSED}`,
    AIRLINE_TEMPORAL_ADDRESS: CLOSED,
    // Any file will do: it does not come to read it.
    AIRLINE_WORKFLOW_BUNDLE: 'package.json',
  };
}
