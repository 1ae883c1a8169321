import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asRequestError, request, RequestError } from '../../web/server/request.ts';
import { readFirstPages, readNewestPages } from '../../web/server/read-pages.ts';

const servers: Server[] = [];
afterEach(() => {
  jest.restoreAllMocks();
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
      answer.write('{');
    });
    const { fetch } = globalThis;
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (...given) => {
      const answer = await fetch(...given);
      // By then its body is being read.
      setImmediate(() => gone.abort('enough'));
      return answer;
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

describe('a list that is read as one', () => {
  /** Reads a list of numbers from 1 on, three to a page. */
  async function listOf(total: number, readPages = readNewestPages<number>) {
    const asked: string[] = [];
    const address = await serve(({ url = '', headers: { host } }, answer) => {
      asked.push(url);
      const offset = Number(new URL(url, `http://${host}`).searchParams.get('offset') ?? 0);
      const end = Math.min(offset + 3, total);
      const next = end < total ? `http://${host}/?of=it&offset=${end}` : null;
      const objects = Array.from({ length: end - offset }, (_, index) => offset + index + 1);
      answer.end(JSON.stringify({ meta: { limit: 3, offset, next, total_count: total }, objects }));
    });
    const { meta, objects } = await readPages(`${address}?of=it`, new AbortController().signal);
    return { leftOut: meta.offset, total: meta.total_count, objects, asked };
  }
  const numbers = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);

  it.each([
    [3, 1],
    [7, 3],
    [15, 5],
  ])('has all of %i', async (total, requests) => {
    for (const readPages of [readNewestPages<number>, readFirstPages<number>]) {
      const { leftOut, objects, asked } = await listOf(total, readPages);
      expect(leftOut).toBe(0);
      expect(objects).toEqual(numbers(1, total));
      expect(asked).toHaveLength(requests);
    }
  });

  it('has its newest five pages and no more, and says how many older ones are left out', async () => {
    const { leftOut, objects, asked } = await listOf(1_000);
    expect(leftOut).toBe(985);
    expect(objects).toEqual(numbers(986, 1_000));
    expect(asked).toHaveLength(6);
  });

  it('has its first five pages and no more, and says how many there are', async () => {
    const { total, objects, asked } = await listOf(1_000, readFirstPages);
    expect(total).toBe(1_000);
    expect(objects).toEqual(numbers(1, 15));
    expect(asked).toHaveLength(5);
  });
});
