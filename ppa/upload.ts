import type { Readable } from 'node:stream';
import { Client } from 'basic-ftp';
import type { Ppa } from '../domain/ppa.ts';

/** The FTP server that takes uploads for the PPA. */
export type UploadServer = {
  host: string;
  port: number;
  /** A session that moves nothing for so long is given up. */
  idleTimeoutMs: number;
};

/** One file of an upload. */
export type UploadFile = { name: string; open(): Promise<Readable> };

/** The directory of an upload session. Its series overrides the Distribution of the `.changes`. */
export function uploadDirectory(ppa: Ppa, series: string): string {
  return `~${ppa.owner}/${ppa.distribution}/${ppa.name}/${series}`;
}

/**
 * Uploads files in one FTP session, in the order given: Launchpad takes what one session brought as one upload, at
 * its end, and drops silently what has no complete `.changes`. So the `.changes` comes last, and whatever goes wrong
 * before it ends the session and leaves nothing behind; the whole session is then to be tried again.
 *
 * The files are opened one after another and streamed under back-pressure, so that memory does not grow with them.
 *
 * @param onDelivered called when the server has confirmed the last file: from here on the upload may come to be
 * @throws what the file's stream threw, else the fault of the session; the signal's reason where it is aborted
 */
export async function uploadFiles(
  server: UploadServer,
  directory: string,
  files: readonly UploadFile[],
  { signal, onDelivered }: { signal: AbortSignal; onDelivered: () => void },
): Promise<void> {
  signal.throwIfAborted();
  const client = new Client(server.idleTimeoutMs);
  const abort = () => client.close();
  signal.addEventListener('abort', abort);
  try {
    await client.connect(server.host, server.port);
    await client.login('anonymous', 'airline@');
    await client.send('TYPE I');
    await client.cd(directory);
    for (const file of files) {
      signal.throwIfAborted();
      await send(client, file);
    }
    onDelivered();
    // The server may answer QUIT by closing at once; the upload is complete either way.
    await client.send('QUIT').catch(() => undefined);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    client.close();
  }
}

async function send(client: Client, file: UploadFile): Promise<void> {
  const stream = await file.open();
  let fault: Error | undefined;
  stream.once('error', (error: Error) => {
    fault = error;
  });
  try {
    await client.uploadFrom(stream, file.name);
  } catch (error) {
    // Where the source broke first, the session's complaint about it is only a consequence.
    throw fault ?? error;
  } finally {
    stream.destroy();
  }
}
