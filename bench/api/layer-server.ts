import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { Router } from '@koa/router';
import { openRawTickets } from './raw-tickets.ts';
import { openSequelizeTickets } from './sequelize-tickets.ts';
import type { Move, NewTicket, Tickets } from './tickets.ts';

/*
 * Koa with its router and body parser in front of one way to PostgreSQL, in a process of its own: the argument says
 * which, BENCH_DATABASE_URL and BENCH_PORT say where. It checks nothing and logs nothing.
 */
const OPEN: Record<string, (databaseUrl: string) => Tickets> = {
  pg: openRawTickets,
  sequelize: (url) => openSequelizeTickets(url, { prepared: false }),
  prepared: (url) => openSequelizeTickets(url, { prepared: true }),
};
// As many routes as Airline has, each under its own path.
const OTHER_ROUTES = 100;

const [layer = ''] = process.argv.slice(2);
const open = OPEN[layer];
if (!open) throw new Error(`there is no layer ${layer}`);
const tickets = open(process.env['BENCH_DATABASE_URL'] ?? '');

const router = new Router();
for (let number = 0; number < OTHER_ROUTES; number++)
  router.get(`/api/v1/resource${number}`, (ctx) => answer(ctx, 200, '{}'));
router.get('/api/v1/ticket', async (ctx) => {
  const { limit, offset } = ctx.query;
  answer(ctx, 200, await tickets.list(Number(limit), Number(offset ?? 0)));
});
router.get('/api/v1/ticket/:id', async (ctx) =>
  answer(ctx, 200, await tickets.detail(Number(ctx.params['id']))),
);
router.post('/api/v1/ticket', async (ctx) => {
  const { id, json } = await tickets.create(ctx.request.body as NewTicket);
  ctx.set('Location', `/api/v1/ticket/${id}/`);
  answer(ctx, 201, json);
});
router.patch('/api/v1/updateticketstatus/:id', async (ctx) =>
  answer(ctx, 202, await tickets.move(Number(ctx.params['id']), ctx.request.body as Move)),
);

new Koa()
  .use(bodyParser())
  .use(router.routes())
  .listen(Number(process.env['BENCH_PORT']), '127.0.0.1');

function answer(ctx: Koa.Context, status: number, json: string): void {
  ctx.status = status;
  ctx.body = json;
  ctx.set('Content-Type', 'application/json');
}
