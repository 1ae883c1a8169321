import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../command-error.ts';
import { changeConfiguration } from './configuration-lock.ts';
import { readConfigFile, readTokenFile } from './settings.ts';
import type { CommandEnvironment } from '../environment.ts';

/**
 * Keeps a profile's server, and its token where it has one; it becomes the current profile.
 *
 * @param assertReplaced throws where the profile has a server that is not to be replaced; nothing is kept then
 */
export async function saveProfile(
  environment: CommandEnvironment,
  { profile, url, token }: { profile: string; url: string; token: string | undefined },
  assertReplaced: (known: string | undefined) => void,
): Promise<void> {
  await changeConfiguration(environment, async (directory) => {
    const config = await readConfigFile(environment);
    assertReplaced(config.profiles?.[profile]?.url);
    const { [profile]: _, ...others } = await readTokenFile(environment);
    await writePrivate(directory, 'tokens.json', {
      ...others,
      ...(token === undefined ? {} : { [profile]: { url, token } }),
    });
    await writePrivate(directory, 'config.json', {
      ...config,
      current_profile: profile,
      profiles: { ...config.profiles, [profile]: { url } },
    });
  });
}

/** Forgets the token of a profile, not its server. @returns whether there was one */
export async function deleteToken(
  environment: CommandEnvironment,
  profile: string,
): Promise<boolean> {
  // Where there is none, there may be no folder either, or it is another user's.
  if (!(profile in (await readTokenFile(environment)))) return false;
  return changeConfiguration(environment, async (directory) => {
    const { [profile]: forgotten, ...others } = await readTokenFile(environment);
    if (forgotten) await writePrivate(directory, 'tokens.json', others);
    return forgotten !== undefined;
  });
}

/**
 * Writes a new file and renames it, so that nobody reads half of it, or reads it with another mode.
 *
 * @throws CommandError `usage` where it cannot be written
 */
async function writePrivate(directory: string, name: string, value: object): Promise<void> {
  const path = join(directory, name);
  const written = `${path}.${process.pid}.new`;
  try {
    await writeFile(written, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    await chmod(written, 0o600);
    await rename(written, path);
  } catch (error) {
    throw usageError(`${path} cannot be written: ${(error as Error).message}`);
  }
}
