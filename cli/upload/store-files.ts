import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import type { StoredFile } from '../../api/openapi/contract.generated.ts';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { CheckedUpload } from './check-uploads.ts';
import { readProblem, type LocalFile } from './local-file.ts';
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
  const changed = new AbortController();
  const { value: stored } = await api.json<StoredFile>(`/store/${key}`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(file.sizeBytes),
    },
    body: () => {
      const checked = checkedAsSent(file, bar, (error) => changed.abort(error));
      // Without it, Node reads all of a large file ahead into memory.
      return Readable.toWeb(checked, {
        strategy: { highWaterMark: 1 },
      }) as NonNullable<RequestInit['body']>;
    },
    // What has changed here is not sent a second time.
    signal: AbortSignal.any([signal, changed.signal]),
    answerMs: ANSWER_MS + file.sizeBytes / MIN_BYTES_PER_MS,
  });
  if (stored.sha256 !== file.sha256)
    throw new CommandError(
      `${file.name} was stored with a different SHA-256 than the file here has.`,
      {
        code: 'stored_otherwise',
        exit: EXIT.failed,
        hint: 'It did not change here during the upload: ask whoever runs the server.',
      },
    );
  bar(file.sizeBytes);
  return stored.url;
}

/**
 * The content of a file, whose last piece comes only where all of it is as it was when it was checked: a store keeps
 * the first content that is whole, and refuses the right one ever after.
 *
 * @param tell is told how many bytes were read
 * @param giveUp is told of the change, which is what the stream fails with, too
 */
function checkedAsSent(
  file: LocalFile,
  tell: (readBytes: number) => void,
  giveUp: (error: CommandError) => void,
): Readable {
  const digest = createHash('sha256');
  let readBytes = 0;
  let held: Buffer | undefined;
  const failed = (what: string) => {
    const error = new CommandError(`${file.name} was not stored: ${what}.`, {
      code: 'file_changed',
      exit: EXIT.usage,
      hint: 'Submit again once all files are as the .changes says.',
    });
    giveUp(error);
    return error;
  };
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      readBytes += chunk.length;
      if (readBytes > file.sizeBytes) return done(failed('it has grown since it was checked'));
      digest.update(chunk);
      tell(readBytes);
      const before = held;
      held = chunk;
      return done(null, before);
    },
    flush(done) {
      if (digest.digest('hex') === file.sha256) done(null, held);
      else done(failed('it was changed since it was checked'));
    },
  });
  const source = createReadStream(file.path);
  source.once('error', (error) => checked.destroy(failed(readProblem(error))));
  checked.once('close', () => source.destroy());
  return source.pipe(checked);
}

/** The key that a file of an upload is stored under: the end of its address, which says of which content it is. */
export function storeKey({ changes, files }: CheckedUpload, { name }: LocalFile): string {
  const digest = files.at(-1)?.sha256.slice(0, 16) ?? '';
  const folder = `${changes.source}_${changes.version.replace(':', '-')}`;
  return ['uploads', folder, digest, name].map(encodeURIComponent).join('/');
}
