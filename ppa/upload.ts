import type { Readable } from 'node:stream';
import { Client } from 'basic-ftp';
import type { Ppa } from '../domain/packages/ppa.ts';

/** The FTP server that takes uploads for the PPA. */
export type UploadServer = {
  host: string;
  port: number;
  /** A session that transfers nothing for this time is given up. */
  idleTimeoutMs: number;
};

/** One file of an upload. */
export type UploadFile = { name: string; open(): Promise<Readable> };

/**
 * The session broke when the last file was on its way: the server may have all of it, so that the upload may count.
 * The message is that of the error.
 */
export class UploadInDoubtError extends Error {
  override readonly name = 'UploadInDoubtError';
}

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
 * @param signal ends the session; once the last file is on its way it is too late, and the upload is finished
 * @param beforeLast awaited before the last file; what it throws ends the session
 * @param onDelivered called when the server has confirmed the last file: the upload is with the server
 * @throws what the file's stream threw, which is then incomplete there; UploadInDoubtError; the error of a session that
 * left nothing; the signal's reason where it is aborted
 */
export async function uploadFiles(
  server: UploadServer,
  directory: string,
  files: readonly UploadFile[],
  {
    signal,
    beforeLast,
    onDelivered,
  }: { signal: AbortSignal; beforeLast: () => Promise<void>; onDelivered: () => void },
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
    for (const file of files.slice(0, -1)) {
      signal.throwIfAborted();
      await send(client, file);
    }
    await beforeLast();
    signal.throwIfAborted();
    signal.removeEventListener('abort', abort);
    await sendLast(client, files.at(-1) as UploadFile);
    onDelivered();
    // The server may answer QUIT by closing at once; the upload is complete either way.
    await client.send('QUIT').catch(() => undefined);
  } catch (error) {
    if (!(error instanceof UploadInDoubtError)) signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    client.close();
  }
}

async function send(client: Client, file: UploadFile): Promise<void> {
  return sendStream(client, file.name, await file.open());
}

async function sendLast(client: Client, file: UploadFile): Promise<void> {
  const stream = await file.open();
  try {
    await sendStream(client, file.name, stream);
  } catch (error) {
    // What the server refused before any data, or what its source cut short, cannot count.
    if (!stream.readableDidRead || error === stream.errored) throw error;
    throw new UploadInDoubtError((error as Error).message, { cause: error });
  }
}

async function sendStream(client: Client, name: string, stream: Readable): Promise<void> {
  let fault: Error | undefined;
  stream.once('error', (error: Error) => {
    fault = error;
  });
  try {
    await client.uploadFrom(stream, name);
  } catch (error) {
    // Where the source broke first, the session's complaint about it is only a consequence.
    throw fault ?? error;
  } finally {
    stream.destroy();
  }
}
