import { Readable } from 'node:stream';
import type { TestRunEnd } from '../../domain/testing/test-run.ts';
import { attachArtifacts } from '../../models/tickets/attach-artifacts.ts';
import { attachToTicket } from '../../models/tickets/attach-to-ticket.ts';
import type { TestRun } from '../../models/landings/test-run.ts';
import type { TestingDependencies } from './dependencies.ts';

/**
 * Writes how a run ended, unless it has an end, and makes its log and its results artifacts: of the subticket whose
 * source was tested, of the ticket where another source was. A run without a landing has no ticket.
 *
 * @param folder of the run in the data store
 * @param name of its files, without what tells them apart
 */
export async function keepOutcome(
  { database, store }: Pick<TestingDependencies, 'database' | 'store'>,
  run: TestRun,
  {
    how,
    artifacts,
    folder,
    name,
  }: { how: TestRunEnd; artifacts: string | null; folder: string; name: string },
): Promise<void> {
  const { source, version, architecture, landingId, attempt, reason, logUrl } = run;
  const resultsKey = `${folder}/${name}.tests.json`;
  const results = { source, version, architecture, why: run.why, ...how };
  await store.put(resultsKey, Readable.from([`${JSON.stringify(results, null, 2)}\n`]));
  const { sequelize, Landing, Ticket } = database;
  const landing = landingId === null ? null : await Landing.findByPk(landingId);
  await sequelize.transaction(async (transaction) => {
    // The end of its landing has the ticket first, too.
    if (landing) await Ticket.lockKey(landing.ticketId, transaction);
    if (!(await run.end(how, artifacts, transaction))) return;
    if (!landing) return;
    const url = store.urlOf(resultsKey);
    const logs = logUrl === null ? [] : [logUrl];
    const of = { ticketId: landing.ticketId, attempt: attempt ?? 1 };
    if (reason === 'changed')
      await attachArtifacts(sequelize, of, { logs, lists: [url] }, transaction);
    else
      await attachToTicket(
        sequelize,
        landing.ticketId,
        [
          ...logs.map((log) => ({ name: `${name}.test.log`, url: log, type: 'LOGS' as const })),
          { name: `${name}.tests.json`, url, type: 'RESULTS' },
        ],
        transaction,
      );
  });
}
