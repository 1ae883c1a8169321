import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asRequestError, request, RequestError } from '../../web/server/request.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** Answers all requests in one way. @returns where */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('a request', () => {
  it('that is answered by the page of a proxy says that the answer could not be read', async () => {
    const proxy = await serve((_, answer) => {
      answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Sign in</html>');
    });
    const fault = await request('POST', proxy).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(RequestError);
    expect(fault).toMatchObject({ status: 200, code: 'unreadable' });
  });

  it('whose answer is cut off within its body says that nothing answers', async () => {
    const cut = await serve((_, answer) => {
      answer.writeHead(200, { 'Content-Length': '100' });
      answer.write('{', () => answer.destroy());
    });
    const fault = await request('GET', cut).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(RequestError);
    expect(fault).toMatchObject({ status: 0, code: 'unreachable' });
  });

  it('that its caller gives up within the body is no fault', async () => {
    const gone = new AbortController();
    const slow = await serve((_, answer) => {
      answer.writeHead(200, { 'Content-Length': '100' });
      answer.write('{', () => gone.abort('enough'));
    });
    await expect(request('GET', slow, { signal: gone.signal })).rejects.toBe('enough');
  });

  it('that the page itself cannot make has a fault to show, too', () => {
    expect(asRequestError(new RangeError('Invalid time value'))).toMatchObject({
      code: 'page_fault',
      hint: expect.stringContaining('RangeError: Invalid time value') as string,
    });
  });
});
