import type { Transaction } from 'sequelize';

/** On whose behalf a change is made, for the histories, and in which transaction. */
export type MutationContext = {
  /** The name of the token, or of the part of Airline, that makes the change. */
  readonly actor: string;
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
  readonly transaction?: Transaction | undefined;
  /** The revisions of the row that the caller has seen and means to change. */
  readonly ifRevision?: readonly number[] | undefined;
  /** Those that it names by weak ETags, which match none; why it is refused may be said by them. */
  readonly weakRevisions?: readonly number[] | undefined;
  /** A landing makes the change: it publishes what is merged nowhere but in a source package. */
  readonly isLanding?: true;
};

/** A change that is made in a transaction. */
export type InTransaction = MutationContext & { readonly transaction: Transaction };

/** The caller's condition is on the row that it names, not on those that change with it. */
export function unconditional(context: InTransaction): InTransaction {
  return { ...context, ifRevision: undefined };
}

/** The attributes by which a change tells the trigger of its table who makes it: the trigger writes the history. */
export function auditColumns({ actor, reason = '', requestId }: MutationContext) {
  return { changedBy: actor, changeReason: reason, changeRequestId: requestId ?? null };
}
