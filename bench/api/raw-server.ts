import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { openRawTickets } from './raw-tickets.ts';
import type { Move, NewTicket } from './tickets.ts';

/*
 * The peer: what Node and PostgreSQL can do without a framework, an ORM, checks, logs and errors.
 * A process of its own; BENCH_DATABASE_URL and BENCH_PORT say where.
 */
const ITEM = /^\/api\/v1\/(?:ticket|updateticketstatus)\/(\d+)\/$/;
const tickets = openRawTickets(process.env['BENCH_DATABASE_URL'] ?? '');

createServer((request, response) => {
  route(request, response).catch((error: unknown) => {
    console.error(error);
    answer(response, 500, '');
  });
}).listen(Number(process.env['BENCH_PORT']), '127.0.0.1');

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request;
  if (method === 'POST') {
    const { id, json } = await tickets.create(await readJson<NewTicket>(request));
    response.setHeader('Location', `/api/v1/ticket/${id}/`);
    return answer(response, 201, json);
  }
  const id = Number(ITEM.exec(url)?.[1]);
  if (method === 'PATCH')
    return answer(response, 202, await tickets.move(id, await readJson<Move>(request)));
  if (id) return answer(response, 200, await tickets.detail(id));
  const query = new URLSearchParams(url.slice(url.indexOf('?')));
  answer(
    response,
    200,
    await tickets.list(Number(query.get('limit')), Number(query.get('offset'))),
  );
}

async function readJson<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
}

function answer(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(json),
  });
  response.end(json);
}
