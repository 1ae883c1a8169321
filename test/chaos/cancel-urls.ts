import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Serves the cancel URLs of a lander: each says whether its caller still waits.
 *
 * @param host the address at which the parts reach it
 */
export async function serveCancelUrls(host: string): Promise<{
  urlOf(build: number): string;
  /** From now on the build's URL says that nobody waits for it any more. */
  leave(build: number): void;
  close(): Promise<void>;
}> {
  const left = new Set<string>();
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ building: !left.has(request.url ?? '') }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const pathOf = (build: number) => `/builds/${build}`;
  return {
    urlOf: (build) => `http://${host}:${port}${pathOf(build)}`,
    leave: (build) => void left.add(pathOf(build)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
