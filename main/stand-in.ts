import { readMachine } from '../sandbox/machine.ts';
import { knownDistributions } from '../stand-in/builders/known-distributions.ts';
import { startStandIn } from '../stand-in/stand-in.ts';
import { loadConfig } from './config/config.ts';
import { createLogger } from './config/logging.ts';
import { onStopSignal } from './config/stop-signals.ts';
import { requiredAccount } from './embedded/required-account.ts';
import { openFilesToOthers } from './embedded/unprivileged-user.ts';

openFilesToOthers();
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
  runAs:
    options.scriptPath === undefined
      ? requiredAccount('AIRLINE_STAND_IN_BUILD_USER', buildUser, 'sbuild does not run as root')
      : undefined,
  logger,
});

onStopSignal(async (signal) => {
  logger.info({ signal }, 'stopping');
  await standIn.stop();
  logger.info('stopped');
});
