import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { CommandError, usageError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandEnvironment } from '../environment.ts';

/** The server of `npm start`. */
export const DEFAULT_URL = 'http://127.0.0.1:8080';
const DEFAULT_PROFILE = 'default';
/** Stands in a hint for a name that people choose. */
export const PROFILE_PLACEHOLDER = 'NAME';
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Where there is no folder for the configuration, or it is another user's. */
export const HOME_HINT = 'Set HOME or XDG_CONFIG_HOME to a folder of your own.';
const REPAIR_HINT = 'Correct it, or delete it and log in again.';
/** What others could read is not a secret any more. */
const GROUP_AND_OTHERS = 0o077;

/** `config.json`: servers by the names of their profiles. */
export type ConfigFile = {
  current_profile?: string;
  profiles?: Record<string, { url: string }>;
};

/** `tokens.json`: the token of each profile, and the server that it is for. */
export type TokenFile = Record<string, { url: string; token: string }>;

/** The server that a command talks to, and the token that it sends. */
export type Settings = {
  readonly url: URL;
  readonly token: string | undefined;
  /** The call that keeps a token for this server, in the place of no other server's. */
  readonly loginCall: string;
  /** Where the token came from, for a hint when the server refuses it. */
  readonly tokenSource: string | undefined;
  /** What gives one call a token: `--profile` comes before AIRLINE_TOKEN. */
  readonly tokenWay: 'AIRLINE_TOKEN' | '--token-file';
};

export type SettingsFlags = {
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
  readonly tokenFile?: string | undefined;
};

/**
 * `~/.config/airline`, or below XDG_CONFIG_HOME (XDG Base Directory Specification: an absolute path only).
 *
 * @returns undefined for a user without a home
 */
export function configDirectory({ env, homeDirectory }: CommandEnvironment): string | undefined {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  if (isAbsolute(given)) return join(given, 'airline');
  return homeDirectory ? join(homeDirectory, '.config', 'airline') : undefined;
}

/**
 * Finds the server and the token: in flags, then the environment, then the profile in the configuration. The profile of
 * a flag comes before the environment, too.
 *
 * @throws CommandError `usage` where something given is wrong, `token_file_open` where others can read a token
 */
export async function readSettings(
  environment: CommandEnvironment,
  flags: SettingsFlags,
): Promise<Settings> {
  const given = givenServer(environment, flags);
  const isTokenGiven =
    flags.tokenFile !== undefined ||
    countingVariable(environment, flags, 'AIRLINE_TOKEN') !== undefined;
  const config = await readConfigFile(environment).catch((error: unknown): ConfigFile => {
    // The call gives all that it needs: profiles would only word its hints.
    if (given !== undefined && isTokenGiven) return {};
    throw error;
  });
  const named = namedProfile(environment, flags);
  const profile = checkProfile(currentProfile(environment, flags, config));
  const known = config.profiles?.[profile];
  // One that was logged in to last and is gone counts as one that the call names: 127.0.0.1 is another server.
  if (!known && given === undefined && (named ?? config.current_profile) !== undefined)
    throw usageError(
      `There is no profile ${profile}.`,
      `Known are: ${Object.keys(config.profiles ?? {}).join(', ') || 'none yet'}. \`airline login --profile ${profile} --url URL\` adds it.`,
    );
  const url = parseUrl(given ?? known?.url ?? DEFAULT_URL);
  const isOther = known !== undefined && !isAddressOf(known.url, url);
  return {
    url,
    loginCall: loginCall(url, isOther ? PROFILE_PLACEHOLDER : known ? profile : named),
    ...(await readToken(environment, flags, { profile, url })),
    tokenWay: flags.profile === undefined ? 'AIRLINE_TOKEN' : '--token-file',
  };
}

/** The address that a call gives besides that of a profile: by `--url`, else by AIRLINE_URL where that counts. */
export function givenServer(
  environment: Pick<CommandEnvironment, 'env'>,
  flags: Pick<SettingsFlags, 'url' | 'profile'>,
): string | undefined {
  return flags.url ?? countingVariable(environment, flags, 'AIRLINE_URL');
}

/** What the environment says of server or token; nothing with `--profile`: who types that means its server. */
function countingVariable(
  { env }: Pick<CommandEnvironment, 'env'>,
  { profile }: Pick<SettingsFlags, 'profile'>,
  name: 'AIRLINE_URL' | 'AIRLINE_TOKEN',
): string | undefined {
  return profile === undefined ? env[name] || undefined : undefined;
}

/** The profile that a call names, by `--profile` or else by AIRLINE_PROFILE. */
function namedProfile(
  { env }: Pick<CommandEnvironment, 'env'>,
  { profile }: Pick<SettingsFlags, 'profile'>,
): string | undefined {
  return profile ?? (env['AIRLINE_PROFILE'] || undefined);
}

/** The profile that counts, as it was written: the one that a call names, else the one that was logged in to last. */
export function currentProfile(
  environment: Pick<CommandEnvironment, 'env'>,
  flags: Pick<SettingsFlags, 'profile'>,
  { current_profile: saved }: ConfigFile,
): string {
  return namedProfile(environment, flags) ?? saved ?? DEFAULT_PROFILE;
}

async function readToken(
  environment: CommandEnvironment,
  flags: SettingsFlags,
  { profile, url }: { profile: string; url: URL },
): Promise<Pick<Settings, 'token' | 'tokenSource'>> {
  const { tokenFile } = flags;
  if (tokenFile !== undefined)
    return { token: await readTokenOf(tokenFile), tokenSource: tokenFile };
  const fromEnvironment = countingVariable(environment, flags, 'AIRLINE_TOKEN');
  if (fromEnvironment !== undefined)
    return {
      token: checkToken(fromEnvironment.trim(), 'AIRLINE_TOKEN'),
      tokenSource: 'AIRLINE_TOKEN',
    };
  const stored = (await readTokenFile(environment))[profile];
  // A token goes to the server that it was given for, and to no other.
  if (!stored || !URL.canParse(stored.url) || new URL(stored.url).origin !== url.origin)
    return { token: undefined, tokenSource: undefined };
  return { token: stored.token, tokenSource: `profile ${profile}` };
}

/**
 * Reads the token of a file that a call names.
 *
 * @throws CommandError `usage` where there is none, `token_file_open` where others can read it
 */
export async function readTokenOf(tokenFile: string): Promise<string> {
  const text = await readPrivate(tokenFile);
  if (text === undefined) throw usageError(`There is no file ${tokenFile}.`);
  return checkToken(text.trim(), tokenFile);
}

/** The address of a server as people type it. */
export function addressText(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

/** Whether a text, as a configuration has it, is the address of a server. */
export function isAddressOf(text: string, url: URL): boolean {
  return URL.canParse(text) && addressText(new URL(text)) === addressText(url);
}

/** The call that keeps a token for a server. @param profile undefined: in the current profile */
export function loginCall(url: URL, profile: string | undefined): string {
  return `airline login --url ${addressText(url)}${profile === undefined ? '' : ` --profile ${profile}`}`;
}

/** Reads the address of a server: http or https, without a name and a password. @throws CommandError `usage` */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw usageError(
      `${JSON.stringify(text)} is not the address of an Airline server.`,
      `Give it as http://host:port or https://host, as in ${DEFAULT_URL}.`,
    );
  return url;
}

/** Reads the name of a profile, of which a file keeps the token. @returns the name @throws CommandError `usage` */
export function checkProfile(name: string): string {
  if (PROFILE_NAME.test(name) && !(name in Object.prototype)) return name;
  throw usageError(`${JSON.stringify(name)} is not a valid profile name.`, 'Use A-Z a-z 0-9 . _ -');
}

/**
 * Reads a token, which goes into a header.
 *
 * @param source where it was, as people call that
 * @returns the token
 * @throws CommandError `usage`
 */
export function checkToken(token: string, source: string): string {
  if (/^[!-~]{1,1000}$/.test(token)) return token;
  throw usageError(
    `${source} has no token in it.`,
    'A token is one word of printable ASCII characters.',
  );
}

/**
 * Reads `config.json`; empty where there is none.
 *
 * @throws CommandError `usage` where it cannot be read, or has a profile without a server
 */
export async function readConfigFile(environment: CommandEnvironment): Promise<ConfigFile> {
  const directory = configDirectory(environment);
  if (directory === undefined) return {};
  const path = join(directory, 'config.json');
  const config: ConfigFile = await readJson(path, readIfThere);
  const profiles: Readonly<Record<string, Partial<{ url: unknown }> | null>> =
    config.profiles ?? {};
  for (const [name, profile] of Object.entries(profiles))
    if (typeof profile?.url !== 'string')
      throw usageError(`${path} names no server for the profile ${name}.`, REPAIR_HINT);
  return config;
}

/**
 * Reads `tokens.json`; empty where there is none.
 *
 * @throws CommandError `usage` where it cannot be read, `token_file_open` where others can read it
 */
export async function readTokenFile(environment: CommandEnvironment): Promise<TokenFile> {
  const directory = configDirectory(environment);
  if (directory === undefined) return {};
  return readJson(join(directory, 'tokens.json'), readPrivate) as Promise<TokenFile>;
}

async function readJson(
  path: string,
  read: (path: string, closedHint: string) => Promise<string | undefined>,
): Promise<object> {
  const text = await read(path, HOME_HINT);
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw usageError(`${path} is not one JSON object.`, REPAIR_HINT);
}

/** A file of secrets; undefined if it does not exist. @param closedHint what to do where this user may not read it */
async function readPrivate(path: string, closedHint?: string): Promise<string | undefined> {
  const text = await readIfThere(path, closedHint);
  if (text === undefined) return undefined;
  const { mode } = await stat(path);
  if ((mode & GROUP_AND_OTHERS) === 0) return text;
  throw new CommandError(
    `${path} can be read or written by others (mode ${(mode & 0o777).toString(8).padStart(4, '0')}), so its token is not used.`,
    {
      code: 'token_file_open',
      exit: EXIT.notAllowed,
      hint: `chmod 600 ${path}, and revoke the token if others may have read it.`,
    },
  );
}

async function readIfThere(path: string, closedHint?: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw usageError(
      `${path} cannot be read: ${(error as Error).message}`,
      code === 'EACCES' ? closedHint : undefined,
    );
  }
}
