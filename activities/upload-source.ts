import { Context } from '@temporalio/activity';
import type { CheckedPackage, SourceFile } from '../domain/build-source.ts';
import type { Ppa } from '../domain/ppa.ts';
import { uploadDirectory, uploadFiles, UploadInDoubtError } from '../ppa/upload.ts';
import { chunkStream } from './chunk-stream.ts';
import { confirmAttempt } from './confirm-attempt.ts';
import { isPublished } from './find-published.ts';
import { whileHeartbeating } from './heartbeat.ts';
import type { ActivityDependencies } from './index.ts';
import { openSource } from './open-source.ts';
import { verifiedChunks } from './verified-chunks.ts';

type Dependencies = Pick<
  ActivityDependencies,
  'ppaClient' | 'uploadServer' | 'uploadSettleMs' | 'sources' | 'store' | 'logger'
>;

/**
 * What a try heartbeats, and what the next one finds of it. `committing`: the `.changes` is on its way. `delivered`: the
 * server has confirmed it. `broken`: this try's session ended before the `.changes` was complete, so that nothing can
 * come of it.
 */
type UploadProgress = {
  /** The try that says so: a later one may have said nothing before it died. */
  attempt: number;
  phase: 'looking' | 'sending' | 'committing' | 'delivered' | 'broken';
  sentBytes: number;
  totalBytes: number;
};

/**
 * Uploads a source package to the PPA, unless it is there already. The files are streamed from their URLs straight
 * into one FTP session and checked again on the way, save those of which our own data store says that they are still
 * what was checked; memory stays flat. A fault is a plain Error, and the next try sends all of it again: Launchpad
 * drops a session that brought no complete `.changes`.
 *
 * At most one upload comes of all tries. Launchpad takes an upload when its session ends, however it ends, if the
 * `.changes` is complete by then; so the `.changes` goes last, and only while Temporal says that this is the try that
 * counts. A cancellation comes too late from then on: the session is finished, so that its outcome is known. A try looks
 * before it acts. After one that was confirmed to have delivered, nothing is sent again: the PPA shows it or it does not.
 * After one that may have delivered and died before it could say so, the PPA has `uploadSettleMs` to show the upload.
 *
 * What can still happen: a worker is killed, or stands still until Temporal gives it up, between the first byte of the
 * `.changes` and the confirmation (some milliseconds, or the server's time to answer), and the PPA takes longer than
 * `uploadSettleMs` to show what had arrived. Then it gets the same upload twice. Launchpad takes the first and rejects
 * the second, with a mail and without any trace in the archive; the build goes on with the first.
 *
 * @throws AirlineError `version_conflict` before anything is sent; `checksum_mismatch` where a file has changed since
 * it was checked; `source_not_fetched`, `host_not_allowed`, `source_too_large` as checkSources
 */
export function uploadSource({
  ppaClient,
  uploadServer,
  uploadSettleMs,
  sources,
  store,
  logger,
}: Dependencies) {
  return async (input: {
    ppa: Ppa;
    series: string;
    package: CheckedPackage;
  }): Promise<{ alreadyThere: boolean; sentBytes: number }> => {
    const { ppa, series, package: sourcePackage } = input;
    const { files } = sourcePackage;
    const { attempt } = Context.current().info;
    const earlier = earlierTry();
    const progress: UploadProgress = {
      attempt,
      phase: earlier === 'delivered' ? 'delivered' : 'looking',
      sentBytes: 0,
      totalBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    };
    const onBytes = (count: number) => {
      progress.sentBytes += count;
    };
    const isThere = () => isPublished(ppaClient, ppa, series, sourcePackage);
    async function firstLook(): Promise<boolean> {
      try {
        return await isThere();
      } catch (error) {
        // Nothing was sent, so that the next try need not wait for it to show.
        if (earlier === 'none' || earlier === 'not delivered') progress.phase = 'broken';
        throw error;
      }
    }
    async function* contentOf(file: SourceFile, signal: AbortSignal) {
      const { chunks, storeVersion } = await openSource(file.url, { sources, store }, signal);
      // The very content that was checked needs no second look: hashing is most of what an upload costs.
      const isAsChecked = storeVersion !== undefined && storeVersion === file.storeVersion;
      yield* isAsChecked ? counted(chunks) : verifiedChunks(file, chunks, onBytes);
    }

    async function* counted(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        onBytes(chunk.length);
        yield chunk;
      }
    }

    return whileHeartbeating(
      () => progress,
      async (signal) => {
        if (await firstLook()) return { alreadyThere: true, sentBytes: 0 };
        if (earlier === 'delivered') return { alreadyThere: false, sentBytes: 0 };
        if (earlier === 'in doubt' && (await settles(isThere, uploadSettleMs)))
          return { alreadyThere: true, sentBytes: 0 };
        progress.phase = 'sending';
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
              beforeLast() {
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
          if (!isInDoubt) progress.phase = 'broken';
          throw error;
        }
        await confirmAttempt(progress).catch((error: unknown) =>
          logger.warn({ err: error }, 'a delivered upload could not be confirmed to Temporal'),
        );
        const { source, version } = sourcePackage;
        logger.info(
          { source, version, sentBytes: progress.sentBytes },
          'uploaded a source package',
        );
        return { alreadyThere: false, sentBytes: progress.sentBytes };
      },
    );
  };
}

/** What the tries before this one came to: unless the last of them said that it did not deliver, it may have. */
function earlierTry(): 'none' | 'not delivered' | 'in doubt' | 'delivered' {
  const { attempt, heartbeatDetails } = Context.current().info;
  const said = heartbeatDetails as UploadProgress | undefined;
  if (attempt === 1) return 'none';
  if (said?.phase === 'delivered') return 'delivered';
  return said?.phase === 'broken' && said.attempt === attempt - 1 ? 'not delivered' : 'in doubt';
}

async function settles(isThere: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    await Context.current().sleep(Math.min(withinMs / 10, 10_000));
    if (await isThere()) return true;
  }
  return false;
}
