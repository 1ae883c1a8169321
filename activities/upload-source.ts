import { ApplicationFailure, Context } from '@temporalio/activity';
import { AirlineError } from '../domain/errors.ts';
import {
  shownPackage,
  type CheckedPackage,
  type SourceFile,
} from '../domain/packages/source-file.ts';
import type { Ppa } from '../domain/packages/ppa.ts';
import { mayHaveArrived, type UploadProgress } from '../domain/builds/upload-progress.ts';
import type { BuildModel } from '../models/builds/build.ts';
import type { WatchedBuildModel } from '../models/builds/watched-build.ts';
import { uploadDirectory, uploadFiles, UploadInDoubtError } from '../ppa/upload.ts';
import { chunkStream } from './sources/chunk-stream.ts';
import { startPollingLoop } from '../timing/polling-loop.ts';
import { confirmAttempt } from './temporal/confirm-attempt.ts';
import { acceptanceAssertion, assertTargetExists } from './sources/assert-accepted-by-ppa.ts';
import { createTargetCache } from './sources/target-cache.ts';
import { whileHeartbeating } from './temporal/heartbeat.ts';
import { whileWanted, type Caller } from './sources/while-wanted.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { openSource } from './sources/open-source.ts';
import { verifiedChunks } from './sources/verified-chunks.ts';

type Dependencies = Pick<
  ActivityDependencies,
  | 'ppaClient'
  | 'uploadServer'
  | 'sources'
  | 'store'
  | 'cancelUrlTimeoutMs'
  | 'cancelUrlPollMs'
  | 'logger'
> & {
  database: {
    Build: Pick<BuildModel, 'recordUpload'>;
    WatchedBuild: Pick<WatchedBuildModel, 'hasSent'>;
  };
};

/** Between two notes of how far an upload is. */
const NOTE_MS = 5_000;
/** About a quarter of an hour of sessions that fail at once. */
const MAX_SESSIONS = 20;

/**
 * `isUnclear`: the upload is in doubt. The package was sent, the server has not confirmed all of it, and the PPA may
 * have it or not. Recorded histories have the name.
 */
export type UploadResult = { alreadyThere: boolean; sentBytes: number; isUnclear: boolean };

/**
 * Uploads a source package to the PPA, unless it is there already. The files are streamed from their URLs straight
 * into one FTP session and checked again on the way, save those of which our own data store says that they are still
 * what was checked; memory stays flat. A fault is a plain Error, and the next try sends all of it again: Launchpad
 * drops a session that brought no complete `.changes`. After 20 sessions of all tries there is none; tries that end
 * before one, as where the PPA's web service is away, are not counted.
 *
 * At most one upload comes of all tries. Launchpad takes an upload when its session ends, however it ends, if the
 * `.changes` is complete by then. So the `.changes` goes last, and only when Temporal has it on record and says that
 * this is the try that counts. From then on nothing is sent again, whatever happens, and a cancellation comes too late:
 * the session is finished, and where its outcome stays unclear only the PPA can show it.
 *
 * What the attempt waits for in the PPA already was sent by an earlier run of its workflow, as before a reset. It is
 * not sent again either.
 *
 * @param input.others those of the request that come after it: what is wrong with one of them ends the build, too,
 * before anything of it is sent
 * @throws AirlineError `series_not_open`, `ppa_not_found`, `version_conflict`, `version_not_higher`, `file_conflict`,
 * `key_not_registered`, `upload_not_allowed` before anything is sent; `checksum_mismatch` where a file has changed
 * since it was checked; `source_not_fetched`, `host_not_allowed`, `source_too_large` as checkSources
 */
export function uploadSource(deps: Dependencies) {
  const { ppaClient, uploadServer, sources, store, database, logger } = deps;
  const asked = { ppaClient, logger, targetCache: createTargetCache() };
  return async (input: {
    /** Inputs of older workflows lack both. */
    buildId?: number;
    attempt?: number;
    ppa: Ppa;
    series: string;
    package: CheckedPackage;
    others?: CheckedPackage[];
    cancelUrl?: string | null;
  }): Promise<UploadResult> => {
    const { buildId, attempt, ppa, series, package: sourcePackage, others = [], cancelUrl } = input;
    const { files, source, version } = sourcePackage;
    const said = Context.current().info.heartbeatDetails as UploadProgress | undefined;
    if (said && mayHaveArrived(said))
      return { alreadyThere: false, sentBytes: 0, isUnclear: said.phase === 'committing' };
    const wasSentBefore =
      buildId !== undefined &&
      attempt !== undefined &&
      (await database.WatchedBuild.hasSent({ buildId, attempt }, { source, version }));
    if (wasSentBefore) return { alreadyThere: false, sentBytes: 0, isUnclear: false };
    const progress: Required<UploadProgress> = {
      phase: 'checking',
      sentBytes: 0,
      totalBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      sessions: said?.sessions ?? 0,
    };
    const onBytes = (count: number) => {
      progress.sentBytes += count;
    };
    /**
     * Keeps on the build's row how far the upload is, for its regular messages. What cannot be kept changes nothing.
     */
    function startNotes() {
      if (buildId === undefined || attempt === undefined) return undefined;
      return startPollingLoop({
        intervalMs: NOTE_MS,
        poll: () =>
          database.Build.recordUpload(
            { buildId, attempt },
            {
              package: shownPackage(sourcePackage),
              sent_bytes: progress.sentBytes,
              total_bytes: progress.totalBytes,
            },
          ),
        onError: (error) =>
          logger.warn({ err: error, buildId }, 'the progress of an upload could not be kept'),
      });
    }

    async function* contentOf(file: SourceFile, signal: AbortSignal) {
      const { chunks, storeVersion } = await openSource(file.url, { sources, store }, signal);
      // The very content that was checked needs no second check: hashing is most of what an upload costs.
      const isAsChecked = storeVersion !== undefined && storeVersion === file.storeVersion;
      yield* isAsChecked ? counted(chunks) : verifiedChunks(file, chunks, onBytes);
    }

    async function* counted(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        onBytes(chunk.length);
        yield chunk;
      }
    }

    const send = async ({ signal, askLast }: Caller) => {
      await assertTargetExists(asked, { ppa, series });
      const assertAccepted = acceptanceAssertion(asked, { ppa, series });
      for (const other of others) await assertAccepted(other);
      if (await assertAccepted(sourcePackage))
        return { alreadyThere: true, sentBytes: 0, isUnclear: false };
      progress.phase = 'sending';
      progress.sessions += 1;
      const notes = startNotes();
      try {
        await uploadFiles(
          uploadServer,
          uploadDirectory(ppa, series),
          files.map((file) => ({
            name: file.name,
            open: () => chunkStream(contentOf(file, signal)),
          })),
          {
            signal,
            async beforeLast() {
              await askLast();
              progress.phase = 'committing';
              return confirmAttempt(progress);
            },
            onDelivered() {
              progress.phase = 'delivered';
            },
          },
        );
      } catch (error) {
        // A .changes of which a part was never sent cannot count, whatever the session came to.
        const isInDoubt =
          error instanceof UploadInDoubtError && progress.sentBytes === progress.totalBytes;
        if (!isInDoubt) {
          progress.phase = 'broken';
          throw progress.sessions < MAX_SESSIONS ? error : asLastFault(error);
        }
        logger.warn(
          { err: error, source, version },
          'an upload broke off in its last file; the PPA may have it',
        );
        return { alreadyThere: false, sentBytes: progress.sentBytes, isUnclear: true };
      } finally {
        await notes?.stop();
      }
      await confirmAttempt(progress).catch((error: unknown) =>
        logger.warn({ err: error }, 'a delivered upload could not be confirmed to Temporal'),
      );
      logger.info({ source, version, sentBytes: progress.sentBytes }, 'uploaded a source package');
      return { alreadyThere: false, sentBytes: progress.sentBytes, isUnclear: false };
    };
    return whileHeartbeating(
      () => progress,
      (signal) => whileWanted(cancelUrl, deps, signal, send),
    );
  };
}

/** What Temporal does not try again; its message is that of the fault. */
function asLastFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AirlineError) return error;
  return ApplicationFailure.create({ message: error.message, nonRetryable: true, cause: error });
}
