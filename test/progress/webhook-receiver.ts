import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came. */
type Received = { path: string; headers: IncomingHttpHeaders; body: string };

/** A receiver of webhooks, on a free port. */
export type WebhookReceiver = {
  url: string;
  port: number;
  received: Received[];
  /** Answers each request; by default 204. */
  answer: (request: Received, response: ServerResponse) => void;
  close: () => Promise<void>;
};

const confirm: WebhookReceiver['answer'] = (_, response) => response.writeHead(204).end();

/** Starts a receiver that keeps what comes. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const whole = { path, headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(whole);
      receiver.answer(whole, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer: confirm,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
