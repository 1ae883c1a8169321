import { knownDistributions, readMachine } from '../stand-in/builders/machine.ts';
import type { RunAs } from '../stand-in/options.ts';
import { startStandIn } from '../stand-in/stand-in.ts';
import { list } from './config/addresses.ts';
import { ConfigError, loadConfig, type Config } from './config/config.ts';
import { findAccount } from './embedded/unprivileged-user.ts';
import { createLogger } from './config/logging.ts';

const config = loadConfig();
const logger = createLogger({
  name: 'stand-in',
  level: config.AIRLINE_LOG_LEVEL,
  format: config.AIRLINE_LOG_FORMAT,
});
const machine = await readMachine();
const [nominated = machine.architecture, ...others] = list(
  config.AIRLINE_STAND_IN_ARCHITECTURES ?? '',
);
const scriptPath = config.AIRLINE_STAND_IN_SCRIPT;
const runAs = scriptPath === undefined ? buildUser(config) : undefined;

const standIn = await startStandIn({
  host: '127.0.0.1',
  webPort: config.AIRLINE_STAND_IN_PORT,
  ftpPort: config.AIRLINE_STAND_IN_FTP_PORT,
  stateDir: config.AIRLINE_STATE_DIR,
  cacheDir: config.AIRLINE_CACHE_DIR,
  distributions: knownDistributions(machine),
  architectures: [nominated, ...others],
  builders: config.AIRLINE_STAND_IN_BUILDERS,
  processIntervalMs: config.AIRLINE_STAND_IN_PROCESS_INTERVAL_MS,
  logger,
  ...(scriptPath === undefined ? {} : { scriptPath }),
  ...(runAs ? { runAs } : {}),
});

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    logger.info({ signal }, 'stopping');
    void standIn.stop().then(() => logger.info('stopped'));
  });

/** The user that builds where the stand-in is root, which sbuild refuses to be. */
function buildUser({ AIRLINE_STAND_IN_BUILD_USER: name }: Config): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (name === undefined)
    throw new ConfigError(
      'AIRLINE_STAND_IN_BUILD_USER is not set: sbuild does not run as root. Set it, or let `npm start` make a user.',
    );
  const account = findAccount(name);
  if (!account)
    throw new ConfigError(`AIRLINE_STAND_IN_BUILD_USER: there is no user ${JSON.stringify(name)}`);
  return account;
}
