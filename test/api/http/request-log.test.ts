import Koa from 'koa';
import pino from 'pino';
import type { RequestState } from '../../../api/http/context.ts';
import { logRequests } from '../../../api/http/request-log.ts';
import { until } from '../../support/until.ts';
import { useKoa } from '../serve-koa.ts';

const lines: { path: string }[] = [];
const app = new Koa<RequestState>();
app.use(logRequests(pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })));
const server = useKoa(app);

it('has the path of each request, and of a long one that it was cut', async () => {
  const known = `/${'a'.repeat(1_023)}`;
  await fetch(`${server.url}${known}`);
  await fetch(`${server.url}${known}bc`);
  await until('both to be logged', () => lines.length === 2);
  expect(lines.map(({ path }) => path)).toEqual([known, `${known}…`]);
});
