import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '../../store/store.ts';
import { beginUpload, openStoreAt, startScriptedS3 } from '../support/scripted-s3.ts';

const SLOW_KEY = 'slow.log';
const CHUNK = Buffer.alloc(2 ** 20);
/** What a slow server takes: a megabyte in a second, so that what the kernel holds is taken in time, too. */
const BYTES_PER_MS = 1_000;
/** The first request that a process makes needs some of it, to load the client and to connect. */
const ANSWER_MS = 5_000;
const lateAfter = (ms: number) => ({
  name: StoreUnavailableError.name,
  message: `The S3 server has failed: no answer within ${ms} ms`,
});
/** By method; nothing is said to the others. */
type Replies = Partial<Record<string, typeof beginUpload>>;

describe('a bucket whose server takes requests and is silent', () => {
  it('is unavailable soon, while a file that flows is not cut', async () => {
    let finish = () => {};
    const server = await startScriptedS3((request, answer) => {
      if (!request.url?.includes(SLOW_KEY)) return;
      answer.writeHead(200, { 'Content-Length': 11 });
      answer.write('first, ');
      finish = () => answer.end('last');
    });
    const { store, close } = await openStoreAt(server.url, { answerMs: ANSWER_MS });
    const slow = await store.get(SLOW_KEY);

    const asked = [
      store.get('a.log'),
      store.read('a.log'),
      store.list('builds/').next(),
      store.remove('a.log'),
    ];
    await Promise.all(
      asked.map((answer) => expect(answer).rejects.toMatchObject(lateAfter(ANSWER_MS))),
    );

    // Its answer began before the others were asked for, so its time would be over, too.
    finish();
    expect(await text(slow?.stream ?? Readable.from([]))).toBe('first, last');
    close();
    server.stop();
  });

  it.each<{ what: string; chunks: number; replies: Replies; giveUpMs: number }>([
    { what: 'an empty file', chunks: 0, replies: {}, giveUpMs: ANSWER_MS },
    { what: 'the beginning of a large file', chunks: 30, replies: {}, giveUpMs: ANSWER_MS },
    {
      what: 'the parts of a large file',
      chunks: 30,
      replies: { POST: beginUpload },
      // The kernel may have taken a part as a whole, and nobody sees it go.
      giveUpMs: 2 * ANSWER_MS,
    },
  ])(
    'is unavailable soon where nothing answers to $what',
    async ({ chunks, replies, giveUpMs }) => {
      const server = await startScriptedS3((request, answer) => {
        request.resume();
        replies[request.method ?? '']?.(request, answer);
      });
      const { store, close } = await openStoreAt(server.url, { answerMs: ANSWER_MS });
      const begunAtMs = performance.now();

      const put = store.put('a.tar.xz', Readable.from(Array.from({ length: chunks }, () => CHUNK)));

      await expect(put).rejects.toMatchObject(lateAfter(giveUpMs));
      expect(performance.now() - begunAtMs).toBeLessThan(giveUpMs + ANSWER_MS);
      close();
      server.stop();
    },
  );

  it('takes a file for as long as bytes of it are taken', async () => {
    const taken = { bytes: 0 };
    const server = await startScriptedS3((request, answer) => {
      void takeSlowly(request, taken).then(() => answer.end());
    });
    const answerMs = 1_500;
    const { store, close } = await openStoreAt(server.url, { answerMs });
    const begunAtMs = performance.now();

    const put = await store.put(
      'slow.tar.xz',
      Readable.from(Array.from({ length: 8 }, () => CHUNK)),
    );

    expect(put).toMatchObject({ sizeBytes: taken.bytes, isKept: true });
    // So long it has at most where nothing of it moves.
    expect(performance.now() - begunAtMs).toBeGreaterThan(2 * answerMs);
    close();
    server.stop();
  });

  it('sends a file once that the server takes up after a while', async () => {
    let puts = 0;
    const server = await startScriptedS3((request, answer) => {
      const isPut = request.method === 'PUT';
      if (isPut) puts += 1;
      // By then all of it has left, and its connection has carried nothing for longer than another may.
      setTimeout(
        () => {
          request.resume();
          answer.end();
        },
        isPut ? 2_000 : 0,
      );
    });
    const requestHandler = { socketTimeout: 500 };
    const { store, close } = await openStoreAt(server.url, { answerMs: ANSWER_MS, requestHandler });

    const put = await store.put('slow.tar.xz', Readable.from([CHUNK]));

    expect([put.isKept, puts]).toEqual([true, 1]);
    close();
    server.stop();
  });
});

/** Reads a body as a slow server does. */
async function takeSlowly(request: IncomingMessage, taken: { bytes: number }): Promise<void> {
  for await (const chunk of request) {
    taken.bytes += (chunk as Buffer).length;
    await sleep((chunk as Buffer).length / BYTES_PER_MS);
  }
}
