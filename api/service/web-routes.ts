import { join } from 'node:path';
import type { Middleware } from 'koa';
import { AirlineError } from '../../domain/errors.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { answerContent } from '../http/answer-content.ts';
import type { ApiContext } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { readWebFile, WEB_ENCODINGS, type WebEncoding } from './web-files.ts';

/** The addresses of the web UI. Its script shows the page of each. */
const PAGES: Readonly<Record<string, string>> = {
  '/': 'The start of the web UI',
  '/tickets': 'The page of the tickets',
  '/ticket/{id}': 'The page of a ticket',
  '/build/{id}': 'The page of a build',
  '/builds': 'The page of the builds',
  '/landings': 'The page of the landings',
  '/pool': 'The page of the pool of PPAs',
  '/packages': 'The page of the packages',
  '/package/{name}': 'The page of a package',
  '/status': 'The page of the service',
  '/workers': 'The page of the workers',
  '/help': 'The page of the documentation',
  '/people': 'The page of the persons and teams',
  '/projects': 'The page of the projects',
  '/branches': 'The page of the branches',
  '/proposals': 'The page of the merge proposals',
  '/history': 'The page of what was done to all tickets',
  '/tokens': 'The page of the tokens',
  '/sign-in': 'The page to sign in',
};

/** What a page may load and do: nothing from elsewhere, no code and no style in the page itself. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const ASSET_POLICY = "default-src 'none'; sandbox";
/** The name of an asset has a part of its content in it: what it names never changes. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * The first script of each page, which loads the page again where a file of it is not there: where one version of
 * Airline takes the place of another, the page may be of the other. Then it is not there itself, and this one is.
 */
const LOAD_AGAIN = /^load-again-\w+\.js$/;
const LOADS_AGAIN = 'setTimeout(() => location.reload(), 2000);\n';

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Airline: the web UI is not built</title>
  </head>
  <body>
    <h1>The web UI is not built</h1>
    <p>The API is up, but the files of its web UI are not there. Run <code>npm run build:clients</code> where Airline is
    installed, then load this page again.</p>
    <p>The API is described at <a href="/docs/">/docs/</a>.</p>
  </body>
</html>
`;

const pages = Object.entries(PAGES).map(([path, summary]): Operation => ({
  method: 'get',
  path,
  summary,
  scope: null,
  isOfWebUi: true,
  answers: {
    200: { description: 'The page.', mediaType: 'text/html' },
    404: { description: 'The web UI is not built.', mediaType: 'text/html' },
  },
  errors: [],
  handle: answerPage,
}));

/** The web UI. Anybody gets its pages: their data comes from the API, which checks the caller. */
export const webOperations: readonly Operation[] = [
  ...pages,
  {
    method: 'get',
    path: '/assets/{asset}',
    summary: 'A file of the web UI',
    scope: null,
    isOfWebUi: true,
    answers: { 200: { description: 'The file.', mediaType: '*/*' } },
    errors: ['not_found'],
    handle: answerAsset,
  },
  {
    method: 'get',
    path: '/help/{file}',
    summary: 'A document, as it is written',
    scope: null,
    isOfWebUi: true,
    answers: { 200: { description: 'Markdown.', mediaType: 'text/plain' } },
    errors: ['not_found'],
    handle: answerDocument,
  },
  {
    method: 'get',
    path: '/airline.mjs',
    summary: 'The command `airline`, one file that Node runs',
    scope: null,
    isOfWebUi: true,
    answers: { 200: { description: 'The file.', mediaType: 'text/javascript' } },
    errors: ['not_found'],
    handle: answerCommand,
  },
];

/** Where programs ask: there, whatever a caller accepts, what is not there is told as an error of the API. */
const OF_PROGRAMS =
  /^\/(?:api|assets|docs|store|healthz|metrics|openapi\.json|readyz|startupz)(?:\/|$)/;

/**
 * Answers a browser at an address that does not exist with the page that says so. Only a browser names
 * `text/html` among what it accepts: programs get an error of the API, as everywhere.
 */
export function answerUnknownPages(deps: HandlerDependencies): Middleware {
  return async (ctx, next) => {
    await next();
    const isUnknown = ctx.status === 404 && (ctx.body === undefined || ctx.body === null);
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isUnknown || !isRead || OF_PROGRAMS.test(ctx.path)) return;
    if (!/\btext\/html\b/.test(ctx.get('Accept'))) return;
    await answerPage(ctx as ApiContext, deps);
    if (ctx.status === 200) ctx.status = 404;
  };
}

async function answerPage(ctx: ApiContext, { webDirectory }: HandlerDependencies): Promise<void> {
  const file = await readWebFile(webDirectory, 'index.html', acceptedEncodings(ctx));
  ctx.set({
    'Content-Security-Policy': PAGE_POLICY,
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
  });
  if (file) return answerContent(ctx, file);
  ctx.status = 404;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = NOT_BUILT;
}

async function answerAsset(ctx: ApiContext, { webDirectory }: HandlerDependencies): Promise<void> {
  const name = ctx.params['asset'] ?? '';
  const file = await readWebFile(join(webDirectory, 'assets'), name, acceptedEncodings(ctx));
  if (!file && LOAD_AGAIN.test(name)) {
    ctx.set({ 'Content-Security-Policy': ASSET_POLICY, 'Cache-Control': 'no-store' });
    ctx.type = 'text/javascript; charset=utf-8';
    ctx.body = LOADS_AGAIN;
    return;
  }
  if (!file) throw new AirlineError('not_found', 'The web UI has no such file.');
  ctx.set({ 'Content-Security-Policy': ASSET_POLICY, 'Cache-Control': FOREVER });
  answerContent(ctx, file);
}

async function answerDocument(
  ctx: ApiContext,
  { webDirectory }: HandlerDependencies,
): Promise<void> {
  const name = ctx.params['file'] ?? '';
  const file = await readWebFile(join(webDirectory, 'help'), name, acceptedEncodings(ctx));
  if (!file) throw new AirlineError('not_found', 'There is no such document.');
  ctx.set('Content-Security-Policy', ASSET_POLICY);
  answerContent(ctx, file);
}

async function answerCommand(
  ctx: ApiContext,
  { webDirectory }: HandlerDependencies,
): Promise<void> {
  const file = await readWebFile(webDirectory, 'airline.mjs', acceptedEncodings(ctx));
  if (!file) throw new AirlineError('not_found', 'The command is not built here.');
  ctx.set({
    'Content-Security-Policy': ASSET_POLICY,
    'Content-Disposition': 'attachment; filename="airline.mjs"',
  });
  answerContent(ctx, file);
}

function acceptedEncodings(ctx: ApiContext): readonly WebEncoding[] {
  ctx.vary('Accept-Encoding');
  return WEB_ENCODINGS.filter((encoding) => ctx.acceptsEncodings(encoding));
}
