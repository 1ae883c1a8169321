import type { RunAs } from '../../sandbox/unprivileged.ts';
import { findAccount } from './unprivileged-user.ts';
import { ConfigError } from '../config/config.ts';
import type { Setting } from '../config/setting.ts';

/**
 * The user that a process which is root runs strangers' code as; undefined where it is not root, and runs it as itself.
 *
 * @param variable names the user
 * @param name its value
 * @param why root does not run it, as a sentence without its dot
 * @throws ConfigError where no user is named, or there is none of that name
 */
export function requiredAccount(
  variable: Setting['variable'],
  name: string | undefined,
  why: string,
): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (name === undefined)
    throw new ConfigError(
      `${variable} is not set: ${why}. Set it, or let \`npm start\` make a user.`,
    );
  const account = findAccount(name);
  if (!account) throw new ConfigError(`${variable}: there is no user ${JSON.stringify(name)}`);
  return account;
}

/**
 * The user that a process which is root runs apt as; undefined where it is not root, and runs it as itself.
 *
 * @throws ConfigError where this machine has no such user
 */
export function aptAccount(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const account = findAccount('_apt');
  if (!account)
    throw new ConfigError(
      'There is no user _apt, which the package apt makes. Lists of packages are fetched as that user: neither as root, nor as the one of the tests.',
    );
  return account;
}
