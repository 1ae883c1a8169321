import { Context } from '@temporalio/activity';
import { CANCEL_URL_CALLER } from '../../domain/builds/build-workflow.ts';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { readClock } from '../../models/sql/database-time.ts';
import type { WatchedBuild } from '../../models/builds/watched-build.ts';
import { PpaUnavailableError } from '../../ppa/web-service.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { createSemaphore } from '../../timing/semaphore.ts';
import { sideBySide } from '../../timing/side-by-side.ts';
import { CANCEL_URLS_AT_ONCE, cancelUrlsOfRound } from './cancel-urls-of-round.ts';
import { listPpa } from './list-ppa.ts';
import { readWatched } from './read-watched.ts';
import { askToPoll, tellWatched } from './tell-watched.ts';
import { whilePolled } from './while-polled.ts';

type Dependencies = Pick<
  ActivityDependencies,
  'ppaClient' | 'database' | 'watches' | 'onRecorded' | 'sources' | 'cancelUrlTimeoutMs' | 'logger'
>;

const BUILDS_PER_PAGE = 200;
// Those that are read at once.
const MAX_BUILDS_PER_ROUND = 8;
// Those that are told at once: what the workers' connections to the database bear beside their other work.
const MAX_BUILDS_OF_ALL_ROUNDS = 10;
// Builds poll by themselves whose PPA has no mark for 30 s or more.
const MARK_EVERY_MS = 10_000;

/**
 * One round of the watch of a PPA: asks it for what may have changed, in collections, reports each change of each build
 * that waits there, and tells the workflows that have something to do. Cancel URLs are asked although the PPA does not
 * answer. A PPA that does not answer is noted on its builds, and fails nothing. A round that goes on is marked as one,
 * however long it waits for its turns among the calls of Launchpad: its builds need not poll by themselves.
 *
 * A worker that is told to stop breaks off before the next build, and leaves the round to another.
 *
 * @returns how many builds wait there
 */
export function watchPpa(
  deps: Dependencies,
  { markEveryMs = MARK_EVERY_MS, now = () => performance.now() } = {},
) {
  const { database, logger } = deps;
  const { WatchedBuild, PpaWatch } = database;
  const inTurn = createSemaphore(MAX_BUILDS_OF_ALL_ROUNDS);
  return async ({ ppa }: { ppa: Ppa }): Promise<{ watched: number }> => {
    const reference = ppaReference(ppa);
    const overview = await WatchedBuild.overviewOf(reference);
    if (overview.count === 0) return { watched: 0 };
    const mark = () => PpaWatch.markPolled(reference);
    const signal = Context.current().cancellationSignal;
    const marked = { mark, everyMs: markEveryMs, signal, logger };
    const [fault] = await whilePolled(marked, () =>
      Promise.all([
        pollBuilds(ppa, reference, overview).then(() => null, unavailable),
        askCancelUrls(reference),
      ]),
    );
    await PpaWatch.endRound(reference, fault?.message ?? null);
    if (fault) logger.warn({ ppa: reference, err: fault }, 'a PPA could not be polled');
    return { watched: overview.count };
  };

  async function pollBuilds(
    ppa: Ppa,
    reference: string,
    overview: Parameters<typeof listPpa>[2],
  ): Promise<void> {
    const askForOne = async () => {
      const [build] = await WatchedBuild.listAfter(reference, 0, 1);
      const [wanted] = build?.request.packages ?? [];
      if (wanted) await deps.ppaClient.getPublishedSources(ppa, wanted);
    };
    const listed = await listPpa(deps, ppa, overview, askForOne).catch(async (error: unknown) => {
      if (error instanceof PpaUnavailableError && !error.isOwnRate)
        await PpaWatch.markAway(reference);
      throw error;
    });
    const answersSince = await PpaWatch.markAnswering(reference);
    const clock = await readClock(database.sequelize);
    const { cancellationSignal } = Context.current();
    let fault: PpaUnavailableError | undefined;
    for await (const page of pagesOf(reference)) {
      await sideBySide(page, MAX_BUILDS_PER_ROUND, async (build) => {
        // Not within the try: a round that is to stop is no fault of the build.
        cancellationSignal.throwIfAborted();
        try {
          const read = await readWatched(deps, build, listed, answersSince, clock());
          await inTurn(async () => {
            if (read) await tellWatched(deps, build, read, clock());
            if (!read?.accepted && isLate(build, answersSince, clock()))
              await askToPoll(deps, build);
          });
        } catch (error) {
          if (error instanceof PpaUnavailableError) fault ??= error;
          // What is wrong with one build is for its own workflow to say.
          else await askItself(build, error);
        }
      });
    }
    if (fault) throw fault;
  }

  async function* pagesOf(reference: string): AsyncGenerator<WatchedBuild[]> {
    for (let afterId = 0; ;) {
      const page = await WatchedBuild.listAfter(reference, afterId, BUILDS_PER_PAGE);
      if (page.length > 0) yield page;
      if (page.length < BUILDS_PER_PAGE) return;
      afterId = page.at(-1)?.buildId ?? afterId;
    }
  }

  async function askItself(build: WatchedBuild, error: unknown): Promise<void> {
    logger.warn({ buildId: build.buildId, err: error }, 'a build has to poll its PPA by itself');
    await askToPoll(deps, build);
  }

  async function askCancelUrls(reference: string): Promise<void> {
    const { cancellationSignal } = Context.current();
    const isCallerGone = cancelUrlsOfRound(deps, now);
    const builds = await WatchedBuild.listCancelUrls(reference);
    await sideBySide(builds, CANCEL_URLS_AT_ONCE, async (build) => {
      cancellationSignal.throwIfAborted();
      const { cancelUrl, workflowId } = build;
      if (cancelUrl === null || !(await isCallerGone(cancelUrl))) return;
      await deps.watches.cancel(workflowId, CANCEL_URL_CALLER);
      await build.markTold({ cancelUrl: null });
    });
  }
}

/**
 * Whether the PPA should have shown its upload by now. After an outage it has all of its time again: what takes uploads
 * there was away, too, and then has those of all that time to work off.
 */
function isLate(
  { accepted, uploadedAt, request }: WatchedBuild,
  answersSince: Date | null,
  nowMs: number,
): boolean {
  const sinceMs = Math.max(uploadedAt.getTime(), answersSince?.getTime() ?? 0);
  return !accepted && nowMs - sinceMs >= request.acceptanceMs;
}

function unavailable(error: unknown): PpaUnavailableError {
  if (error instanceof PpaUnavailableError) return error;
  throw error;
}
