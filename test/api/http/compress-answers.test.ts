import { get } from 'node:http';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import Koa from 'koa';
import { compressAnswers } from '../../../api/http/compress-answers.ts';
import { useApi } from '../serve.ts';
import { useKoa } from '../serve-koa.ts';

const TEXT = 'the same words again and again. '.repeat(1_000);

const DOCUMENT = Buffer.from(TEXT);

const sent: unknown[] = [];
const app = new Koa();
app.silent = true;
app.use(async (ctx, next) => {
  await next();
  sent.push(ctx.body);
});
app.use(compressAnswers());
app.use((ctx) => {
  switch (ctx.path) {
    case '/secret':
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { token: TEXT };
      break;
    case '/events':
      ctx.type = 'text/event-stream';
      ctx.body = Readable.from([TEXT]);
      break;
    case '/picture':
      ctx.type = 'image/png';
      ctx.body = Buffer.from(TEXT);
      break;
    case '/document':
      ctx.type = 'application/json';
      ctx.body = DOCUMENT;
      break;
    case '/short':
      ctx.body = { short: true };
      break;
    case '/broken':
      ctx.type = 'text/plain';
      ctx.body = Readable.from(
        (async function* () {
          yield TEXT;
          await Promise.resolve();
          throw new Error('the disk is gone');
        })(),
      );
      break;
    case '/log':
      ctx.type = 'text/plain';
      ctx.length = Buffer.byteLength(TEXT);
      ctx.body = Readable.from([Buffer.from(TEXT)]);
      break;
    default:
      ctx.body = { text: TEXT };
  }
});
const served = useKoa(app);

/** What is sent, before anything decompresses it. */
function raw(url: string, headers: Record<string, string> = { 'accept-encoding': 'gzip' }) {
  return new Promise<{
    status: number | undefined;
    encoding: string | undefined;
    vary: string | undefined;
    body: Buffer;
  }>((resolve, reject) => {
    get(url, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          encoding: response.headers['content-encoding'],
          vary: response.headers.vary,
          body: Buffer.concat(parts),
        }),
      );
    }).on('error', reject);
  });
}

describe('answers', () => {
  it.each(['/json', '/log', '/document'])(
    'at %s are compressed for a client that takes gzip',
    async (path) => {
      const { encoding, vary, body } = await raw(`${served.url}${path}`);
      expect([encoding, vary]).toEqual(['gzip', 'Accept-Encoding']);
      expect(body.length).toBeLessThan(TEXT.length / 20);
      expect(gunzipSync(body).toString()).toContain(TEXT);
      const plain = await raw(`${served.url}${path}`, {});
      expect(plain.encoding).toBeUndefined();
      expect(plain.body.toString()).toContain(TEXT);
    },
  );

  it.each(['br, *;q=0', 'br, identity;q=0', '*;q=0', 'zstd, *;q=0', 'gzip;q=0, identity;q=0'])(
    'are sent plain where neither gzip nor plain text is accepted: %s',
    async (accepted) => {
      for (const path of ['/json', '/log', '/document']) {
        const answer = await raw(`${served.url}${path}`, { 'accept-encoding': accepted });
        expect([answer.status, answer.encoding]).toEqual([200, undefined]);
        expect(answer.body.toString()).toContain(TEXT);
      }
    },
  );

  it.each(['/secret', '/events', '/picture', '/short'])('at %s stay as they are', async (path) => {
    expect((await raw(`${served.url}${path}`)).encoding).toBeUndefined();
  });

  it('of the same bytes are compressed once, and in memory once, however many read them slowly', async () => {
    sent.length = 0;
    await raw(`${served.url}/document`);
    await raw(`${served.url}/document`);
    expect(Buffer.isBuffer(sent[0])).toBe(true);
    expect(sent[1]).toBe(sent[0]);
  });

  it('that break off are cut, and leave nobody waiting', async () => {
    await expect(raw(`${served.url}/broken`)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});

describe('the API', () => {
  const api = useApi();

  it('compresses a list, and answers 304 as before', async () => {
    for (let at = 0; at < 10; at++)
      await api.now.call('POST', '/api/v1/ticket/', {
        owner: 'ann@example.com',
        title: `A ticket ${at}`,
      });
    const { encoding, body } = await raw(`${api.now.url}/api/v1/ticket/`);
    expect(encoding).toBe('gzip');
    expect(JSON.parse(gunzipSync(body).toString()).objects).toHaveLength(10);
    const { headers } = await api.now.call('GET', '/api/v1/ticket/');
    const again = await api.now.call('GET', '/api/v1/ticket/', undefined, {
      'if-none-match': headers.get('etag') ?? '',
    });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});
