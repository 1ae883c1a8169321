import {
  BaseError,
  ConnectionError,
  DatabaseError,
  ExclusionConstraintError,
  ForeignKeyConstraintError,
  UniqueConstraintError,
} from 'sequelize';

// https://www.postgresql.org/docs/current/errcodes-appendix.html: classes 08 (connection exception), 40 (transaction
// rollback: a deadlock), 53 (insufficient resources), 57 (operator intervention); 25006: the server takes no writes, as
// a standby does
const UNAVAILABLE = /^(?:(?:08|40|53|57)...|25006)$/;
/** A statement that took longer than it may: it would again. */
const QUERY_CANCELED = '57014';
const DEADLOCK = '40P01';
// What PostgreSQL 18 says of a row that others refer to. Sequelize 6 has no class for it.
const RESTRICT_VIOLATION = '23001';
const LOST_CONNECTION = /^Connection terminated|^Client has encountered a connection error/;

/** Whether an error means that the database is away or overloaded, so that the same call may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof BaseError && error.name === 'SequelizeConnectionAcquireTimeoutError')
    return true;
  const { code, message } = causeOf(error);
  if (code === QUERY_CANCELED) return false;
  return UNAVAILABLE.test(code) || LOST_CONNECTION.test(message) || code === 'ECONNRESET';
}

/** Whether an error means that a row clashes with another, or that a row it refers to is gone. */
export function isConstraintViolation(error: unknown): boolean {
  return isTaken(error) || isReferenced(error);
}

/** Whether an error means that another row has the value that only one can have. */
export function isTaken(error: unknown): boolean {
  return error instanceof UniqueConstraintError || error instanceof ExclusionConstraintError;
}

/** Whether an error means that a row that is deleted is referred to, or that a row that is referred to is not there. */
export function isReferenced(error: unknown): boolean {
  return error instanceof ForeignKeyConstraintError || causeOf(error).code === RESTRICT_VIOLATION;
}

/** Whether PostgreSQL ended a statement because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return causeOf(error).code === QUERY_CANCELED;
}

/** Whether PostgreSQL ended the transaction to resolve a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return causeOf(error).code === DEADLOCK;
}

/** The table that an error of PostgreSQL is about. */
export function tableOfError(error: unknown): string | undefined {
  return causeOf(error).table;
}

/** What PostgreSQL said, whether Sequelize has wrapped it or not. */
function causeOf(error: unknown): { code: string; message: string; table?: string } {
  const cause =
    error instanceof DatabaseError || error instanceof UniqueConstraintError
      ? error.original
      : error;
  const { code, message, table } = (cause ?? {}) as Partial<Record<string, unknown>>;
  return {
    code: String(code),
    message: String(message),
    ...(typeof table === 'string' ? { table } : {}),
  };
}
