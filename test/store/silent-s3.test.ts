import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { StoreUnavailableError } from '../../store/store.ts';
import { openStoreAt, startScriptedS3 } from '../support/scripted-s3.ts';

const SLOW_KEY = 'slow.log';
/** The first request that a process makes needs some of it, to load the client and to connect. */
const ANSWER_MS = 5_000;

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
    const late = {
      name: StoreUnavailableError.name,
      message: `The S3 server has failed: no answer within ${ANSWER_MS} ms`,
    };
    await Promise.all(asked.map((answer) => expect(answer).rejects.toMatchObject(late)));

    // Its answer began before the others were asked for, so its time would be over, too.
    finish();
    expect(await text(slow?.stream ?? Readable.from([]))).toBe('first, last');
    close();
    server.stop();
  });
});
