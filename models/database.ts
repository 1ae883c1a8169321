import type { Socket } from 'node:net';
import {
  BaseError,
  ConnectionError,
  DatabaseError,
  Sequelize,
  UniqueConstraintError,
} from 'sequelize';
import { AccessToken } from './access-token.ts';
import { BinaryPackage } from './binary-package.ts';
import { Branch } from './branch.ts';
import { BuildAttempt } from './build-attempt.ts';
import { Build } from './build.ts';
import { IdempotencyKey } from './idempotency-key.ts';
import { MergeProposal } from './merge-proposal.ts';
import { Person } from './person.ts';
import { ProgressEvent } from './progress-event.ts';
import { Project } from './project.ts';
import { Session } from './session.ts';
import { SourcePackage } from './source-package.ts';
import { SourcePackageUpload } from './source-package-upload.ts';
import { Subticket } from './subticket.ts';
import { SubticketArtifact } from './subticket-artifact.ts';
import { TestSuite } from './test-suite.ts';
import { Ticket } from './ticket.ts';
import { TicketArtifact } from './ticket-artifact.ts';

const MODELS = {
  AccessToken,
  BinaryPackage,
  Branch,
  Build,
  BuildAttempt,
  IdempotencyKey,
  MergeProposal,
  Person,
  ProgressEvent,
  Project,
  Session,
  SourcePackage,
  SourcePackageUpload,
  Subticket,
  SubticketArtifact,
  TestSuite,
  Ticket,
  TicketArtifact,
};

/** An open database with its models. */
export type Database = typeof MODELS & { sequelize: Sequelize; close(): Promise<void> };

// A statement that takes longer waits for a lock that someone holds by mistake.
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
// PostgreSQL has ended every statement by then: the way to it is broken, and nobody has said so.
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * Opens the database. Connections are made when they are needed, so that a process starts while PostgreSQL is down.
 * The models belong to the database that was opened last: a process opens one.
 *
 * @param url postgres://user:password@host:port/name
 * @param poolSize largest number of connections
 * @param silenceMs how long a statement may wait for a sign of PostgreSQL before its connection is given up
 */
export function openDatabase(url: string, poolSize = 20, silenceMs = SILENCE_MS): Database {
  const sequelize = new Sequelize(url, {
    dialect: 'postgres',
    logging: false,
    pool: { max: poolSize, acquire: 10_000 },
    dialectOptions: {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    },
  });
  // Sequelize ends idle connections long before; one that is silent for so long has a statement or a transaction open.
  sequelize.addHook('afterConnect', (connection) => {
    const { stream } = (connection as { connection: { stream: Socket } }).connection;
    stream.setTimeout(silenceMs, () => stream.destroy(new Error('Connection terminated: silent')));
  });
  for (const model of Object.values(MODELS)) model.initOn(sequelize);
  return { sequelize, ...MODELS, close: () => sequelize.close() };
}

// Classes 08 (connection exception), 40 (transaction rollback: a deadlock), 53 (insufficient resources), 57 (operator
// intervention, with the statement time-out) of https://www.postgresql.org/docs/current/errcodes-appendix.html
const AWAY = /^(?:08|40|53|57)...$/;
// restrict_violation, foreign_key_violation, unique_violation, exclusion_violation
const CONSTRAINT = /^23(?:001|503|505|P01)$/;
const LOST_CONNECTION = /^Connection terminated|^Client has encountered a connection error/;

/** Whether an error means that the database is away or overloaded, so that the same call may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof BaseError && error.name === 'SequelizeConnectionAcquireTimeoutError')
    return true;
  const { code, message } = causeOf(error);
  return AWAY.test(code) || LOST_CONNECTION.test(message) || code === 'ECONNRESET';
}

/** Whether an error means that a row clashes with another, or that a row it refers to is gone. */
export function isConstraintViolation(error: unknown): boolean {
  return CONSTRAINT.test(causeOf(error).code);
}

/** What pg said, whether Sequelize has wrapped it or not. */
function causeOf(error: unknown): { code: string; message: string } {
  const cause =
    error instanceof DatabaseError || error instanceof UniqueConstraintError ? error.parent : error;
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown };
  return { code: String(code), message: String(message) };
}
