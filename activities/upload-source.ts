import { Context } from '@temporalio/activity';
import type { CheckedPackage, SourceFile } from '../domain/build-source.ts';
import type { Ppa } from '../domain/ppa.ts';
import { uploadDirectory, uploadFiles } from '../ppa/upload.ts';
import { chunkStream } from './chunk-stream.ts';
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
 * What a try heartbeats, and what the next one finds of it. `broken`: the session ended before the `.changes` was
 * complete, so that nothing can come of it.
 */
type UploadProgress = {
  phase: 'looking' | 'sending' | 'delivered' | 'broken';
  sentBytes: number;
  totalBytes: number;
};

/**
 * Uploads a source package to the PPA, unless it is there already. The files are streamed from their URLs straight
 * into one FTP session and checked again on the way, save those of which our own data store says that they are still
 * what was checked; memory stays flat. A fault is a plain Error, and the next try sends all of it again: Launchpad
 * drops a session that brought no complete `.changes`.
 *
 * A try looks before it acts. Where the one before it may have delivered everything and died before it could say so,
 * this one gives the PPA `uploadSettleMs` to show the upload. What remains: a PPA that takes longer than that gets the
 * same upload twice. Launchpad takes the first and rejects the second, with a mail and without any trace in the archive.
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
    const progress: UploadProgress = {
      phase: 'looking',
      sentBytes: 0,
      totalBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    };
    const onBytes = (count: number) => {
      progress.sentBytes += count;
    };
    const isThere = () => isPublished(ppaClient, ppa, series, sourcePackage);
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
        if ((await isThere()) || (mayHaveDelivered() && (await settles(isThere, uploadSettleMs))))
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
              onDelivered() {
                progress.phase = 'delivered';
              },
            },
          );
        } catch (error) {
          // The last chunk of the .changes may have reached the server, and its answer been lost.
          if (progress.sentBytes < progress.totalBytes) progress.phase = 'broken';
          throw error;
        }
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

/** Whether an earlier try may have delivered the upload: unless it said that it did not, it may. */
function mayHaveDelivered(): boolean {
  const { attempt, heartbeatDetails } = Context.current().info;
  const earlier = heartbeatDetails as UploadProgress | undefined;
  return attempt > 1 && earlier?.phase !== 'broken';
}

async function settles(isThere: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    await Context.current().sleep(Math.min(withinMs / 10, 10_000));
    if (await isThere()) return true;
  }
  return false;
}
