import type { InTransaction } from '../../models/sql/mutation-context.ts';
import { atomically } from '../../models/sql/transactions.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { ApiContext } from '../http/context.ts';
import { mutationContextOf } from './request-context.ts';

/**
 * Makes changes on behalf of a request that give the dispatcher or the publisher something to do: all of them or none.
 * Both are woken once they can see them.
 *
 * @param write reads what decides, and writes; after a deadlock it is called again
 * @throws AirlineError what `write` throws
 */
export function writeAndWake<T>(
  ctx: ApiContext,
  { database, wakeDispatch }: Pick<HandlerDependencies, 'database' | 'wakeDispatch'>,
  write: (context: InTransaction) => Promise<T>,
): Promise<T> {
  return atomically(database.sequelize, mutationContextOf(ctx), async (context) => {
    context.transaction.afterCommit(wakeDispatch);
    return write(context);
  });
}
