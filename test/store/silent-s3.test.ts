import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createS3Client, createS3Store, loadS3Packages } from '../../store/s3.ts';
import { StoreUnavailableError } from '../../store/store.ts';

const SLOW_KEY = 'slow.log';
/** The first request that a process makes needs some of it, to load the client and to connect. */
const ANSWER_MS = 5_000;

/** An S3 server that answers for one key alone, and gives the end of that file when it is told to. */
async function startSilentServer() {
  let finish = () => {};
  const server = createServer((request, answer) => {
    if (!request.url?.includes(SLOW_KEY)) return;
    answer.writeHead(200, { 'Content-Length': 11 });
    answer.write('first, ');
    finish = () => answer.end('last');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    finish: () => finish(),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe('a bucket whose server takes requests and is silent', () => {
  it('is unavailable soon, while a file that flows is not cut', async () => {
    const server = await startSilentServer();
    const packages = await loadS3Packages();
    const client = createS3Client(packages, {
      endpoint: server.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'airline', secretAccessKey: 'a secret of the tests' },
    });
    const store = createS3Store({
      packages,
      address: 's3://artifacts/airline',
      baseUrl: 'http://127.0.0.1:8080/store/',
      onSweepFailed: () => undefined,
      client,
      answerMs: ANSWER_MS,
    });
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
    server.finish();
    expect(await text(slow?.stream ?? Readable.from([]))).toBe('first, last');
    client.destroy();
    server.stop();
  });
});
