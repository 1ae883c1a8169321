import Koa from 'koa';
import { allowOrigins } from '../../../api/http/cors.ts';
import { setSecurityHeaders } from '../../../api/http/security-headers.ts';
import { useKoa } from '../serve-koa.ts';

function appFor(origins: string[]): Koa {
  const app = new Koa();
  app.use(setSecurityHeaders());
  app.use(allowOrigins(origins));
  app.use((ctx) => {
    ctx.status = 200;
    ctx.body = ctx.method;
  });
  return app;
}

const UI = 'https://tickets.example.org';
const PREFLIGHT = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'authorization,if-match',
};
const ask = async (url: string, method: string, headers: Record<string, string>) => {
  const response = await fetch(url, { method, headers });
  await response.arrayBuffer();
  return { status: response.status, ...Object.fromEntries(response.headers) };
};

describe('pages of an allowed origin', () => {
  const server = useKoa(appFor(['https://other.example.org', UI]));

  it('read the answer and the headers that clients need', async () => {
    const answer = await ask(server.url, 'GET', { origin: UI });
    expect(answer).toMatchObject({
      status: 200,
      'access-control-allow-origin': UI,
      'access-control-expose-headers':
        'Accept-Ranges,Airline-Ignored,Content-Range,ETag,Idempotency-Replayed,Link,Location,Preference-Applied,RateLimit,RateLimit-Policy,Retry-After,X-Request-Id',
      vary: 'Accept, Origin',
    });
    expect(answer).not.toHaveProperty('access-control-allow-credentials');
  });

  it('may send what they ask for first', async () => {
    expect(await ask(server.url, 'OPTIONS', { origin: UI, ...PREFLIGHT })).toMatchObject({
      status: 204,
      'access-control-allow-origin': UI,
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': 'authorization,if-match',
      'access-control-max-age': '600',
    });
  });

  it.each([
    'https://evil.example.org',
    'http://tickets.example.org',
    'https://tickets.example.org.evil.example',
    'null',
  ])('are not those of %s', async (origin) => {
    for (const [method, headers] of [
      ['GET', {}],
      ['OPTIONS', PREFLIGHT],
    ] as const)
      expect(await ask(server.url, method, { origin, ...headers })).not.toHaveProperty(
        'access-control-allow-origin',
      );
  });
});

describe('without allowed origins', () => {
  const server = useKoa(appFor([]));

  it('no page reads anything, and an OPTIONS goes on to its route', async () => {
    const answer = await ask(server.url, 'OPTIONS', { origin: UI, ...PREFLIGHT });
    expect(answer).toMatchObject({ status: 200, vary: 'Accept' });
    expect(answer).not.toHaveProperty('access-control-allow-origin');
  });
});
