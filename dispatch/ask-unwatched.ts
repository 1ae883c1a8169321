import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { forEachRow } from './row-faults.ts';

/**
 * Has builds poll their PPA by themselves that no watch has polled for: it died, was terminated, or cannot get on. They
 * join again after that, which begins a watch anew where there is none.
 *
 * @param unwatchedMs time without a round of the watch
 */
export async function askUnwatched(
  { database, workflows, logger }: DispatchContext,
  unwatchedMs: number,
  signal: AbortSignal,
): Promise<void> {
  const unwatched = await database.WatchedBuild.unwatchedFor(unwatchedMs, BATCH_SIZE);
  if (unwatched.length > 0)
    logger.warn(
      { builds: unwatched.length, ppa: unwatched[0]?.ppa, alarm: 'ppa_unwatched' },
      'no watch polls a PPA; its builds have to do it by themselves',
    );
  const rows = unwatched.map((build) => ({ id: build.buildId, build }));
  await forEachRow('build', rows, signal, async ({ build }) => {
    const outcome = await workflows.signalAsk(build.workflowId);
    if (outcome === 'ended') await build.leaveUnlessRejoined();
    else await build.markAsked();
  });
}

/**
 * Has silent builds poll their PPA by themselves of which no watch knows: else they sleep until their deadline. One
 * that is not that far does so once more when it is.
 *
 * @param since builds that have reported later are left alone
 */
export async function askUnjoined(
  { database, workflows }: DispatchContext,
  since: Date,
  signal: AbortSignal,
): Promise<void> {
  let afterId = 0;
  for (;;) {
    const unjoined = await database.Build.unjoinedSince(since, afterId, BATCH_SIZE);
    await forEachRow('build', unjoined, signal, async ({ workflowId }) => {
      await workflows.signalAsk(workflowId);
    });
    if (unjoined.length < BATCH_SIZE) return;
    afterId = unjoined.at(-1)?.id ?? 0;
  }
}
