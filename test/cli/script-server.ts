import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request comes to. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that gives one answer after the other, the last one for ever. */
export function useScript() {
  let answers: Answer[] = [];
  const requests: { method: string; key: string | undefined; path: string }[] = [];
  const server = createServer((request, response) => {
    requests.push({
      method: request.method ?? '',
      key: request.headers['idempotency-key'] as string | undefined,
      path: request.url ?? '',
    });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    request.resume().once('end', () => answer?.(request, response));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    requests,
    play: (...script: Answer[]) => {
      answers = script;
      requests.splice(0);
    },
    get environment() {
      return { AIRLINE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    },
  };
}

/** An answer of JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
