import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import type { Logger } from 'pino';
import type { FileLookup } from '../archive/archive-files.ts';
import { entryPage } from './entry-page.ts';
import { damageBody, isBodyFault } from './damage-body.ts';
import { BadRequest, Forbidden, NotFound, readParameters, Unauthorized } from './parameters.ts';
import type { Redirect, Resource } from './resource.ts';
import type { ScriptFile } from '../script/script.ts';
import { describeService, WADL_MEDIA_TYPE } from './wadl.ts';

const MAX_BODY = '1mb';

export type WebServiceDependencies = {
  /** Address of the web service, without the version and without a slash at its end. */
  webUrl: string;
  findResource: (path: string) => Resource | Redirect | undefined;
  files: FileLookup;
  publicKey: string;
  signingKeyFingerprint: string;
  /** The primary key of a key that its fingerprint names, as a keyserver finds it. */
  primaryKey: (id: string) => string | undefined;
  script: ScriptFile | undefined;
  logger: Logger;
};

/** The Koa app of the web service, the files and the apt repositories; it never listens. */
export function createWebService(dependencies: WebServiceDependencies): Koa {
  const { webUrl, findResource, files, script, logger } = dependencies;
  const { publicKey, signingKeyFingerprint, primaryKey } = dependencies;
  const app = new Koa();
  app.silent = true;
  app.on('error', (error: NodeJS.ErrnoException) => {
    // A client that goes away in the middle of a file is not our fault.
    if (
      error.code !== 'ECONNRESET' &&
      error.code !== 'EPIPE' &&
      error.code !== 'ERR_STREAM_PREMATURE_CLOSE'
    )
      logger.error({ err: error }, 'web service failed');
  });

  app.use(async (context, next) => {
    const startedAt = Date.now();
    await next();
    const { method, url, status } = context;
    logger.debug({ method, url, status, durationMs: Date.now() - startedAt }, 'request');
  });

  app.use(async (context, next) => {
    const fault = script?.takeWebFault(context.method, context.url);
    if (!fault) {
      await next();
      return;
    }
    logger.info({ url: context.url, fault }, 'scripted outage');
    const { pageSize, hideFirst } = fault;
    if (pageSize !== undefined || hideFirst !== undefined) {
      context.state['paging'] = { pageSize, hideFirst };
      await next();
    } else if (isBodyFault(fault)) {
      await next();
      damageBody(context, fault);
    } else if (fault.hang) {
      await new Promise<void>((resolve) => context.req.socket.once('close', () => resolve()));
      context.respond = false;
    } else if (fault.reset) {
      context.respond = false;
      context.req.socket.destroy();
    } else {
      context.status = fault.status ?? 503;
      context.type = 'text/plain';
      if (fault.retryAfterS !== undefined) context.set('Retry-After', String(fault.retryAfterS));
      context.body = fault.body ?? 'Scripted outage.\n';
    }
  });

  app.use(bodyParser({ enableTypes: ['form'], formLimit: MAX_BODY }));

  app.use(async (context) => {
    const path = decodePath(context.path);
    if (path === undefined) return plain(context, 400, 'The path is not well encoded.');
    if (path === '/') return context.redirect('/devel/');
    if (path === '/apt/signing-key.asc') return plain(context, 200, publicKey);
    if (path === '/pks/lookup') return answerKey(context);
    const api = /^\/devel(?:\/(.*?))?\/?$/.exec(path);
    if (api) return answerApi(context, api[1] ?? '');
    if (context.method !== 'GET' && context.method !== 'HEAD')
      return plain(context, 405, 'Files can only be read.');
    const target = files.redirect(path);
    if (target !== undefined) return seeOther(context, `${webUrl}${encodeURI(target)}`);
    const file = files.path(path);
    if (file !== undefined) return sendFile(context, file);
    const page = findResource(path.slice(1));
    if (page && 'isEntry' in page && page.isEntry) return sendPage(context, page);
    return plain(context, 404, 'Not found.');
  });

  /** The keyserver that Launchpad has beside it: the machine-readable index of one key. */
  function answerKey(context: Koa.Context): void {
    const id = /^0x([0-9A-Fa-f]{16,40})$/.exec(String(context.query['search']))?.[1];
    if (context.query['op'] === 'get')
      // Of the keys it gives out its own alone: that of its repositories.
      return id?.toUpperCase() === signingKeyFingerprint
        ? plain(context, 200, publicKey)
        : plain(context, 404, 'Not found: no key has this fingerprint.');
    const key = id === undefined ? undefined : primaryKey(id);
    if (key === undefined) return plain(context, 404, 'Not found: no key has this fingerprint.');
    return plain(context, 200, `info:1:1\npub:${key}:::::\n`);
  }

  function answerApi(context: Koa.Context, path: string): void {
    if (path === '' && context.get('Accept').includes('wadl+xml')) {
      context.type = WADL_MEDIA_TYPE;
      context.body = describeService(`${webUrl}/devel/`);
      return;
    }
    const resource = findResource(path);
    if (!resource) return plain(context, 404, `Object: <Launchpad>, name: '${path}'`);
    if ('redirectTo' in resource) {
      const { search } = new URL(context.url, webUrl);
      return seeOther(context, `${webUrl}/devel/${encodeURI(resource.redirectTo)}${search}`);
    }
    try {
      answerResource(context, resource);
    } catch (error) {
      if (error instanceof BadRequest) plain(context, 400, error.message);
      else if (error instanceof Unauthorized) plain(context, 401, error.message);
      else if (error instanceof NotFound) plain(context, 404, error.message);
      else if (error instanceof Forbidden) plain(context, 403, error.message);
      else throw error;
    }
  }

  function answerResource(context: Koa.Context, resource: Resource): void {
    const url = new URL(context.url, webUrl);
    const token = tokenOf(context);
    switch (context.method) {
      case 'HEAD':
      case 'GET': {
        const parameters = readParameters(url.searchParams);
        const { operation } = parameters;
        if (operation === undefined) return sendResource(context, resource, url);
        const handler = own(resource.get, operation);
        if (!handler) return plain(context, 400, `No such operation: ${operation}`);
        const answer = handler({ url, parameters, token, paging: context.state['paging'] });
        return answer === undefined ? plain(context, 404, 'Not found.') : json(context, answer);
      }
      case 'POST': {
        if (token === '') return plain(context, 401, 'Unauthorized: (anonymous) may not do this.');
        // The parsed body would split names such as `ws.op` at their dots.
        const body = new URLSearchParams(formOf(context));
        for (const [name, value] of url.searchParams) if (!body.has(name)) body.set(name, value);
        const parameters = readParameters(body);
        const handler = own(resource.post, parameters.operation ?? '');
        if (!handler)
          return plain(context, 400, `No such operation: ${parameters.operation ?? ''}`);
        return json(context, handler({ url, parameters, token }));
      }
      default:
        context.set('Allow', 'GET, HEAD, POST');
        return plain(context, 405, 'Method not allowed.');
    }
  }

  return app;
}

/** The body of a form, as it came. */
function formOf(context: Koa.Context): string {
  const { rawBody } = context.request;
  return typeof rawBody === 'string' ? rawBody : '';
}

function sendResource(context: Koa.Context, resource: Resource, url: URL): void {
  const content = resource.read({
    url,
    parameters: readParameters(url.searchParams),
    token: tokenOf(context),
  });
  if (resource.isEntry) {
    const { http_etag: etag } = content as { http_etag: string };
    context.set('ETag', etag);
    // Not Koa's `fresh`: a client that names an ETag may send `Cache-Control: no-cache` with it, as fetch does.
    if (
      context
        .get('If-None-Match')
        .split(/\s*,\s*/)
        .includes(etag)
    ) {
      context.status = 304;
      return;
    }
  }
  json(context, content);
}

/** The page for people that an entry's `web_link` names. */
function sendPage(context: Koa.Context, resource: Resource): void {
  const url = new URL(context.url, 'http://localhost');
  const entry = resource.read({
    url,
    parameters: readParameters(url.searchParams),
    token: tokenOf(context),
  });
  context.status = 200;
  context.type = 'text/html; charset=utf-8';
  context.body = entryPage(entry as Record<string, unknown>, resource.logTail?.());
}

/**
 * Launchpad asks who writes. Any token will do here, an empty one, which is launchpadlib's way of being anonymous, not:
 * `Authorization: OAuth …, oauth_token="…", …`.
 */
function tokenOf(context: Koa.Context): string {
  return /^OAuth\s.*?[\s,]oauth_token="([^"]+)"/.exec(context.get('Authorization'))?.[1] ?? '';
}

async function sendFile(context: Koa.Context, path: string): Promise<void> {
  // Opened once: the publisher may put another index in its place, whose size is not that of this one.
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  const stats = await file?.stat();
  if (!file || !stats?.isFile()) {
    await file?.close();
    return plain(context, 404, 'Not found.');
  }
  context.status = 200;
  context.lastModified = stats.mtime;
  if (context.fresh) {
    await file.close();
    context.status = 304;
    return undefined;
  }
  // The librarian's way: a log is a text that is sent compressed.
  if (path.endsWith('.txt.gz')) {
    context.set('Content-Encoding', 'gzip');
    context.type = 'text/plain; charset=utf-8';
  } else context.type = 'application/octet-stream';
  context.body = file.createReadStream();
  context.length = stats.size;
  return undefined;
}

function plain(context: Koa.Context, status: number, text: string): void {
  context.status = status;
  context.type = 'text/plain; charset=utf-8';
  context.body = text;
}

function seeOther(context: Koa.Context, location: string): void {
  context.status = 303;
  context.set('Location', location);
  context.body = '';
}

function json(context: Koa.Context, content: unknown): void {
  context.status = 200;
  // Without a charset: launchpadlib compares the whole header.
  context.set('Content-Type', 'application/json');
  context.body = JSON.stringify(content);
}

function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/**
 * Binds first and serves later: every answer has the address in it, so it must be known before the app is made.
 *
 * @throws where the port is taken
 */
export async function listen(
  host: string,
  port: number,
): Promise<{ port: number; serve(app: Koa): void; stop(): Promise<void> }> {
  let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    response.writeHead(503, { 'Retry-After': '1' }).end();
  const server: Server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    serve(app) {
      const callback = app.callback();
      answer = (request, response) => void callback(request, response);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
