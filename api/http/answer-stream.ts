import { PassThrough, type Writable } from 'node:stream';
import type { ApiContext } from './context.ts';
import { takePlace, type Places } from './places.ts';

/** The media type of Server-Sent Events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const EVENT_STREAM = 'text/event-stream';

/** How long a stream is open at most. */
export const MAX_STREAM_MS = 15 * 60_000;

/** What all streams of an API share. */
export type Streams = {
  readonly places: Places;
  /** Then a stream ends, and its client connects again, which checks that the client may still read. */
  readonly maxMs: number;
  /** Aborts when the API stops: open streams end then, and their clients come back elsewhere. */
  readonly stopping: AbortSignal;
};

/**
 * Answers with a stream of Server-Sent Events.
 *
 * @param write writes them until there are no more or the signal aborts: the caller has disconnected, or the API stops
 * @throws AirlineError `overloaded` where too many are open, of all callers or of this one
 */
export function answerStream(
  ctx: ApiContext,
  { places, maxMs, stopping }: Streams,
  write: (output: Writable, signal: AbortSignal) => Promise<void>,
): void {
  const giveBack = takePlace(places, ctx.state.actor.name);
  ctx.status = 200;
  ctx.set({
    'Content-Type': EVENT_STREAM,
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  if (ctx.method === 'HEAD') return giveBack();
  const closed = new AbortController();
  const output = new PassThrough();
  // Not AbortSignal.any: it never removes its listener from the signal that lives as long as the process.
  const leave = () => closed.abort();
  stopping.addEventListener('abort', leave);
  // Not the answer: one that waits for that to an earlier request on its connection does not hear that this is cut.
  ctx.req.once('close', leave);
  // A write to a destroyed stream would wait for ever to be drained.
  output.once('close', leave);
  if (stopping.aborted || ctx.req.closed) leave();
  ctx.body = output;
  ctx.res.flushHeaders();
  const late = setTimeout(leave, maxMs);
  write(output, closed.signal)
    .catch((error: unknown) => {
      if (!closed.signal.aborted) ctx.state.logger().warn({ err: error }, 'event stream cut');
    })
    .finally(() => {
      clearTimeout(late);
      giveBack();
      stopping.removeEventListener('abort', leave);
      output.end();
    });
}
