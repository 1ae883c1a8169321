import type * as Client from '@aws-sdk/client-s3';
import type * as Storage from '@aws-sdk/lib-storage';
import { finished, pipeline, type Readable } from 'node:stream';
import { measuredStream } from './measured-stream.ts';
import { answeredWithin, uploadClient } from './moving-requests.ts';
import { ABANDONED_MS, onceADay } from './once-a-day.ts';
import {
  assertKey,
  contentTypeOf,
  type DataStore,
  type FileFacts,
  storeAddresses,
  type StoreAddresses,
  StoreUnavailableError,
  takingOver,
} from './store.ts';

/** Time for a connection to be made. */
const CONNECT_MS = 10_000;
/** Time for which a connection may carry nothing, but for those that send a file: these are watched otherwise. */
const IDLE_MS = 60_000;
/** Time for an answer to begin, all tries together: well below that after which the API closes a silent connection. */
const ANSWER_MS = 20_000;
/**
 * Connections at a time. One that is read slowly is held as long: whoever comes after the last one waits in vain, so
 * that the API has far fewer files read at once.
 */
const MAX_CONNECTIONS = 1_000;
/** Tries of one request, the first included, with a growing pause between them. */
const MAX_TRIES = 6;
/** Part of a large file: two are in memory for each file that comes in, and 10,000 make the largest one, 78 GiB. */
const PART_BYTES = 8 * 1_024 * 1_024;
const PARTS_AT_ONCE = 2;

/**
 * What the store needs of AWS's packages. They are large, and a program of one file loads at its start whatever a
 * module of its sources imports: so they are loaded only where there is a bucket.
 */
export type S3Packages = typeof Client & Pick<typeof Storage, 'Upload'>;

/**
 * Loads what `createS3Store` needs of AWS's packages.
 *
 * @throws where they are not installed
 */
export async function loadS3Packages(): Promise<S3Packages> {
  const [client, { Upload }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/lib-storage'),
  ]);
  return { ...client, Upload };
}

/**
 * A data store in a bucket of an S3 server. A file appears under its key when all of its parts are there.
 *
 * Account, region and address of the server are those of every AWS client: AWS_ACCESS_KEY_ID, AWS_REGION,
 * AWS_ENDPOINT_URL_S3 and their like, the shared files, or the machine's own role.
 *
 * @param options.packages AWS's
 * @param options.address `s3://bucket` or `s3://bucket/prefix`
 * @param options.onSweepFailed is told where the parts that a crash has left cannot be found or given up
 * @param options.hasOwnAddress the environment names the server's address: such a server seldom has a host name for
 * each bucket
 * @param options.client another one, such as a test's
 * @param options.answerMs time for an answer to begin, or for a piece of what is stored to be taken
 * @param options.now ms since 1970
 */
export function createS3Store({
  packages,
  address,
  baseUrl,
  formerUrls = [],
  onSweepFailed,
  hasOwnAddress = false,
  client = createS3Client(packages, { forcePathStyle: hasOwnAddress }),
  answerMs = ANSWER_MS,
  now = Date.now,
}: {
  packages: S3Packages;
  address: string;
  onSweepFailed: (error: unknown) => void;
  hasOwnAddress?: boolean;
  client?: Client.S3Client;
  answerMs?: number;
  now?: () => number;
} & StoreAddresses): DataStore {
  const { hostname: Bucket, pathname } = new URL(address);
  const { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, Upload } = packages;
  const prefix = pathname.replace(/^\/|\/$/g, '');
  /** What the names of its objects begin with: with the slash, those of `<prefix>-other` are none of its own. */
  const root = prefix === '' ? '' : `${prefix}/`;
  const placeOf = (key: string) => {
    assertKey(key);
    return { Bucket, Key: root + key };
  };
  const patient = withoutIdleLimit(packages, client);
  const soon: AnsweredSoon = (send) => answeredWithin(answerMs, send);
  const open = (wanted: Client.GetObjectCommandInput) => {
    const command = new GetObjectCommand(wanted);
    return unlessMissing(
      packages,
      soon((options) => client.send(command, options)),
    );
  };
  const look = async (place: Client.HeadObjectCommandInput) => {
    const command = new HeadObjectCommand(place);
    const found = await unlessMissing(
      packages,
      soon((options) => client.send(command, options)),
    );
    // An answer to a HEAD does not say what is missing, the file or the bucket: one to a GET does.
    if (!found) ((await open(place))?.Body as Readable | undefined)?.destroy();
    return found;
  };
  const sweep = onceADay(
    () =>
      abortAbandoned(packages, client, soon, { Bucket, Prefix: root }, now() - ABANDONED_MS).catch(
        onSweepFailed,
      ),
    now,
  );
  return {
    put: (key, stream, { keepsFirst = false } = {}) =>
      takingOver(stream, async () => {
        const place = placeOf(key);
        void sweep();
        const { measured, content } = measuredStream();
        let sourceFault: Error | undefined;
        finished(stream, { writable: false }, (error) => {
          // An upload that fails leaves off reading, which ends first `measured` and then the stream.
          if (error && !measured.destroyed) sourceFault = error;
        });
        // The upload meets what goes wrong with the stream as it reads on.
        pipeline(stream, measured, () => undefined);
        const givenUp = new AbortController();
        const upload = new Upload({
          client: uploadClient(packages, client, {
            patient,
            answerMs,
            partBytes: PART_BYTES,
            givenUp,
          }),
          abortController: givenUp,
          params: {
            ...place,
            Body: measured,
            ContentType: contentTypeOf(key),
            ...(keepsFirst ? { IfNoneMatch: '*' } : {}),
          },
          partSize: PART_BYTES,
          queueSize: PARTS_AT_ONCE,
        });
        let isKept = true;
        try {
          await upload.done();
        } catch (error) {
          if (sourceFault) throw sourceFault;
          if (givenUp.signal.aborted) throw unavailable(givenUp.signal.reason);
          if ((error as Error).name !== 'PreconditionFailed') throw unavailable(error);
          isKept = false;
        } finally {
          measured.destroy();
        }
        return { ...content(), isKept };
      }),
    async get(key, { choosePart } = {}) {
      const place = placeOf(key);
      const whole = choosePart && (await look(place));
      const part = whole && choosePart(factsOf(key, whole));
      const bytes =
        part && (part.end - part.start + 1 < (whole.ContentLength ?? 0) ? part : undefined);
      const found = await open({
        ...place,
        ...(part && { IfMatch: whole.ETag }),
        // For a range that covers a file in parts, AWS sends the sum of their sums as if it were that of the bytes.
        ...(bytes && { Range: `bytes=${bytes.start}-${bytes.end}` }),
      });
      if (!found) return undefined;
      const stream = found.Body as Readable;
      return part ? { ...factsOf(key, whole), stream, part } : { ...factsOf(key, found), stream };
    },
    async read(key) {
      const place = placeOf(key);
      const found = await look(place);
      if (!found) return undefined;
      return {
        sizeBytes: found.ContentLength ?? 0,
        version: versionOf(found.ETag),
        chunks: readChunks(packages, client, soon, { ...place, IfMatch: found.ETag }),
      };
    },
    list: (folder) => listFiles(packages, client, soon, { Bucket, root, folder }),
    async remove(key) {
      const command = new DeleteObjectCommand(placeOf(key));
      await soon((options) => client.send(command, options)).catch((error: unknown) => {
        throw unavailable(error);
      });
    },
    ...storeAddresses({ baseUrl, formerUrls }, assertKey),
  };
}

/** Gives an answer, or fails after the time that there is for its beginning. */
type AnsweredSoon = <T>(send: (options: { abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;

/**
 * Makes the client of a bucket's server.
 *
 * @param settings `forcePathStyle`: the server has no host name for each bucket; and what the environment does not say
 */
export function createS3Client(
  { S3Client }: S3Packages,
  settings: Client.S3ClientConfig,
): Client.S3Client {
  return new S3Client({
    maxAttempts: MAX_TRIES,
    requestHandler: connectionsThatMayIdle(IDLE_MS),
    ...settings,
  });
}

/** A client like another, with connections of its own that may carry nothing for any time. */
function withoutIdleLimit(packages: S3Packages, client: Client.S3Client): Client.S3Client {
  const { requestHandler } = createS3Client(packages, {
    requestHandler: connectionsThatMayIdle(0),
  }).config;
  return Object.assign(Object.create(client) as Client.S3Client, {
    config: { ...client.config, requestHandler },
  });
}

/** @param ms how long; 0 for any time */
function connectionsThatMayIdle(ms: number): object {
  const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  return {
    connectionTimeout: CONNECT_MS,
    socketTimeout: ms,
    httpAgent: agent,
    httpsAgent: agent,
  };
}

async function unlessMissing<T>(
  { NoSuchKey, NotFound }: S3Packages,
  answer: Promise<T>,
): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NotFound) return undefined;
    throw unavailable(error);
  }
}

function unavailable(error: unknown): StoreUnavailableError {
  const { message, $metadata } = error as Partial<Client.S3ServiceException>;
  const status = $metadata?.httpStatusCode;
  // An answer to a HEAD has no other words than its status.
  const answered = status === undefined ? '' : ` (HTTP ${status})`;
  return new StoreUnavailableError(`The S3 server has failed: ${message}${answered}`, {
    cause: error,
  });
}

function factsOf(
  key: string,
  {
    ContentLength,
    LastModified,
    ETag,
  }: Client.HeadObjectCommandOutput | Client.GetObjectCommandOutput,
): FileFacts {
  return {
    sizeBytes: ContentLength ?? 0,
    contentType: contentTypeOf(key),
    storedAt: LastModified ?? new Date(0),
    version: versionOf(ETag),
  };
}

function versionOf(entityTag = ''): string {
  return entityTag.replaceAll('"', '');
}

async function* readChunks(
  { GetObjectCommand }: S3Packages,
  client: Client.S3Client,
  soon: AnsweredSoon,
  wanted: Client.GetObjectCommandInput,
): AsyncGenerator<Buffer, void> {
  const command = new GetObjectCommand(wanted);
  const { Body } = await soon((options) => client.send(command, options)).catch(
    (error: unknown) => {
      throw unavailable(error);
    },
  );
  for await (const chunk of Body as Readable) yield chunk as Buffer;
}

async function* listFiles(
  { ListObjectsV2Command }: S3Packages,
  client: Client.S3Client,
  soon: AnsweredSoon,
  { Bucket, root, folder }: { Bucket: string; root: string; folder: string },
): AsyncGenerator<{ key: string; storedAt: Date }, void> {
  let next: { ContinuationToken?: string } | undefined = {};
  while (next) {
    const command = new ListObjectsV2Command({ Bucket, Prefix: `${root}${folder}`, ...next });
    const page: Client.ListObjectsV2CommandOutput = await soon((options) =>
      client.send(command, options),
    ).catch((error: unknown) => {
      throw unavailable(error);
    });
    for (const { Key, LastModified } of page.Contents ?? [])
      if (Key !== undefined && LastModified)
        yield { key: Key.slice(root.length), storedAt: LastModified };
    const token = page.NextContinuationToken;
    next = token === undefined ? undefined : { ContinuationToken: token };
  }
}

/** Gives back the space of the parts whose upload a crash has ended: of up to 1,000 for each process and day. */
async function abortAbandoned(
  { AbortMultipartUploadCommand, ListMultipartUploadsCommand }: S3Packages,
  client: Client.S3Client,
  soon: AnsweredSoon,
  place: { Bucket: string; Prefix: string },
  beforeMs: number,
): Promise<void> {
  const list = new ListMultipartUploadsCommand(place);
  const { Uploads = [] } = await soon((options) => client.send(list, options));
  for (const { Key, UploadId, Initiated } of Uploads)
    if ((Initiated?.getTime() ?? Infinity) < beforeMs) {
      const abort = new AbortMultipartUploadCommand({ Bucket: place.Bucket, Key, UploadId });
      await soon((options) => client.send(abort, options));
    }
}
