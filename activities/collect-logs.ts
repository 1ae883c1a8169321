import { Context } from '@temporalio/activity';
import { Readable } from 'node:stream';
import { buildRecordState, type BuildRecord } from '../domain/builds/build-state.ts';
import type { ListedPackages } from '../domain/builds/built-package.ts';
import type { RootCause } from '../domain/builds/failure.ts';
import { logName } from '../domain/builds/log-name.ts';
import { buildHasFailed } from '../domain/builds/retry-choice.ts';
import { PpaAnswerError } from '../ppa/web-service.ts';
import { endAfter } from '../timing/end-after.ts';
import { sideBySide } from '../timing/side-by-side.ts';
import { buildRecordOf } from './ppa/build-record.ts';
import {
  findBuiltPackages,
  storePackageList,
  type BuiltSources,
  type FoundPackages,
} from './ppa/built-packages.ts';
import { whileHeartbeating } from './temporal/heartbeat.ts';
import { isLastTry, timeOfTryMs } from './temporal/time-of-try.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { readLog } from './logs/read-log.ts';
import { createLogScanner, type LogScanner } from './logs/scan-log.ts';
import { NotPublicError, openPpaFile } from './sources/open-ppa-file.ts';

/** A log in the data store. */
export type CollectedLog = {
  package: string;
  architecture: string;
  kind: 'build' | 'upload';
  key: string;
  url: string;
};

type Dependencies = Pick<
  ActivityDependencies,
  'ppaClient' | 'store' | 'logs' | 'aptUrl' | 'logger'
>;
type Attempt = { buildId: number; attempt?: number };
type WantedLog = {
  record: BuildRecord;
  kind: CollectedLog['kind'];
  logUrl: string | null;
  /** Why the record could not be read again, which may have its URL by now. */
  unread?: unknown;
};

/** What became of one log. */
type Outcome = {
  /** Its key, as it is named where it is missing. */
  name: string;
  log?: CollectedLog;
  rootCause?: RootCause | undefined;
  /** The PPA has none, at least not yet. */
  isAbsent?: true;
  /** Nobody can get it, so that nobody need be alarmed. */
  isPrivate?: true;
  /** Why a later try may get it. */
  fault?: Error;
};

/** A log can lag behind its build's state; after this many tries it is not coming. */
const MAX_ABSENT_LOG_TRIES = 5;
/** Of the time of a try: it ends itself before Temporal does, which would cost all that it has. */
const SHARE_FOR_LOGS = 0.8;
const SHARE_WITH_PACKAGES = 0.95;
/** A build may have hundreds, and each takes a connection or two. */
const LOGS_AT_ONCE = 3;

/**
 * Copies the logs of every ended build into the data store, as text under
 * `builds/<build id>/<package>_<version>_<architecture>.build.log` (`.upload.log` for an upload that failed), those of
 * later attempts under `builds/<build id>/attempt-<n>/`. Every log that can be fetched is stored before a fault of
 * another ends the try, and a later try takes it from there. Where every build has succeeded, the packages that they
 * made are listed there, too. A try that lasts too long ends itself, as the last one, with what it has by then.
 *
 * @returns the logs, the names of those that are missing (absent at the fifth try, or out of reach at the last one; a
 * log of a private PPA is not named), the root cause of each build that did not succeed, where its log names one, and
 * the packages, where the PPA could be asked
 * @throws Error where a later try may get a log that is not there now
 */
export function collectLogs(
  { ppaClient, store, logs: limits, aptUrl, logger }: Dependencies,
  createScanner = createLogScanner,
) {
  return async (input: {
    buildId: number;
    /** Workflows from before there were retries leave it out. */
    attempt?: number;
    records: BuildRecord[];
    /** What was built; inputs of older workflows lack it, and nothing is listed. */
    built?: BuiltSources;
  }): Promise<{
    logs: CollectedLog[];
    missing: string[];
    rootCauses?: RootCause[];
    built?: ListedPackages;
  }> => {
    const { info, cancellationSignal: cancelled } = Context.current();
    const { attempt } = info;
    const timeMs = timeOfTryMs(info);
    const endOfLogs = endAfter(timeMs * SHARE_FOR_LOGS);
    const endOfAll = endAfter(timeMs * SHARE_WITH_PACKAGES);
    const signal = AbortSignal.any([cancelled, endOfLogs.signal]);
    const progress = { logs: new Set<string>(), storedBytes: 0 };

    /** @returns undefined where the PPA has none */
    async function collect(wanted: WantedLog): Promise<Omit<Outcome, 'name'> | undefined> {
      const { record, kind } = wanted;
      const key = keyOf(input, wanted);
      const state = buildRecordState(record.buildState);
      const scan = kind === 'build' && buildHasFailed({ state }) ? scanning(key) : undefined;
      const earlier = attempt > 1 ? await store.read(key) : undefined;
      if (earlier) {
        if (scan) for await (const chunk of earlier.chunks) await scan.write(chunk);
      } else {
        const response = await open(wanted, signal);
        if (!response) return undefined;
        await store.put(key, Readable.from(counted(readLog(response, limits.maxBytes), scan)));
      }
      const cause = await scan?.end();
      const { package: name, architecture } = record;
      return {
        log: { package: name, architecture, kind, key, url: store.urlOf(key) },
        rootCause: cause && { package: name, architecture, ...cause },
      };
    }

    async function* counted(text: AsyncGenerator<Buffer>, scan?: ReturnType<typeof scanning>) {
      for await (const chunk of text) {
        progress.storedBytes += chunk.length;
        await scan?.write(chunk);
        yield chunk;
      }
    }

    /** A fault of the scanner costs the root cause, never the log. */
    function scanning(key: string) {
      let scanner: LogScanner | undefined = createScanner();
      const guarded = async <T>(act: (scanner: LogScanner) => Promise<T>) => {
        try {
          return scanner && (await act(scanner));
        } catch (error) {
          scanner = undefined;
          logger.error({ buildId: input.buildId, log: key, err: error }, 'a log was not scanned');
          return undefined;
        }
      };
      return {
        write: (chunk: Buffer) => guarded((one) => one.write(chunk)),
        end: () => guarded((one) => one.end()),
      };
    }

    async function outcomeOf(wanted: WantedLog): Promise<Outcome> {
      const name = keyOf(input, wanted);
      progress.logs.add(name);
      try {
        const collected = await endOfLogs.before(() => collect(wanted));
        return collected ? { name, ...collected } : { name, isAbsent: true };
      } catch (error) {
        cancelled.throwIfAborted();
        logger.warn(
          { buildId: input.buildId, log: name, err: error },
          'a log could not be fetched',
        );
        return error instanceof NotPublicError
          ? { name, isPrivate: true }
          : { name, fault: error as Error };
      } finally {
        progress.logs.delete(name);
      }
    }

    async function outcomesOf(record: BuildRecord): Promise<Outcome[]> {
      const wanted = await endOfLogs
        .before(() => withLogUrls(record))
        .then(wantedLogs, (unread: unknown) =>
          wantedLogs(record).map((log) => ({ ...log, unread })),
        );
      return sideBySide(wanted, 1, outcomeOf);
    }

    return whileHeartbeating(
      () => ({ logs: [...progress.logs], storedBytes: progress.storedBytes }),
      async () => {
        const ended = input.records.filter(hasEnded);
        const outcomes = (await sideBySide(ended, LOGS_AT_ONCE, outcomesOf)).flat();
        const absent = outcomes.flatMap(({ name, isAbsent }) => (isAbsent ? name : []));
        let fault = outcomes.findLast((one) => one.fault)?.fault;
        if (absent[0] && attempt < MAX_ABSENT_LOG_TRIES)
          fault ??= new Error(`The PPA has no log yet for ${absent[0]}`);
        let built: ListedPackages | undefined;
        try {
          const found = await endOfAll.before(() => findPackages(input));
          if (found) {
            const packages = found.sources.flatMap((one) => one.packages);
            // Whatever becomes of their lists, the packages are told, and so are the lists that were stored before.
            const lists: string[] = [];
            built = { packages, apt: found.apt, lists };
            for (const source of found.sources)
              lists.push(
                await endOfAll.before(() =>
                  storePackageList(store, found, source, folderOf(input)),
                ),
              );
          }
        } catch (error) {
          cancelled.throwIfAborted();
          if (!(error instanceof PpaAnswerError)) fault = error as Error;
          logger.warn({ buildId: input.buildId, err: error }, 'the packages could not be listed');
        }
        const isLast = isLastTry(info);
        if (fault && !isLast && !endOfLogs.signal.aborted) throw fault;
        for (const log of absent)
          logger.warn(
            { buildId: input.buildId, log, reason: 'the PPA has none' },
            'a log could not be fetched',
          );
        return {
          logs: outcomes.flatMap(({ log }) => log ?? []),
          missing: outcomes.flatMap(({ name, log, isPrivate }) => (log || isPrivate ? [] : name)),
          rootCauses: outcomes.flatMap(({ rootCause }) => rootCause ?? []),
          ...(built ? { built } : {}),
        };
      },
    );
  };

  async function findPackages({
    built,
    records,
  }: {
    built?: BuiltSources;
    records: readonly BuildRecord[];
  }): Promise<FoundPackages | undefined> {
    return built && findBuiltPackages({ ppaClient, aptUrl }, built, records);
  }

  async function open({ record, logUrl, unread }: WantedLog, signal: AbortSignal) {
    if (logUrl === null) {
      if (unread !== undefined) throw unread;
      return undefined;
    }
    const { idleTimeoutMs, hosts } = limits;
    return openPpaFile(logUrl, [record.selfLink, record.webLink], hosts, { signal, idleTimeoutMs });
  }

  /** The log appears in the record a moment after the state does. */
  async function withLogUrls(record: BuildRecord): Promise<BuildRecord> {
    if (wantedLogs(record).every(({ logUrl }) => logUrl !== null)) return record;
    try {
      return buildRecordOf(await ppaClient.getBuild(record.selfLink));
    } catch (error) {
      if (!(error instanceof PpaAnswerError)) throw error;
      logger.warn({ build: record.selfLink, err: error }, 'a build record could not be read again');
      return record;
    }
  }
}

/** A build that never ran has no log; a Dependency wait has one where it was found out by a builder. */
function hasEnded({ buildState, buildLogUrl, startedAt }: BuildRecord): boolean {
  const state = buildRecordState(buildState);
  if (state === 'dependency_wait') return buildLogUrl !== null;
  return state === 'completed' || (state === 'failed' && (startedAt ?? buildLogUrl) !== null);
}

function wantedLogs(record: BuildRecord): WantedLog[] {
  const build: WantedLog = { record, kind: 'build', logUrl: record.buildLogUrl };
  const upload: WantedLog = { record, kind: 'upload', logUrl: record.uploadLogUrl };
  return record.buildState === 'Failed to upload' ? [build, upload] : [build];
}

function keyOf(of: Attempt, { record, kind }: WantedLog): string {
  return `${folderOf(of)}/${logName(record, kind)}`;
}

function folderOf({ buildId, attempt = 1 }: Attempt): string {
  return `builds/${buildId}${attempt > 1 ? `/attempt-${attempt}` : ''}`;
}
