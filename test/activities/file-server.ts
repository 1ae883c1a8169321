import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A data store as others run it: files by name, and any other answer that a test wants. */
export type FileServer = {
  url: string;
  port: number;
  /** Serves a file of the disk under its own name, and gives its URL. */
  serve(path: string): string;
  /** Answers a name as told, and gives its URL. */
  answer(name: string, answer: Answer | string | Buffer): string;
  /** How often a name was asked for. */
  asked(name: string): number;
  stop(): Promise<void>;
};

export async function startFileServer(): Promise<FileServer> {
  const answers = new Map<string, Answer>();
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '/').slice(1));
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const answer = answers.get(name);
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const put = (name: string, answer: Answer) => {
    answers.set(name, answer);
    return `${url}/${name.split('/').map(encodeURIComponent).join('/')}`;
  };
  return {
    url,
    port,
    serve: (path) =>
      put(basename(path), (_request, response) => {
        response.setHeader('content-length', statSync(path).size);
        createReadStream(path, { highWaterMark: 1_048_576 }).pipe(response);
      }),
    answer: (name, answer) =>
      put(
        name,
        typeof answer === 'function' ? answer : (_request, response) => response.end(answer),
      ),
    asked: (name) => counts.get(name) ?? 0,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
