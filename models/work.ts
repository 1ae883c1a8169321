import { Transaction, type Sequelize } from 'sequelize';

/** On whose behalf a change is made, for the histories, and in which transaction. */
export type Work = {
  /** The name of the token, or of the part of Airline, that makes the change. */
  readonly actor: string;
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
  readonly transaction?: Transaction | undefined;
  /** The revisions of the row that the caller has seen and means to change. */
  readonly ifRevision?: readonly number[] | undefined;
};

// deadlock_detected: https://www.postgresql.org/docs/current/errcodes-appendix.html
const DEADLOCK = '40P01';
const MAX_ATTEMPTS = 5;

/**
 * Runs changes that hold together or not at all: in the transaction that there is, else in one of their own. Who has to
 * give way in a deadlock has done nothing yet and begins again, so `run` may be called more than once.
 */
export async function atomically<W extends Work, T>(
  sequelize: Sequelize,
  work: W,
  run: (work: W & { readonly transaction: Transaction }) => Promise<T>,
): Promise<T> {
  const { transaction } = work;
  if (transaction) return run({ ...work, transaction });
  for (let attempt = 1; ; attempt++)
    try {
      return await sequelize.transaction((own) => run({ ...work, transaction: own }));
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || (error as { code?: unknown }).code !== DEADLOCK) throw error;
    }
}

/** Runs reads that have to fit together: in the transaction that there is, else in one that sees one moment only. */
export async function inSnapshot<T>(
  sequelize: Sequelize,
  transaction: Transaction | undefined,
  run: (within: Transaction) => Promise<T>,
): Promise<T> {
  if (transaction) return run(transaction);
  const isolationLevel = Transaction.ISOLATION_LEVELS.REPEATABLE_READ;
  return sequelize.transaction({ isolationLevel }, run);
}

/** The columns by which a change tells the trigger of its table who makes it: the trigger writes the history. */
export function tellTrigger({ actor, reason = '', requestId }: Work) {
  return { changed_by: actor, change_reason: reason, change_request_id: requestId ?? null };
}
