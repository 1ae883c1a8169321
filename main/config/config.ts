import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { isNetwork } from './network.ts';

type Unit =
  | 'ms'
  | 'bytes'
  | 'port'
  | 'count'
  | 'factor'
  | 'address'
  | 'path'
  | 'list'
  | 'name'
  | 'choice'
  | 'key id'
  | 'token';

/** Documentation of a variable; `docs/configuration.md` is made of it. */
export type VariableMeta = { unit: Unit; description: string };

const number = (unit: Unit, min: number, max: number, fallback: number, description: string) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'is not a number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .default(fallback)
    .meta({ unit, description });
const milliseconds = (fallback: number, description: string) =>
  number('ms', 1, 31 * 86_400_000, fallback, description);
const port = (fallback: number, description: string) =>
  number('port', 1, 65_535, fallback, description);
const count = (fallback: number, description: string) =>
  number('count', 1, 1_000_000, fallback, description);
const bytes = (fallback: number, description: string) =>
  number('bytes', 1, 2 ** 50, fallback, description);
const text = (unit: Unit, fallback: string, description: string) =>
  z.string().min(1).default(fallback).meta({ unit, description });
const optional = (unit: Unit, description: string) =>
  z.string().min(1).optional().meta({ unit, description });
const url = (protocols: readonly string[], description: string) =>
  z
    .string()
    .refine(
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
      `is no URL of ${protocols.join(' or ')}`,
    )
    .optional()
    .meta({ unit: 'address', description });
const choice = <const T extends [string, ...string[]]>(
  options: T,
  fallback: T[number],
  description: string,
) =>
  z
    .enum(options)
    .default(fallback as never)
    .meta({ unit: 'choice', description: `${description} One of ${options.join(', ')}.` });

/** Whether every entry is a network as `address/bits`. */
function isListOfNetworks(value: string): boolean {
  return value.split(',').every((entry) => isNetwork(entry.trim()));
}

const TEN_YEARS_MS = 3_652 * 86_400_000;

/** Whether every entry is an origin as browsers write it; `*` is none, so that nobody lets in every page there is. */
function isListOfOrigins(value: string): boolean {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .every((entry) => URL.canParse(entry) && new URL(entry).origin === entry);
}

/** Every variable that Airline reads, with its unit, default and description. */
export const VARIABLES = z.object({
  // The embedded stack
  AIRLINE_STATE_DIR: text(
    'path',
    join(homedir(), '.local/share/airline'),
    'State of the embedded stack. As root, where another user cannot reach the default: /var/lib/airline.',
  ),
  AIRLINE_CACHE_DIR: text(
    'path',
    join(homedir(), '.cache/airline'),
    'Chroots, PostgreSQL binaries and the Temporal CLI. As root, where another user cannot reach the default: /var/cache/airline.',
  ),
  AIRLINE_LOG_LEVEL: choice(
    ['trace', 'debug', 'info', 'warn', 'error'],
    'info',
    'Least level that is logged.',
  ),
  AIRLINE_LOG_FORMAT: choice(
    ['auto', 'json', 'text'],
    'auto',
    'auto: text on a terminal, else JSON lines.',
  ),

  // Addresses of the parts; where one is set, the embedded stack does not start its own
  AIRLINE_DATABASE_URL: url(
    ['postgres:', 'postgresql:'],
    'PostgreSQL, postgres://user:password@host:port/name. Unset: a private cluster.',
  ),
  AIRLINE_AMQP_URL: url(
    ['amqp:', 'amqps:'],
    'RabbitMQ, amqp://user:password@host:port/vhost. Unset: a private node.',
  ),
  AIRLINE_TEMPORAL_ADDRESS: optional(
    'address',
    'Temporal frontend, host:port. Unset: a development server.',
  ),
  AIRLINE_TEMPORAL_NAMESPACE: text('name', 'default', 'Temporal namespace.'),
  AIRLINE_TEMPORAL_UI_URL: optional(
    'address',
    "Temporal's Web UI, for links to a build. Unset: the development server's.",
  ),
  AIRLINE_LAUNCHPAD_URL: optional(
    'address',
    'Root of the Launchpad web service, without the version. Unset: the local stand-in.',
  ),
  AIRLINE_LAUNCHPAD_CREDENTIALS: optional(
    'path',
    'File with the OAuth token of the Launchpad account, as launchpadlib writes it. Unset: anonymous.',
  ),
  AIRLINE_UPLOAD_HOST: optional(
    'address',
    'FTP server that takes uploads, host:port. Unset: the stand-in.',
  ),

  // Ports of the embedded stack
  AIRLINE_API_HOST: text('address', '127.0.0.1', 'Address the API binds to.'),
  AIRLINE_API_PORT: port(8080, 'Port of the API.'),
  AIRLINE_PUBLIC_URL: optional(
    'address',
    'Address under which others reach the API, for links. Unset: http://<host>:<port>.',
  ),
  AIRLINE_TOKEN: optional(
    'token',
    'Token that our commands send to the API. Unset: none, which is enough without authentication.',
  ),
  AIRLINE_DATABASE_PORT: port(5433, 'Port of the private PostgreSQL cluster.'),
  AIRLINE_AMQP_PORT: port(
    5673,
    'Port of the private RabbitMQ node. Its node names service and its distribution take two ports above 20000 more.',
  ),
  AIRLINE_QUEUE_MAX_LENGTH: count(
    100_000,
    'Messages that a queue of the private RabbitMQ node holds. A full one takes no more: its events wait in the database.',
  ),
  AIRLINE_QUEUE_EXPIRES_MS: milliseconds(
    7 * 86_400_000,
    'The private RabbitMQ node deletes a queue that nobody has read for so long, with what is in it.',
  ),
  AIRLINE_TEMPORAL_PORT: port(7233, 'Port of the Temporal development server.'),
  AIRLINE_TEMPORAL_UI_PORT: port(8233, "Port of Temporal's Web UI."),
  AIRLINE_STAND_IN_PORT: port(
    8085,
    "Port of the Launchpad stand-in's web service and apt repository.",
  ),
  AIRLINE_STAND_IN_FTP_PORT: port(2121, "Port of the Launchpad stand-in's upload server."),

  // The Launchpad stand-in
  AIRLINE_STAND_IN_ARCHITECTURES: optional(
    'list',
    "Architectures of every PPA, comma-separated. Unset: the machine's own.",
  ),
  AIRLINE_STAND_IN_BUILDERS: count(1, 'Builds that the stand-in runs at once.'),
  AIRLINE_STAND_IN_SCRIPT: optional(
    'path',
    'JSON script of the scripted builder. Unset: real sbuild.',
  ),
  AIRLINE_STAND_IN_BUILD_USER: optional(
    'name',
    'User that the stand-in, started as root, builds as. Unset: the user that it runs as.',
  ),
  AIRLINE_STAND_IN_PROCESS_INTERVAL_MS: milliseconds(
    1_000,
    'Interval at which the stand-in processes uploads and publishes; Launchpad takes a minute.',
  ),

  // The API
  AIRLINE_AUTH: choice(
    ['off', 'token'],
    'off',
    'Who may call. off: everybody, which is refused on any address but loopback. token: who has a token with the scope.',
  ),
  AIRLINE_TOKEN_LIFETIME_MS: number(
    'ms',
    60_000,
    TEN_YEARS_MS,
    90 * 86_400_000,
    'Time that a new token is valid where its maker says nothing else.',
  ),
  AIRLINE_TOKEN_LONGEST_LIFETIME_MS: number(
    'ms',
    60_000,
    TEN_YEARS_MS,
    366 * 86_400_000,
    'Longest time that a new token can be valid.',
  ),
  AIRLINE_AUTH_FAILURES: count(
    10,
    'Wrong tokens from one address in AIRLINE_AUTH_FAILURES_WINDOW_MS; more are answered 429. Valid ones always pass.',
  ),
  AIRLINE_AUTH_FAILURES_WINDOW_MS: number(
    'ms',
    1_000,
    86_400_000,
    60_000,
    'Time after which wrong tokens of an address are forgotten.',
  ),
  AIRLINE_SESSION_IDLE_MS: number(
    'ms',
    1_000,
    366 * 86_400_000,
    12 * 3_600_000,
    'A browser that has signed in and calls nothing for so long has to sign in again.',
  ),
  AIRLINE_WEB_DIR: text(
    'path',
    'dist/web',
    'Files of the web UI, made by `npm run build:clients`. Where it is no full path: below the folder that Airline is in.',
  ),
  AIRLINE_TRUSTED_PROXIES: number(
    'count',
    0,
    10,
    0,
    'Proxies before the API. A caller has the address that the outermost of them adds to X-Forwarded-For; 0: that of its connection.',
  ),
  AIRLINE_BODY_MAX_BYTES: bytes(1_048_576, 'Largest request body.'),
  AIRLINE_IMPORT_MAX_BYTES: bytes(32 * 2 ** 20, 'Largest file of binary packages to import.'),
  AIRLINE_STORE_MAX_BYTES: bytes(4 * 2 ** 30, 'Largest file that the data store takes.'),
  AIRLINE_DRAIN_MS: milliseconds(
    10_000,
    'Time for requests in flight when the API is told to stop.',
  ),
  AIRLINE_DISPATCH_INTERVAL_MS: milliseconds(
    1_000,
    'Interval at which accepted builds are looked for that have no workflow yet.',
  ),
  AIRLINE_DISPATCH_BACKOFF_MS: milliseconds(
    30_000,
    'Longest wait between tries to start workflows while Temporal is down.',
  ),
  AIRLINE_SWEEP_INTERVAL_MS: milliseconds(
    60_000,
    'Interval at which workflows are looked for that ended without a final message.',
  ),
  AIRLINE_SILENCE_MS: milliseconds(
    15 * 60_000,
    'Temporal is asked after the workflow of a build that has reported nothing for so long.',
  ),
  AIRLINE_TEMPORAL_TIMEOUT_MS: milliseconds(5_000, "Time for one answer of Temporal's frontend."),
  AIRLINE_PROBE_TIMEOUT_MS: milliseconds(
    2_000,
    'Time for database, Temporal and broker to answer when their health is asked for.',
  ),
  AIRLINE_RETRY_AFTER_MS: milliseconds(
    5_000,
    'Time that a caller is told to wait while the API cannot answer.',
  ),
  AIRLINE_REQUEST_MS: milliseconds(
    3_600_000,
    'Time for a request to come in, the files of the data store included.',
  ),
  AIRLINE_CONNECTION_IDLE_MS: milliseconds(
    60_000,
    'A connection to the API that moves nothing for so long is closed.',
  ),
  AIRLINE_EVENT_HEARTBEAT_MS: milliseconds(
    15_000,
    'A stream of events that has nothing to tell sends a comment this often.',
  ),
  AIRLINE_EVENT_POLL_MS: milliseconds(
    5_000,
    'A stream of events looks at the database this often, notified or not.',
  ),
  AIRLINE_CHANGES_INTERVAL_MS: milliseconds(
    1_000,
    'Least time between two events of the stream of changes.',
  ),
  AIRLINE_EVENT_STREAMS: count(500, 'Streams of events that an API process keeps open at once.'),
  AIRLINE_IDEMPOTENCY_LIFETIME_MS: milliseconds(
    86_400_000,
    'An answer is kept for so long under the Idempotency-Key of its request.',
  ),
  AIRLINE_IDEMPOTENCY_IN_FLIGHT_MS: number(
    'ms',
    1_000,
    86_400_000,
    60_000,
    'An API process that is out of reach holds the Idempotency-Key of a request no longer than this.',
  ),
  AIRLINE_IDEMPOTENCY_SWEEP_INTERVAL_MS: milliseconds(
    60_000,
    'Interval at which expired Idempotency-Keys are removed.',
  ),
  AIRLINE_RATE_LIMIT: number(
    'count',
    0,
    1_000_000,
    0,
    'Requests that each token may make in AIRLINE_RATE_WINDOW_MS, of each API process; 0 is no limit.',
  ),
  AIRLINE_RATE_WINDOW_MS: number(
    'ms',
    1_000,
    86_400_000,
    60_000,
    'Time after which a token may make AIRLINE_RATE_LIMIT requests again.',
  ),
  AIRLINE_CORS_ORIGINS: z
    .string()
    .refine(isListOfOrigins, 'is not a list of origins, such as https://tickets.example.org')
    .optional()
    .meta({
      unit: 'list',
      description:
        'Origins of web pages that may call the API from a browser, comma-separated. Unset: none.',
    }),
  AIRLINE_DATABASE_POOL: count(20, 'Largest number of database connections of a process.'),

  // Source packages
  AIRLINE_SOURCE_HOSTS: text(
    'list',
    '127.0.0.1,localhost',
    'Hosts that source URLs and cancel URLs may name, comma-separated, host or host:port.',
  ),
  AIRLINE_SOURCE_PRIVATE: z
    .string()
    .refine(isListOfNetworks, 'is not a list of networks, such as 10.1.0.0/16,fd00:1::/32')
    .optional()
    .meta({
      unit: 'list',
      description:
        'Networks of private addresses that names in AIRLINE_SOURCE_HOSTS may lead to, comma-separated, as address/bits. Unset: none; an address that stands in AIRLINE_SOURCE_HOSTS itself needs no entry, nor does localhost.',
    }),
  AIRLINE_SOURCE_MAX_BYTES: bytes(4 * 2 ** 30, 'Largest file of a source package.'),
  AIRLINE_SOURCE_IDLE_MS: milliseconds(
    60_000,
    'A download that brings nothing for so long is given up.',
  ),
  AIRLINE_SOURCE_FILE_MS: milliseconds(
    1_200_000,
    'Time for one file while the sources are checked, however steadily it comes.',
  ),
  AIRLINE_SIGNING_KEY: optional(
    'key id',
    "Key in the worker's keyring that signs unsigned sources. Unset: unsigned sources are refused.",
  ),
  AIRLINE_CANCEL_URL_TIMEOUT_MS: milliseconds(
    5_000,
    'Time for the cancel URL to answer; one that does not never cancels.',
  ),

  // The PPA
  AIRLINE_LAUNCHPAD_TIMEOUT_MS: milliseconds(
    30_000,
    'Time for one answer of the Launchpad web service.',
  ),
  AIRLINE_UPLOAD_IDLE_MS: milliseconds(
    60_000,
    'An upload session that moves nothing for so long is given up.',
  ),
  AIRLINE_LOG_MAX_BYTES: bytes(
    256 * 2 ** 20,
    'Largest build log that is kept; the rest is cut off, and the log says so.',
  ),

  AIRLINE_LOG_HOSTS: text(
    'list',
    'launchpadlibrarian.net',
    "Hosts besides the PPA's own that build logs may be redirected to, comma-separated.",
  ),

  // Intervals and deadlines of a build
  AIRLINE_POLL_INITIAL_MS: milliseconds(10_000, 'Wait before the first look at the PPA.'),
  AIRLINE_POLL_FACTOR: number('factor', 1, 10, 2, 'Factor by which the wait between looks grows.'),
  AIRLINE_POLL_MAX_MS: milliseconds(60_000, 'Longest wait between looks at the PPA.'),
  AIRLINE_PROGRESS_INTERVAL_MS: milliseconds(
    300_000,
    'A STATUS message is repeated at least this often while the PPA builds.',
  ),
  AIRLINE_ACCEPTANCE_MS: milliseconds(
    15 * 60_000,
    'Time for the PPA to show an upload; after it the upload counts as rejected.',
  ),
  AIRLINE_DEPENDENCY_WAIT_MS: milliseconds(
    3_600_000,
    'Time that Dependency wait may last before it counts as failed.',
  ),
  AIRLINE_WHOLE_BUILD_MS: milliseconds(24 * 3_600_000, 'Time for a whole build.'),
  AIRLINE_SOURCE_CHECK_MS: milliseconds(
    3_600_000,
    'Time for fetching and checking the sources, all tries together.',
  ),
  AIRLINE_START_MS: milliseconds(
    24 * 3_600_000,
    'Time for an accepted build to get its workflow; after it, as when Temporal stays away, it has timed out.',
  ),
  AIRLINE_UPLOAD_SESSION_MS: milliseconds(
    2 * 3_600_000,
    "Time for one session of a package's upload.",
  ),
  AIRLINE_AWAIT_PUBLICATION: choice(
    ['off', 'on'],
    'off',
    'When a build is completed. off: when all is built. on: when its binaries are published as well.',
  ),
  AIRLINE_BUILD_ATTEMPTS: count(100, 'Most attempts of one build, its retries included.'),
  AIRLINE_UPLOAD_MS: milliseconds(
    6 * 3_600_000,
    "Time for one package's upload, all tries together.",
  ),
  AIRLINE_LOG_COLLECTION_MS: milliseconds(15 * 60_000, 'Time for collecting the logs.'),
  AIRLINE_CANCELLATION_MS: milliseconds(
    10 * 60_000,
    'Time for the PPA to end the builds of a cancelled request.',
  ),
  AIRLINE_HISTORY_MAX_EVENTS: count(
    2_000,
    'A workflow continues as new at this many history events.',
  ),

  // The worker
  AIRLINE_WORKFLOW_BUNDLE: text(
    'path',
    'dist/workflows.js',
    'Bundle of the workflow code, made by `npm run build`.',
  ),
  AIRLINE_WORKER_ACTIVITIES: count(50, 'Activities that a worker runs at once.'),
  AIRLINE_WORKER_CACHED_WORKFLOWS: count(
    500,
    'Workflows that a worker keeps in memory between their tasks.',
  ),
  AIRLINE_SHUTDOWN_GRACE_MS: milliseconds(
    30_000,
    'Time for running activities when a worker is told to stop.',
  ),
  AIRLINE_PUBLISH_INTERVAL_MS: milliseconds(
    1_000,
    'Interval at which progress events are looked for that were not published yet.',
  ),
});

/** The validated configuration of a process. */
export type Config = Readonly<z.infer<typeof VARIABLES>>;

/** The environment does not fit the schema; the message has one line for each wrong variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Validates the environment into one frozen object. Unset and empty variables take their defaults.
 *
 * @param fallbacks values of unset variables, before the schema's defaults
 * @throws ConfigError with one line for each wrong variable, unknown `AIRLINE_` names included
 */
export function loadConfig(
  environment: NodeJS.ProcessEnv = process.env,
  fallbacks: Readonly<Record<string, string>> = {},
): Config {
  const given = {
    ...fallbacks,
    ...Object.fromEntries(
      Object.entries(environment).filter(
        ([name, value]) => name.startsWith('AIRLINE_') && value !== '',
      ),
    ),
  };
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(VARIABLES.shape, name));
  const parsed = VARIABLES.safeParse(given);
  const problems = [
    ...(parsed.error?.issues ?? []).map(
      (issue) =>
        `${String(issue.path[0])}: ${issue.message} (given: ${shown(given[String(issue.path[0])])})`,
    ),
    ...unknown.map((name) => `${name}: there is no such variable`),
  ];
  if (problems.length > 0 || !parsed.success)
    throw new ConfigError(
      `The configuration is wrong; docs/configuration.md lists every variable.\n${problems.join('\n')}`,
    );
  return Object.freeze(parsed.data);
}

/** A value for a message: what stands before an @ may hold a password. */
function shown(value: string | undefined): string {
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
