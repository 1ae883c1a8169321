import type { Logger } from 'pino';
import type { ArchiveState } from '../archive/archive-state.ts';
import { keepBinaries } from '../archive/keep-binaries.ts';
import type { Layout } from '../archive/layout.ts';
import {
  canBeCancelled,
  canBeRetried,
  hasEnded,
  now,
  WAITING_FOR_BUILDER,
  type Build,
  type SourcePublication,
} from '../archive/records.ts';

/** How a build ended, before its output is checked. */
export type BuildOutcome = {
  /** One of Launchpad's states, or a word of the script. */
  state: string;
  /** Names of files in the build's folder. */
  log: string | null;
  /** Time from the end of the build until its record names the log. */
  logAfterMs?: number;
  uploadLog?: string | null;
  dependencies?: string | null;
  /** Time from the end of the build until there are publications of what it has made. */
  publicationsAfterMs?: number;
  /** Folder with the `.changes` and the packages that were built; they go into the archive. */
  builtDir?: string;
};

export type BuildRun = {
  build: Build;
  publication: SourcePublication;
  /** Moves the build record to a state on the way to its end. */
  report(state: string): void;
  /** Ends the build, because of a cancellation or because the stand-in stops. */
  signal: AbortSignal;
};

/** What builds packages: real sbuild, or a script. */
export type Builder = {
  canBuild(build: Build): boolean;
  /** Runs until the build has ended; called for one build at most once at a time. */
  build(run: BuildRun): Promise<BuildOutcome>;
  /** The end of the log of a build that runs; undefined where it writes none now. */
  logTail(buildId: number): string | undefined;
  /** Called when the build's outcome has been taken over. */
  clean(build: Build): Promise<void>;
  /** Called when nothing runs any more. */
  stop(): Promise<void>;
};

export type BuildFarm = {
  /** Starts waiting builds as far as builders are free. */
  dispatch(): void;
  /** Launchpad's `cancel`: nothing happens where a build cannot be cancelled. */
  cancel(buildId: number): void;
  /** Launchpad's `retry`; false where a build cannot be retried. */
  retry(buildId: number): boolean;
  /** What the page of a build shows of its log: its end, while it is Currently building. */
  logTail(buildId: number): string | undefined;
  /** Builds that wait for packages which their archive now has are dispatched again, as Launchpad does. */
  retryDependencyWaits(archive: string, series: string): void;
  /** Ends what runs; it waits again for the next start. */
  stop(): Promise<void>;
};

export type FarmDependencies = {
  state: ArchiveState;
  layout: Layout;
  builder: Builder;
  builders: number;
  logger: Logger;
};

/**
 * Runs builds. A build goes Needs building → Currently building → Gathering build output → Uploading build → its end.
 * Cancelled while it runs, it goes through Cancelling build; cancelled while it waits, it has ended at once. A build
 * that was running when the stand-in died waits again.
 */
export function openBuildFarm(dependencies: FarmDependencies): BuildFarm {
  const { state, layout, builder, builders, logger } = dependencies;
  const running = new Map<number, { abort: AbortController; ended: Promise<void> }>();
  const lateLogs = new Set<NodeJS.Timeout>();
  let isStopping = false;

  state.transact(({ put }) => {
    for (const build of state.builds())
      if (build.state === 'Cancelling build')
        put('build', { ...build, state: 'Cancelled build', builtAt: now() });
      else if (!hasEnded(build.state) && build.state !== 'Needs building')
        put('build', { ...build, ...WAITING_FOR_BUILDER });
  });

  const current = (id: number): Build => state.build(id) as Build;
  const change = (id: number, fields: Partial<Build>) =>
    state.transact(({ put }) => put('build', { ...current(id), ...fields }));

  const report = (id: number, next: string) => {
    const build = current(id);
    if (build.state === 'Cancelling build' || build.state === 'Cancelled build') return;
    const at = now();
    change(id, {
      state: next,
      ...(next === 'Currently building'
        ? { startedAt: at, firstDispatchedAt: build.firstDispatchedAt ?? at }
        : {}),
      ...(next === 'Uploading build' ? { builtAt: at } : {}),
    });
    logger.info({ build: id, source: build.source, state: next }, 'build state');
  };

  const end = async (id: number, outcome: BuildOutcome): Promise<void> => {
    const { state: reached } = current(id);
    if (reached === 'Cancelled build') return;
    const isLate = outcome.logAfterMs !== undefined && outcome.logAfterMs > 0;
    const files = { log: isLate ? null : outcome.log, uploadLog: outcome.uploadLog ?? null };
    if (reached === 'Cancelling build') {
      change(id, { ...files, state: 'Cancelled build', builtAt: now() });
    } else if (isStopping) {
      change(id, WAITING_FOR_BUILDER);
    } else if (outcome.builtDir !== undefined) {
      report(id, 'Uploading build');
      const { builtDir, publicationsAfterMs } = outcome;
      await keepBinaries(current(id), builtDir, files.log, { state, layout, publicationsAfterMs });
    } else {
      change(id, {
        ...files,
        state: outcome.state,
        dependencies: outcome.dependencies ?? null,
        builtAt: hasEnded(outcome.state) ? (current(id).builtAt ?? now()) : null,
      });
    }
    if (isLate) nameLogLater(id, outcome);
    const { source, version, architecture, state: ended } = current(id);
    logger.info({ build: id, source, version, architecture, state: ended }, 'build ended');
  };

  const nameLogLater = (id: number, { log, logAfterMs }: BuildOutcome) => {
    const { attempt } = current(id);
    const timer = setTimeout(() => {
      lateLogs.delete(timer);
      const build = current(id);
      if (build.attempt === attempt && hasEnded(build.state)) change(id, { log });
    }, logAfterMs);
    lateLogs.add(timer);
  };

  const start = (build: Build) => {
    const abort = new AbortController();
    const publication = state.source(build.sourceId) as SourcePublication;
    change(build.id, { attempt: build.attempt + 1 });
    const work = async () => {
      let outcome: BuildOutcome;
      try {
        outcome = await builder.build({
          build: current(build.id),
          publication,
          report: (next) => report(build.id, next),
          signal: abort.signal,
        });
      } catch (error) {
        // The machine's fault, which Launchpad calls so: the build itself was not judged.
        logger.error({ err: error, build: build.id }, 'builder failed');
        outcome = { state: 'Chroot problem', log: null };
      }
      try {
        await end(build.id, outcome);
      } finally {
        await builder.clean(build);
      }
    };
    const ended = work()
      .catch((error: unknown) => {
        logger.error({ err: error, build: build.id }, 'build could not be ended');
        if (!hasEnded(current(build.id).state))
          change(build.id, { state: 'Failed to upload', builtAt: now() });
      })
      .finally(() => {
        running.delete(build.id);
        dispatch();
      });
    running.set(build.id, { abort, ended });
  };

  const dispatch = () => {
    if (isStopping || running.size >= builders) return;
    for (const build of state.waitingBuilds()) {
      if (running.size >= builders) return;
      if (!running.has(build.id) && builder.canBuild(build)) start(build);
    }
  };

  const toQueue = (build: Build) => change(build.id, WAITING_FOR_BUILDER);

  return {
    dispatch,
    cancel(buildId) {
      const build = current(buildId);
      if (!canBeCancelled(build)) return;
      const run = running.get(buildId);
      if (run && build.state !== 'Needs building') change(buildId, { state: 'Cancelling build' });
      else change(buildId, { state: 'Cancelled build', builtAt: now() });
      run?.abort.abort();
    },
    retry(buildId) {
      const build = current(buildId);
      if (!canBeRetried(build)) return false;
      // What is left of the attempt before may still be deleted: it starts after that.
      toQueue(build);
      dispatch();
      return true;
    },
    logTail: (buildId) =>
      current(buildId).state === 'Currently building' ? builder.logTail(buildId) : undefined,
    retryDependencyWaits(archive, series) {
      const names = new Set(
        state
          .binaries(archive)
          .filter((binary) => binary.series === series && binary.status === 'Published')
          .map((binary) => binary.name),
      );
      for (const build of state.builds(archive)) {
        if (build.state !== 'Dependency wait' || build.series !== series) continue;
        const wanted = (build.dependencies ?? '')
          .split(/\s*,\s*/)
          .map((one) => one.split(/[ :]/)[0]);
        if (wanted.some((name) => name !== undefined && names.has(name))) toQueue(build);
      }
      dispatch();
    },
    async stop() {
      isStopping = true;
      for (const timer of lateLogs) clearTimeout(timer);
      const all = [...running.values()];
      for (const { abort } of all) abort.abort();
      await Promise.all(all.map(({ ended }) => ended));
      await builder.stop();
    },
  };
}
