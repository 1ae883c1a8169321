import { Transaction, type Sequelize } from 'sequelize';
import { isDeadlock } from './database-errors.ts';
import type { MutationContext } from './mutation-context.ts';

const MAX_ATTEMPTS = 5;

/**
 * Runs changes that hold together or not at all: in the transaction that there is, else in one of their own. The one
 * that PostgreSQL ends to resolve a deadlock begins again, so `run` may be called more than once.
 */
export async function atomically<C extends MutationContext, T>(
  sequelize: Sequelize,
  context: C,
  run: (context: C & { readonly transaction: Transaction }) => Promise<T>,
): Promise<T> {
  const { transaction } = context;
  if (transaction) return run({ ...context, transaction });
  return inTransaction(sequelize, (own) => run({ ...context, transaction: own }));
}

/** Runs changes in a transaction of their own, which begins again as that of `atomically` does. */
export async function inTransaction<T>(
  sequelize: Sequelize,
  run: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await sequelize.transaction(run);
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isDeadlock(error)) throw error;
    }
}

/** Runs reads that have to fit together: in the transaction that there is, else in one that sees one moment only. */
export async function inSnapshot<T>(
  sequelize: Sequelize,
  transaction: Transaction | undefined,
  run: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  if (transaction) return run(transaction);
  const isolationLevel = Transaction.ISOLATION_LEVELS.REPEATABLE_READ;
  return sequelize.transaction({ isolationLevel }, run);
}
