import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import amqp from 'amqplib';
import { rabbitmqPorts } from '../config/rabbitmq-ports.ts';
import { listens, LOOPBACK } from './tcp.ts';
import { makeDirectory, type Directories } from './directories.ts';
import type { PartName, Service } from './part.ts';
import type { NeededPort } from './ports.ts';
import type { Account } from './unprivileged-user.ts';

// Debian's /usr/sbin/rabbitmq-server switches to the user rabbitmq; this is the program under it.
const SERVER = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** Address of the private node. */
export function amqpUrl(port: number, host = LOOPBACK): string {
  return `amqp://guest:guest@${host}:${port}/`;
}

/** The ports that must be free for the node. */
export function neededRabbitmqPorts(port: number): NeededPort[] {
  const ports = rabbitmqPorts(port);
  return [
    { part: 'RabbitMQ', port: ports.clients },
    { part: "RabbitMQ's distribution", port: ports.distribution },
    { part: "RabbitMQ's names service", port: ports.names },
  ].map((needed) => ({ ...needed, host: LOOPBACK, variable: 'AIRLINE_AMQP_PORT' }));
}

/** Bounds of every queue of the private node. */
export type QueueLimits = {
  /** Messages in one queue; more are refused, and their events wait in the database. */
  maxLength: number;
  /** A queue that nobody has read or declared for so long is deleted. */
  expiresMs: number;
};

/**
 * RabbitMQ from Debian's package as a private node, beside the system's own: other ports, other names service, nothing
 * read from /etc, everything written under the state directory: what the node writes in a folder of the account, what
 * it is told in one beside that.
 *
 * @param options.host the address that it binds to; on another one than loopback `guest` may connect from elsewhere
 */
export function rabbitmqParts(options: {
  directories: Directories;
  port: number;
  account: Account | undefined;
  limits: QueueLimits;
  host?: string;
}): Service<PartName>[] {
  const { directories, port, account, limits, host = LOOPBACK } = options;
  const home = join(directories.state, 'rabbitmq');
  // Ours: the account, which builds packages too, could put links into a folder of its own.
  const settings = join(directories.state, 'rabbitmq-settings');
  const mnesia = join(home, 'mnesia');
  const ports = rabbitmqPorts(port);
  const environment = {
    PATH: '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    HOME: home,
    ERL_EPMD_ADDRESS: host,
    ERL_EPMD_PORT: String(ports.names),
  };
  return [
    {
      kind: 'service',
      name: 'epmd',
      needs: [],
      prepare: async () => {
        if (!existsSync(SERVER))
          throw new Error(
            'rabbitmq-server is not installed. Run `sh scripts/set-up.sh`, or set AIRLINE_AMQP_URL to a RabbitMQ of your own.',
          );
        makeDirectory(home, account);
        makeDirectory(settings);
        if (!existsSync(mnesia)) recordVersion(settings);
        const write = (name: string, content: string) => {
          const path = join(settings, name);
          writeFileSync(path, content);
          // A file that is there keeps its mode: that of an earlier start under a umask such as 077 shut the node out.
          chmodSync(path, 0o644);
          return path;
        };
        const definitionsFile = write('definitions.json', JSON.stringify(definitions(limits)));
        write(
          'rabbitmq.conf',
          [
            'disk_free_limit.absolute = 200MB',
            `load_definitions = ${definitionsFile}`,
            ...(host === LOOPBACK ? [] : ['loopback_users = none']),
            '',
          ].join('\n'),
        );
        write('enabled_plugins', '[].\n');
      },
      // Left to RabbitMQ, it would become a daemon that nobody stops.
      command: () => ({ file: 'epmd', args: [], cwd: '/', environment, runAs: account }),
      isReady: () => listens(ports.names, host),
      startTimeoutMs: 10_000,
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 5_000,
      summary: () => `RabbitMQ's names service on ${host}:${ports.names}`,
    },
    {
      kind: 'service',
      name: 'rabbitmq',
      needs: ['epmd'],
      command: () => ({
        file: SERVER,
        args: [],
        cwd: home,
        environment: {
          ...environment,
          RABBITMQ_NODENAME: 'airline@localhost',
          RABBITMQ_NODE_IP_ADDRESS: host,
          RABBITMQ_NODE_PORT: String(port),
          RABBITMQ_DIST_PORT: String(ports.distribution),
          // It shares the machine: its schedulers must not spin while they wait for work.
          RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
            '-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none',
          RABBITMQ_MNESIA_BASE: mnesia,
          RABBITMQ_LOG_BASE: join(home, 'log'),
          RABBITMQ_LOGS: '-',
          RABBITMQ_CONF_ENV_FILE: join(settings, 'rabbitmq-env.conf'),
          RABBITMQ_CONFIG_FILE: join(settings, 'rabbitmq.conf'),
          RABBITMQ_ADVANCED_CONFIG_FILE: join(settings, 'advanced.config'),
          RABBITMQ_ENABLED_PLUGINS_FILE: join(settings, 'enabled_plugins'),
          // Its script then replaces itself by the server, which takes our signals itself.
          RUNNING_UNDER_SYSTEMD: 'true',
        },
        runAs: account,
      }),
      isReady: async () => {
        const connection = await amqp.connect(amqpUrl(port, host), { timeout: 5_000 });
        await connection.close();
        return true;
      },
      startTimeoutMs: 90_000,
      advice: () => adviceOnVersions(home, settings),
      complete: async () => recordVersion(settings),
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 30_000,
      summary: () => `private node on ${host}:${port}${account ? `, as user ${account.name}` : ''}`,
    },
  ];
}

/** Keeps which RabbitMQ has used the queues of a node: not every version takes over those of another. */
function recordVersion(settings: string): void {
  writeFileSync(join(settings, 'version'), `${installedVersion()}\n`);
}

function adviceOnVersions(home: string, settings: string): string | undefined {
  const record = join(settings, 'version');
  const madeBy = existsSync(record) ? readFileSync(record, 'utf8').trim() : 'of an unknown version';
  const version = installedVersion();
  if (madeBy === version) return undefined;
  return `The queues in ${home} were made by RabbitMQ ${madeBy}, and this is ${version}, which may refuse them. Then move that directory away: each queue is made again with its next message, and gets the earlier ones of the builds and landings that have not ended.`;
}

/** Debian's program is a link into the folder of its version. */
function installedVersion(): string | undefined {
  return /rabbitmq_server-([\d.]+)/.exec(realpathSync(SERVER))?.[1];
}

/**
 * What the node has when it starts, read anew at each start: the limits as a policy, since a caller that declares its
 * queue without arguments must not be told that they are inequivalent. A node that reads definitions makes no user by
 * itself.
 */
function definitions({ maxLength, expiresMs }: QueueLimits) {
  return {
    users: [
      {
        name: 'guest',
        password_hash: passwordHash('guest'),
        hashing_algorithm: 'rabbit_password_hashing_sha256',
        tags: 'administrator',
      },
    ],
    vhosts: [{ name: '/' }],
    permissions: [{ user: 'guest', vhost: '/', configure: '.*', write: '.*', read: '.*' }],
    policies: [
      {
        vhost: '/',
        name: 'airline',
        pattern: '.*',
        'apply-to': 'queues',
        priority: 0,
        definition: { 'max-length': maxLength, overflow: 'reject-publish', expires: expiresMs },
      },
    ],
  };
}

/** As RabbitMQ stores a password: a salt of four bytes, and SHA-256 of salt and password. */
function passwordHash(password: string): string {
  const salt = randomBytes(4);
  const hash = createHash('sha256').update(salt).update(password).digest();
  return Buffer.concat([salt, hash]).toString('base64');
}
