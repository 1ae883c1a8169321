import { readMachine } from '../sandbox/machine.ts';
import type { RunAs } from '../sandbox/unprivileged.ts';
import { knownDistributions } from '../stand-in/builders/known-distributions.ts';
import { startStandIn } from '../stand-in/stand-in.ts';
import { ConfigError, loadConfig } from './config/config.ts';
import { findAccount } from './embedded/unprivileged-user.ts';
import { createLogger } from './config/logging.ts';
import { onStopSignal } from './config/stop-signals.ts';

const config = loadConfig();
const logger = createLogger({ name: 'stand-in', ...config.log });
const machine = await readMachine();
const { architectures, buildUser, ...options } = config.standIn;
const [nominated = machine.architecture, ...others] = architectures;

const standIn = await startStandIn({
  ...options,
  webPort: config.ports.standIn,
  ftpPort: config.ports.standInFtp,
  stateDir: config.directories.state,
  cacheDir: config.directories.cache,
  distributions: knownDistributions(machine),
  architectures: [nominated, ...others],
  runAs: options.scriptPath === undefined ? accountToBuildAs(buildUser) : undefined,
  logger,
});

onStopSignal(async (signal) => {
  logger.info({ signal }, 'stopping');
  await standIn.stop();
  logger.info('stopped');
});

/** The user that builds where the stand-in is root, which sbuild refuses to be. */
function accountToBuildAs(name: string | undefined): RunAs | undefined {
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
