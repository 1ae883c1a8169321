import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** GETs a path from a server that listens on a socket of the file system. */
export async function getFromSocket(
  socketPath: string,
  path: string,
): Promise<{ status: number | undefined; mediaType: string | undefined; body: string }> {
  // On a connection of its own: one that is kept belongs to the server of before.
  const asked = request({ socketPath, path, agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode,
    mediaType: response.headers['content-type'],
    body: await text(response),
  };
}
