import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Koa from 'koa';
import type { WebFault } from '../script/script.ts';

const SLOW_STEP_MS = 50;

/** Whether a fault lets the answer be made, and hits its body. */
export function isBodyFault(fault: WebFault): boolean {
  return (
    fault.truncateAfterBytes !== undefined ||
    fault.cutAfterBytes !== undefined ||
    fault.bytesPerS !== undefined
  );
}

/** Ends the body of an answer early, breaks its connection off in it, or sends it slowly, as a script says. */
export function damageBody(context: Koa.Context, fault: WebFault): void {
  const { length } = context;
  const body = context.body as string | Readable;
  const whole = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body;
  const { truncateAfterBytes, cutAfterBytes, bytesPerS } = fault;
  if (truncateAfterBytes !== undefined) {
    context.body = Readable.from(firstBytes(whole, truncateAfterBytes));
    return;
  }
  if (cutAfterBytes !== undefined) context.body = Readable.from(cut(whole, cutAfterBytes));
  else if (bytesPerS !== undefined) context.body = Readable.from(slowly(whole, bytesPerS));
  if (length !== undefined) context.length = length;

  async function* cut(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
    yield* firstBytes(chunks, maxBytes);
    // What was written is still on its way through the response.
    await sleep(SLOW_STEP_MS);
    context.req.socket.destroy();
  }
}

async function* firstBytes(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let room = maxBytes;
  for await (const chunk of chunks) {
    if (room > 0) yield chunk.subarray(0, room);
    room -= chunk.length;
    if (room <= 0) return;
  }
}

async function* slowly(chunks: AsyncIterable<Buffer>, bytesPerS: number): AsyncGenerator<Buffer> {
  const stepBytes = Math.max(1, Math.floor((bytesPerS * SLOW_STEP_MS) / 1_000));
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += stepBytes) {
      yield chunk.subarray(at, at + stepBytes);
      await sleep((stepBytes / bytesPerS) * 1_000);
    }
}
