import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import type { HandlerDependencies } from '../../../api/dependencies.ts';
import type { ApiContext } from '../../../api/http/context.ts';
import { servedDocument } from '../../../api/http/served-document.ts';
import { OPERATIONS } from '../../../api/operations.ts';

/** What is read anew for each request, and is small. */
const OF_THE_MOMENT = ['/api/v1/session/', '/healthz', '/readyz', '/startupz'];

const documents = OPERATIONS.filter(
  ({ method, scope, answers, path }) =>
    method === 'get' && scope === null && answers[200]?.schema && !OF_THE_MOMENT.includes(path),
);

const dependencies = {
  openApi: servedDocument(() => ({ openapi: '3.1.1' })),
  asyncApi: servedDocument(() => ({ asyncapi: '3.0.0' })),
} as HandlerDependencies;

/** The body of an answer to a request for an address, before it is sent. */
async function bodyOf(url: string): Promise<unknown> {
  const operation = documents.find(({ path }) => path === url.replace(/\?.*/, ''));
  const request = Object.assign(new IncomingMessage(new Socket()), { url });
  const ctx = new Koa().createContext(request, new ServerResponse(request)) as ApiContext;
  ctx.state = {} as ApiContext['state'];
  await operation?.handle(ctx, dependencies, {
    fullschema: new URLSearchParams(ctx.querystring).get('fullschema') ?? undefined,
  });
  return ctx.body;
}

describe('a document for which nobody needs a token', () => {
  it.each([...documents.map(({ path }) => path), '/api/v1/?fullschema=true'])(
    '%s is in memory once, however many read it slowly',
    async (url) => {
      const body = await bodyOf(url);
      expect(Buffer.isBuffer(body)).toBe(true);
      expect(await bodyOf(url)).toBe(body);
    },
  );

  it('is made when it is first asked for, and once', () => {
    let described = 0;
    const served = servedDocument(() => ({ openapi: '3.1.0', described: (described += 1) }));
    expect(described).toBe(0);
    const { bytes } = served();
    expect(bytes.toString()).toBe('{"openapi":"3.1.0","described":1}');
    expect(served().bytes).toBe(bytes);
  });
});
