import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config/config.ts';
import { resolveDirectories } from './directories.ts';
import { databasePassword, databaseUrl } from './postgres.ts';
import { findAccount } from './unprivileged-user.ts';

/**
 * Where the database is, for a program that is started beside the stack: the one that the configuration names, else
 * the private cluster of `npm start`. It makes and changes nothing.
 *
 * @throws ConfigError where neither is there
 */
export function databaseAddress(config: Config): string {
  if (config.addresses.databaseUrl) return config.addresses.databaseUrl;
  const account = process.getuid?.() === 0 ? findAccount('airline') : undefined;
  const { state } = resolveDirectories(config, account);
  if (!existsSync(join(state, 'postgresql')))
    throw new ConfigError(
      `There is no database: AIRLINE_DATABASE_URL is not set, and \`npm start\` has made none in ${state}.`,
    );
  return databaseUrl(config.ports.database, databasePassword(state));
}
