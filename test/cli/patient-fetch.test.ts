import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { patientFetch } from '../../cli/server/patient-fetch.ts';
import { programArguments } from '../support/program.ts';

const send = (port: number, body: ReadableStream) =>
  patientFetch(new URL(`http://127.0.0.1:${port}/`), { method: 'PUT', body, duplex: 'half' });

describe('a file that is sent', () => {
  it('may be answered an hour later, as the store may compare it for so long', async () => {
    const program = await programArguments('test/cli/late-answer-process.ts');
    const { stdout } = await promisify(execFile)(process.execPath, program);
    expect(JSON.parse(stdout)).toEqual([201, '/store/uploads/large', 'stored']);
  });

  it('is sent no further once it is answered', async () => {
    const server = createServer((_, response) => response.writeHead(413).end('too large'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    const endless = new ReadableStream({
      pull: (queue) => queue.enqueue(Buffer.alloc(65_536)),
      cancel: stop,
    });
    const answer = await send((server.address() as AddressInfo).port, endless);
    expect([answer.status, await answer.text()]).toEqual([413, 'too large']);
    await stopped;
    server.close();
  });

  it('is not read once its request was ended before it began, and does not fail later', async () => {
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    let fail: (error: Error) => void = () => undefined;
    const file = new ReadableStream({
      start: (queue) => (fail = (error) => queue.error(error)),
      cancel: stop,
    });
    const init = { method: 'PUT', body: file, duplex: 'half', signal: AbortSignal.abort('over') };
    await expect(patientFetch('http://127.0.0.1:1/', init as RequestInit)).rejects.toMatchObject({
      cause: 'over',
    });
    await stopped;
    fail(new Error('the file is gone'));
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('says why it was not, as other requests do', async () => {
    const failing = send(1, new Blob(['file']).stream());
    await expect(failing).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });
});
