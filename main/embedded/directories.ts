import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { stack } from '../config/sections/stack.ts';
import { canAccess, type Account } from './unprivileged-user.ts';

/** Where the embedded stack keeps its things. */
export type Directories = { state: string; cache: string };

/**
 * The state and cache directories. As root, parts run as another user who must reach them; a default
 * under a home that is closed to others gives way to the system's own place.
 *
 * @throws Error where a directory that was set is out of that user's reach
 */
export function resolveDirectories(config: Config, account: Account | undefined): Directories {
  return {
    state: reachable(config, 'state', '/var/lib/airline', account),
    cache: reachable(config, 'cache', '/var/cache/airline', account),
  };
}

/** Makes a directory, and those above it so that others can pass; with an owner, it is closed to all others. */
export function makeDirectory(path: string, owner?: Account): string {
  const first = mkdirSync(path, { recursive: true });
  if (first !== undefined)
    for (let made = path; made.length >= first.length; made = dirname(made)) chmodSync(made, 0o755);
  if (owner) {
    chownSync(path, owner.uid, owner.gid);
    chmodSync(path, 0o700);
  }
  return path;
}

/** The closest directory to a path that exists: the path itself or one above it. */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function reachable(
  config: Config,
  which: keyof Directories,
  systemPlace: string,
  account: Account | undefined,
): string {
  const { variable, default: usual } = stack.settings.directories[which];
  const given = config.directories[which];
  const path = resolve(given);
  if (!account || canAccess(account, 'x', nearestExisting(path))) return path;
  if (given === usual) return systemPlace;
  throw new Error(
    `${variable} is ${path}, which the user ${account.name} cannot reach; parts that do not run as root run as that user. ` +
      `Choose a path that others can pass through (chmod o+x on every directory above it), or leave ${variable} unset for ${systemPlace}.`,
  );
}
