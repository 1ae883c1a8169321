import { ppaReference, type Ppa } from '../domain/packages/ppa.ts';
import type { PoolPpa } from '../models/pool/pool-ppa.ts';
import type { TemporalWorkflows } from './temporal-workflows.ts';
import { forEachRow } from './row-faults.ts';
import { askAfterWorkflow } from './ask-after-workflow.ts';
import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { StartRefusedError } from './temporal-errors.ts';

/** What the dispatcher needs of Temporal for the pool of PPAs. */
type PoolContext = Omit<DispatchContext, 'workflows'> & {
  workflows: Pick<TemporalWorkflows, 'startCleaning' | 'status'>;
};

/** The PPAs that the pool has at first, and how long a landing that failed keeps the one that it has. */
export type PoolOptions = { ppas: readonly Ppa[]; leaseKeepMs: number };

/** Keeps the pool of PPAs: adds those that it never had, takes back what landings need no more, and has it cleaned. */
export class PoolKeeper {
  private readonly context: PoolContext;
  private readonly keepMs: number;
  private toAdd: readonly Ppa[];
  /** Each is named once. */
  private isUseTold = false;

  constructor(context: PoolContext, { ppas, leaseKeepMs }: PoolOptions) {
    this.context = context;
    this.toAdd = ppas;
    this.keepMs = leaseKeepMs;
  }

  /** @throws as forEachRow */
  async run(signal: AbortSignal): Promise<void> {
    const { database, logger } = this.context;
    if (this.toAdd.length > 0) await this.add();
    for (const landingId of await database.PpaLease.returnDue(this.keepMs, BATCH_SIZE))
      logger.info({ landingId }, 'the PPA of a landing goes back to the pool');
    await startCleanings(this.context, signal);
  }

  private async add(): Promise<void> {
    const { database, logger } = this.context;
    this.toAdd = await database.PoolPpa.addMissing(this.toAdd);
    if (!this.isUseTold)
      for (const ppa of this.toAdd)
        logger.warn({ ppa: ppaReference(ppa) }, 'a PPA is in use: the pool gets it later');
    this.isUseTold = true;
  }
}

/** Starts the workflows that clean PPAs of the pool. @throws as forEachRow */
async function startCleanings(context: PoolContext, signal: AbortSignal): Promise<void> {
  const { database, workflows, logger } = context;
  const waiting = await database.PoolPpa.undispatched(BATCH_SIZE);
  await forEachRow('PPA', waiting, signal, async (row) => {
    try {
      await row.dispatch(async (current, transaction) => {
        const { id: poolPpaId, cleaning, reference: ppa, isPastKnown } = current;
        const last = await database.PpaLease.lastHolder(poolPpaId, transaction);
        const packages = last?.packages.map(({ source, version }) => ({ source, version }));
        await workflows.startCleaning({
          poolPpaId,
          cleaning,
          ppa,
          readsPast: !isPastKnown,
          lastUse: last && packages ? { series: last.series, packages } : null,
        });
        logger.info({ ppa: current.ppa, workflowId: current.workflowId }, 'a PPA is cleaned');
      });
    } catch (error) {
      if (!(error instanceof StartRefusedError)) throw error;
      await quarantine(context, row, `Temporal refuses its cleaning: ${error.message}`);
    }
  });
}

/**
 * Quarantines PPAs whose cleaning ended without a result, or is unknown to Temporal. Of one whose cleaning runs and
 * cannot get on, the reason is noted.
 *
 * @param silentSince Temporal is asked after a cleaning of which nothing was heard since then
 */
export async function sweepCleanings(
  context: PoolContext,
  silentSince: Date,
  signal: AbortSignal,
): Promise<void> {
  const silent = await context.database.PoolPpa.silentSince(silentSince, BATCH_SIZE);
  await forEachRow('PPA', silent, signal, async (row) => {
    const status = await askAfterWorkflow(context, row.workflowId);
    if (status.state === 'stuck')
      await row.markHeard(`its workflow cannot get on: ${status.message}`);
    else if (status.state === 'running') await row.markHeard(null);
    else await quarantine(context, row, 'its cleaning ended without a result');
  });
}

async function quarantine(
  { database, logger }: PoolContext,
  { id: poolPpaId, cleaning, ppa }: PoolPpa,
  problem: string,
): Promise<void> {
  if (await database.PoolPpa.endCleaning({ poolPpaId, cleaning }, problem))
    logger.error({ ppa, problem }, 'a PPA of the pool is quarantined');
}
