import type * as Client from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';

/** What is sent at a time: a record of TLS. */
const PIECE_BYTES = 16_384;

/** A request got no answer in time. */
class LateError extends Error {}

/** Says that a request goes on, and how much longer than usual it may be silent now. */
type Moved = (longerByMs?: number) => void;

/**
 * Sends a request, its tries together, and gives it up where its answer does not begin in time. The body of an answer
 * is not cut.
 *
 * @param send sends it; where it calls `moved`, the time begins anew
 * @throws what `send` throws; LateError where the time is over
 */
export async function answeredWithin<T>(
  ms: number,
  send: (options: { abortSignal: AbortSignal }, moved: Moved) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const moved: Moved = (longerByMs = 0) => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(() => late.abort(), ms + longerByMs);
  };
  moved();
  try {
    return await send({ abortSignal: late.signal }, moved);
  } catch (error) {
    throw late.signal.aborted
      ? new LateError(`no answer within ${ms} ms`, { cause: error })
      : error;
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/**
 * A client for the upload of one file that gives the upload up where the server does not go on with it. A body that is
 * taken slowly is not cut: the time begins anew with each piece of it.
 *
 * @param options.patient sends all but the request that joins the parts: a client like `client`, whose connections may
 * carry nothing for any time. What the kernel has taken is sent by connections that seem to carry nothing
 * @param options.answerMs time for an answer to begin, or for the next piece of a body to be taken
 * @param options.partBytes a body of this size has twice that: the kernel, or a proxy, takes megabytes at once, which
 * nobody sees go from there
 * @param options.givenUp is aborted, with the error, by the first request that is late
 */
export function uploadClient(
  { CompleteMultipartUploadCommand }: typeof Client,
  client: Client.S3Client,
  {
    patient,
    answerMs,
    partBytes,
    givenUp,
  }: {
    patient: Client.S3Client;
    answerMs: number;
    partBytes: number;
    givenUp: AbortController;
  },
): Client.S3Client {
  /** It gets other commands, too. */
  const send = async (command: Client.PutObjectCommand) => {
    // Some servers copy all parts before they answer: for a large file, that takes minutes.
    if (command instanceof CompleteMultipartUploadCommand) return client.send(command);
    const { Body } = command.input;
    const bytes = Body instanceof Uint8Array ? Body.length : 0;
    const ms = Math.ceil(answerMs * (1 + bytes / partBytes));
    try {
      return await answeredWithin(ms, (options, moved) => {
        command.middlewareStack.add(
          (next) => (args) => next({ ...args, request: inPieces(args.request, moved) }),
          // For each try anew, and after the body was signed.
          { step: 'deserialize', priority: 'low' },
        );
        return patient.send(command, options);
      });
    } catch (error) {
      if (error instanceof LateError) givenUp.abort(error);
      throw error;
    }
  };
  return Object.assign(Object.create(client) as Client.S3Client, { send });
}

/** The request, with a body that says when its pieces are taken. */
function inPieces(request: unknown, moved: Moved): unknown {
  const { body } = request as { body?: unknown };
  if (!(body instanceof Uint8Array) || body.length === 0) return request;
  const pieces = Readable.from(piecesOf(body, moved), {
    objectMode: false,
    highWaterMark: PIECE_BYTES,
  });
  const same = Object.create(Object.getPrototypeOf(request) as object) as object;
  return Object.assign(same, request, { body: pieces });
}

function* piecesOf(body: Uint8Array, moved: Moved): Generator<Uint8Array, void> {
  const begunAtMs = performance.now();
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    moved();
    yield body.subarray(start, start + PIECE_BYTES);
  }
  // What the kernel has of it goes about as slowly as the rest went.
  moved(performance.now() - begunAtMs);
}
