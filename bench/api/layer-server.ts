import { createServer } from 'node:http';
import Koa from 'koa';
import { Router } from '@koa/router';
import { openRawTickets } from './raw-tickets.ts';

/*
 * One layer between the socket and the answer, in a process of its own: `http`, `koa` and `router` give one fixed
 * answer for the list and one for any ticket; `pg` reads them as the peer does.
 */
const [layer] = process.argv.slice(2);
const tickets = openRawTickets(process.env['BENCH_DATABASE_URL'] ?? '');
const port = Number(process.env['BENCH_PORT']);
const LIST = '/api/v1/ticket/';
const PAGE = 20;
// As many routes as Airline has, each under its own path.
const OTHERS = 100;

const list = await tickets.list(PAGE, 0);
const detail = await tickets.detail(1);
const isList = (url: string | undefined) => url?.startsWith(`${LIST}?`) ?? false;

if (layer === 'http') listenBare();
else if (layer === 'koa') listenKoa();
else if (layer === 'router')
  listenRouter(
    async () => list,
    async () => detail,
  );
else if (layer === 'pg')
  listenRouter(
    () => tickets.list(PAGE, 0),
    (id) => tickets.detail(id),
  );
else throw new Error(`there is no layer ${layer}`);

function listenBare(): void {
  createServer((request, response) => {
    const json = isList(request.url) ? list : detail;
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(json),
    });
    response.end(json);
  }).listen(port, '127.0.0.1');
}

function listenKoa(): void {
  const app = new Koa();
  app.use((ctx) => answer(ctx, isList(ctx.url) ? list : detail));
  app.listen(port, '127.0.0.1');
}

function listenRouter(readList: () => Promise<string>, readOne: (id: number) => Promise<string>) {
  const app = new Koa();
  const router = new Router();
  for (let number = 0; number < OTHERS / 2; number++) {
    router.get(`/api/v1/resource${number}`, (ctx) => answer(ctx, list));
    router.get(`/api/v1/resource${number}/:id`, (ctx) => answer(ctx, detail));
  }
  router.get('/api/v1/ticket', async (ctx) => answer(ctx, await readList()));
  router.get('/api/v1/ticket/:id', async (ctx) =>
    answer(ctx, await readOne(Number(ctx.params['id']))),
  );
  app.use(router.routes());
  app.listen(port, '127.0.0.1');
}

function answer(ctx: Koa.Context, json: string): void {
  ctx.body = json;
  ctx.set('Content-Type', 'application/json');
}
