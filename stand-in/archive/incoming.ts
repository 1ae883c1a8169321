import { appendFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { processUpload, type UploadDependencies, type UploadResult } from './process-upload.ts';

const MAX_TRIES = 10;
const MAX_REJECTIONS_BYTES = 10 * 2 ** 20;

/** The queue of uploads whose sessions have ended. */
export type Incoming = {
  /** Processes every upload once; what could not be processed stays for the next round. */
  process(): Promise<void>;
};

/**
 * Opens the queue. An upload that cannot be processed in MAX_TRIES rounds goes to the folder of the failed ones.
 *
 * @param dependencies.onAccepted is called after each upload that was accepted
 */
export function openIncoming(
  dependencies: UploadDependencies & { onAccepted: () => void },
): Incoming {
  const { layout, script, logger, onAccepted } = dependencies;
  const firstSeenAt = new Map<string, number>();
  const tries = new Map<string, number>();

  const handle = async (upload: string): Promise<void> => {
    const path = join(layout.incomingDir, upload);
    const seenAt = firstSeenAt.get(upload) ?? Date.now();
    firstSeenAt.set(upload, seenAt);
    if (script && Date.now() - seenAt < (await acceptAfterMs(path))) return;
    for (const result of await processUpload(path, upload, dependencies))
      await settle(upload, result);
    await rm(path, { recursive: true, force: true });
    firstSeenAt.delete(upload);
    tries.delete(upload);
  };

  const settle = async (upload: string, result: UploadResult): Promise<void> => {
    switch (result.outcome) {
      case 'accepted': {
        const { archive, source, version, series } = result.publication;
        logger.info({ upload, archive, source, version, series }, 'upload accepted');
        onAccepted();
        return;
      }
      case 'silent':
        logger.warn(
          { upload, changes: result.changes, why: result.why },
          'upload dropped silently',
        );
        return;
      case 'rejected':
        logger.warn({ upload, changes: result.changes, why: result.why }, 'upload rejected');
        await writeRejection({
          at: new Date().toISOString(),
          upload,
          changes: result.changes,
          why: result.why,
        });
    }
  };

  const writeRejection = async (rejection: Record<string, string>): Promise<void> => {
    const { rejections } = layout;
    const sizeBytes = await stat(rejections).then(
      ({ size }) => size,
      () => 0,
    );
    if (sizeBytes > MAX_REJECTIONS_BYTES) await rename(rejections, `${rejections}.1`);
    await appendFile(rejections, `${JSON.stringify(rejection)}\n`);
  };

  const acceptAfterMs = async (path: string): Promise<number> => {
    const names = await readdir(path, { recursive: true });
    const waits = names
      .filter((name) => name.endsWith('.changes'))
      .map((name) => (name.split('/').at(-1) as string).split('_')[0] as string)
      .map((source) => script?.source(source)?.acceptAfterMs ?? 0);
    return Math.max(0, ...waits);
  };

  const giveUp = async (upload: string): Promise<void> => {
    const target = join(layout.failedDir, upload);
    await mkdir(dirname(target), { recursive: true });
    await rename(join(layout.incomingDir, upload), target);
    logger.error({ upload, target }, 'upload given up');
    firstSeenAt.delete(upload);
    tries.delete(upload);
  };

  return {
    async process() {
      const names = await readdir(layout.incomingDir);
      for (const upload of names.filter((name) => name.startsWith('upload-')).toSorted())
        try {
          await handle(upload);
        } catch (error) {
          const tried = (tries.get(upload) ?? 0) + 1;
          tries.set(upload, tried);
          logger.error({ err: error, upload, tried }, 'upload could not be processed');
          if (tried >= MAX_TRIES) await giveUp(upload);
        }
    },
  };
}
