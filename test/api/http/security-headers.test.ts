import Koa from 'koa';
import { setSecurityHeaders } from '../../../api/http/security-headers.ts';
import { useKoa } from '../serve-koa.ts';

const app = new Koa();
app.use(setSecurityHeaders());
app.use((ctx) => {
  if (ctx.path === '/missing') return;
  if (ctx.path === '/own') ctx.set('Cache-Control', 'max-age=60');
  ctx.body = 'text';
  ctx.set('ETag', '"1"');
  if (ctx.path === '/fresh') ctx.status = 304;
});
const server = useKoa(app);

const headersOf = async (path: string, method = 'GET') => {
  const response = await fetch(server.url + path, { method });
  await response.arrayBuffer();
  return Object.fromEntries(response.headers);
};

describe('every answer', () => {
  it.each(['/found', '/missing', '/own', '/fresh'])(
    'says that its type is not to be guessed and that it varies: %s',
    async (path) => {
      const headers = await headersOf(path);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', vary: 'Accept' });
      expect(headers).not.toHaveProperty('x-powered-by');
    },
  );

  it.each([
    ['GET', '/found', 'no-cache'],
    ['HEAD', '/found', 'no-cache'],
    ['GET', '/fresh', 'no-cache'],
    ['GET', '/own', 'max-age=60'],
    ['GET', '/missing', undefined],
    ['POST', '/found', undefined],
  ])('%s %s is cached with %s', async (method, path, expected) => {
    expect((await headersOf(path, method))['cache-control']).toBe(expected);
  });
});
