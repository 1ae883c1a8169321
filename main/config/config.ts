import { SECTIONS, settingsOf, type Values } from './sections.ts';

/** The validated configuration of a process: the values of main/config/sections/, nested as they are declared there. */
export type Config = Values & {
  /** Every variable that has a value, as text, for a process that is to have the same configuration. */
  readonly variables: Readonly<Record<string, string>>;
};

/** The environment does not fit the schema; the message has one line for each wrong variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Those of the command, which a shell may have set for it; the processes take none of them. */
const COMMAND_VARIABLES = ['AIRLINE_URL', 'AIRLINE_PROFILE'];

/** Every setting there is. */
export const SETTINGS = SECTIONS.flatMap((section) => settingsOf(section));

/**
 * Validates the environment into one frozen object. Unset and empty variables take their defaults.
 *
 * @param fallbacks values of unset variables, before the defaults of their declarations
 * @throws ConfigError with one line for each wrong variable, unknown `AIRLINE_` names included
 */
export function loadConfig(
  environment: NodeJS.ProcessEnv = process.env,
  fallbacks: Readonly<Record<string, string>> = {},
): Config {
  const given: Record<string, string | undefined> = {
    ...fallbacks,
    ...Object.fromEntries(
      Object.entries(environment).filter(
        ([name, value]) => name.startsWith('AIRLINE_') && value !== '',
      ),
    ),
  };
  const config = {};
  const variables: Record<string, string> = {};
  const problems: string[] = [];
  for (const { path, setting } of SETTINGS) {
    const { variable, schema } = setting;
    const text = given[variable];
    const { data, error } = schema.safeParse(text);
    for (const { message } of error?.issues ?? [])
      problems.push(`${variable}: ${message} (given: ${printed(text)})`);
    put(config, path, data);
    const effective = text ?? setting.default;
    if (effective !== undefined) variables[variable] = String(effective);
  }
  const known = new Set<string>([
    ...SETTINGS.map(({ setting }) => setting.variable),
    ...COMMAND_VARIABLES,
  ]);
  for (const name of Object.keys(given))
    if (!known.has(name)) problems.push(`${name}: there is no such variable`);
  if (problems.length > 0)
    throw new ConfigError(
      `The configuration is wrong; docs/configuration.md lists every variable.\n${problems.join('\n')}`,
    );
  return freeze({ ...config, variables }) as Config;
}

function put(
  node: Record<string, unknown>,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) node[key] = value;
  else put((node[key] ??= {}) as Record<string, unknown>, rest, value);
}

function freeze<T extends object>(node: T): T {
  for (const child of Object.values(node))
    if (typeof child === 'object' && child !== null) freeze(child as object);
  return Object.freeze(node);
}

/** A value for a message. What is before an @ may hold a password. */
function printed(value: string | undefined): string {
  return JSON.stringify(value?.replace(/^.*@/s, '***@'));
}

/** The variables of the environment that are not Airline's own nor npm's, for processes that are started. */
export function foreignEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !/^(?:AIRLINE_|npm_)/.test(entry[0]),
    ),
  );
}
