import { Context, type Info } from '@temporalio/activity';
import { Readable } from 'node:stream';
import { buildRecordState, type BuildRecord } from '../domain/builds/build-state.ts';
import type { ListedPackages } from '../domain/builds/built-package.ts';
import type { RootCause } from '../domain/builds/failure.ts';
import { logName } from '../domain/builds/log-name.ts';
import { buildHasFailed } from '../domain/builds/retry-choice.ts';
import { PpaAnswerError } from '../ppa/web-service.ts';
import { buildRecordOf } from './ppa/build-record.ts';
import { listBuiltPackages, type BuiltSources } from './ppa/built-packages.ts';
import { whileHeartbeating } from './temporal/heartbeat.ts';
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
type WantedLog = { record: BuildRecord; kind: CollectedLog['kind']; logUrl: string | null };

/** A log can lag behind its build's state; after this many tries it is not coming. */
const MAX_ABSENT_LOG_TRIES = 5;
/** A try is the last one where less than this part of its time is left of the time for all of them. */
const LAST_SHARE = 0.2;

/**
 * Copies the logs of every ended build into the data store, as text under
 * `builds/<build id>/<package>_<version>_<architecture>.build.log` (`.upload.log` for an upload that failed), those of
 * later attempts under `builds/<build id>/attempt-<n>/`. A repeat writes the same keys again. Every log that can be
 * fetched is stored before a fault of another ends the try. Where every build has succeeded, the packages that they
 * made are listed there, too.
 *
 * @returns the logs, the names of those that are missing (absent at the fifth try, out of reach at the last one, or not
 * public), the root cause of each build that did not succeed, where its log names one, and the packages, where the PPA
 * could be asked
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
    const { attempt } = Context.current().info;
    const isLastTry = isLast(Context.current().info);
    const progress = { log: '', storedBytes: 0 };
    const rootCauses: RootCause[] = [];

    async function collect(wanted: WantedLog, signal: AbortSignal): Promise<CollectedLog | null> {
      const { record, kind, logUrl } = wanted;
      const key = keyOf(input, wanted);
      progress.log = key;
      if (logUrl === null) return null;
      const { idleTimeoutMs, maxBytes, hosts } = limits;
      const own = [record.selfLink, record.webLink];
      const response = await openPpaFile(logUrl, own, hosts, { signal, idleTimeoutMs });
      if (!response) return null;
      const state = buildRecordState(record.buildState);
      const scan = kind === 'build' && buildHasFailed({ state }) ? scanning(key) : undefined;
      await store.put(key, Readable.from(counted(readLog(response, maxBytes), scan)));
      const rootCause = await scan?.end();
      if (rootCause)
        rootCauses.push({
          package: record.package,
          architecture: record.architecture,
          ...rootCause,
        });
      return {
        package: record.package,
        architecture: record.architecture,
        kind,
        key,
        url: store.urlOf(key),
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

    return whileHeartbeating(
      () => progress,
      async (signal) => {
        const logs: CollectedLog[] = [];
        const missing: string[] = [];
        let fault: Error | undefined;
        for (const record of input.records.filter(hasEnded)) {
          for (const wanted of wantedLogs(await withLogUrls(record))) {
            const name = keyOf(input, wanted);
            try {
              const log = await collect(wanted, signal);
              if (log) logs.push(log);
              else if (attempt >= MAX_ABSENT_LOG_TRIES) missing.push(name);
              else fault = new Error(`The PPA has no log yet for ${name}`);
            } catch (error) {
              signal.throwIfAborted();
              if (isLastTry || error instanceof NotPublicError) missing.push(name);
              else fault = error as Error;
              logger.warn(
                { buildId: input.buildId, log: name, err: error },
                'a log could not be fetched',
              );
            }
          }
        }
        let built: ListedPackages | undefined;
        try {
          built = await listPackages(input);
        } catch (error) {
          signal.throwIfAborted();
          if (!isLastTry && !(error instanceof PpaAnswerError)) fault = error as Error;
          logger.warn({ buildId: input.buildId, err: error }, 'the packages could not be listed');
        }
        if (fault) throw fault;
        return { logs, missing, rootCauses, ...(built ? { built } : {}) };
      },
    );
  };

  async function listPackages(
    input: Attempt & { built?: BuiltSources; records: readonly BuildRecord[] },
  ): Promise<ListedPackages | undefined> {
    const { built, records } = input;
    const deps = { ppaClient, store, aptUrl };
    return built && listBuiltPackages(deps, built, records, folderOf(input));
  }

  /** The log appears in the record a moment after the state does. */
  async function withLogUrls(record: BuildRecord): Promise<BuildRecord> {
    if (wantedLogs(record).every(({ logUrl }) => logUrl !== null)) return record;
    try {
      return buildRecordOf(await ppaClient.getBuild(record.selfLink));
    } catch (error) {
      logger.warn({ build: record.selfLink, err: error }, 'a build record could not be read again');
      return record;
    }
  }
}

/** Whether another try would be refused, or is likely to come after the time for all of them. */
function isLast(info: Info): boolean {
  const { attempt, retryPolicy, scheduledTimestampMs } = info;
  const { startToCloseTimeoutMs, scheduleToCloseTimeoutMs } = info;
  const endMs = scheduledTimestampMs + scheduleToCloseTimeoutMs;
  return (
    attempt >= (retryPolicy?.maximumAttempts ?? Infinity) ||
    Date.now() > endMs - startToCloseTimeoutMs * LAST_SHARE
  );
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
