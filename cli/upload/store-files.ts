import { createReadStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import type { StoredFile } from '../../api/openapi/contract.generated.ts';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { CheckedUpload } from './check-uploads.ts';
import type { LocalFile } from './local-file.ts';
import type { ApiClient } from '../server/api-client.ts';
import type { UploadProgress } from './upload-progress.ts';

const MAX_CONCURRENT = 3;
const ANSWER_MS = 60_000;
/** Slower than this, an upload is given up. */
const MIN_BYTES_PER_MS = 10;

/**
 * Puts the files of uploads into the data store, a few at a time. Their keys carry the checksum of the `.changes`, so
 * that the same upload is stored once, and another one of the same version beside it.
 *
 * @returns the URLs of each upload's files, in their order
 * @throws CommandError
 */
export async function storeUploads(
  api: ApiClient,
  uploads: readonly CheckedUpload[],
  progress: UploadProgress,
): Promise<string[][]> {
  const waiting = uploads.flatMap((upload, at) =>
    upload.files.map((file, position) => ({ at, position, file, key: storeKey(upload, file) })),
  );
  const urls: string[][] = uploads.map(() => []);
  const gone = new AbortController();
  const sender = async () => {
    for (let next = waiting.shift(); next && !gone.signal.aborted; next = waiting.shift()) {
      const { at, position, file, key } = next;
      (urls[at] ??= [])[position] = await storeFile(api, file, key, progress, gone.signal);
    }
  };
  try {
    await Promise.all(
      Array.from({ length: MAX_CONCURRENT }, () =>
        sender().catch((error: unknown) => {
          gone.abort(error);
          throw error;
        }),
      ),
    );
  } finally {
    progress.end();
  }
  return urls;
}

async function storeFile(
  api: ApiClient,
  file: LocalFile,
  key: string,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<string> {
  const bar = progress.start(file.name, file.sizeBytes);
  const { value: stored } = await api.json<StoredFile>(`/store/${key}`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(file.sizeBytes),
    },
    body: () => {
      let sentBytes = 0;
      const counted = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          sentBytes += chunk.length;
          bar(sentBytes);
          done(null, chunk);
        },
      });
      const source = createReadStream(file.path);
      source.once('error', (error) => counted.destroy(error));
      counted.once('close', () => source.destroy());
      // Without it, Node reads all of a large file ahead into memory.
      return Readable.toWeb(source.pipe(counted), {
        strategy: { highWaterMark: 1 },
      }) as NonNullable<RequestInit['body']>;
    },
    signal,
    answerMs: ANSWER_MS + file.sizeBytes / MIN_BYTES_PER_MS,
  });
  if (stored.sha256 !== file.sha256)
    throw new CommandError(
      `${file.name} was stored with a different SHA-256 than the file here has.`,
      {
        code: 'stored_otherwise',
        exit: EXIT.failed,
        hint: 'Did it change during the upload? Submit it again.',
      },
    );
  bar(file.sizeBytes);
  return stored.url;
}

/** The key that a file of an upload is stored under: the end of its address, which says of which content it is. */
export function storeKey({ changes, files }: CheckedUpload, { name }: LocalFile): string {
  const digest = files.at(-1)?.sha256.slice(0, 16) ?? '';
  const folder = `${changes.source}_${changes.version.replace(':', '-')}`;
  return ['uploads', folder, digest, name].map(encodeURIComponent).join('/');
}
