import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { serveFtpSession, type TakeFtpFault } from './ftp-session.ts';

const MAX_SESSIONS = 100;

export type FtpServerOptions = {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Uploads appear here as `upload-ftp-<date>-<time>-<number>` when their session has ended. */
  incomingDir: string;
  idleMs: number;
  uploadMaxBytes: number;
  takeFault: TakeFtpFault;
  logger: Logger;
};

export type FtpServer = {
  port: number;
  /** Closes all connections; sessions that are under way are discarded. */
  stop(): Promise<void>;
};

/**
 * Starts Launchpad's upload server: any login, folders that come into being when they are entered, no listing, no
 * download. One session is one upload, handed over when the connection ends, cleanly or not.
 *
 * @throws where the port is taken
 */
export async function startFtpServer(options: FtpServerOptions): Promise<FtpServer> {
  const { host, incomingDir, logger } = options;
  const sessionsDir = join(incomingDir, '.sessions');
  // What is left here belongs to sessions that a killed stand-in never saw the end of.
  await rm(sessionsDir, { recursive: true, force: true });
  await mkdir(sessionsDir, { recursive: true });

  const running = new Map<Socket, Promise<void>>();
  let isStopping = false;
  let number = 0;

  const serve = async (control: Socket) => {
    const directory = join(sessionsDir, randomUUID());
    // Kept: others begin before this one ends, and some end in the same millisecond.
    const ownNumber = ++number;
    const session = logger.child({ session: ownNumber });
    // Not awaited: the connection needs its listeners at once.
    mkdirSync(directory);
    const received = await serveFtpSession(control, { ...options, directory, logger: session });
    if (isStopping || received === 0) {
      await rm(directory, { recursive: true, force: true });
      return;
    }
    const upload = uploadName(ownNumber);
    await rename(directory, join(incomingDir, upload));
    session.info({ upload, files: received }, 'upload handed over');
  };

  // Two short replies in a row must not wait for the acknowledgement of the first.
  const server = createServer({ noDelay: true }, (control) => {
    if (isStopping || running.size >= MAX_SESSIONS) {
      control.on('error', () => control.destroy());
      control.end('421 Too many sessions, try again later.\r\n');
      return;
    }
    const end = serve(control)
      .catch((error: unknown) => logger.error({ err: error }, 'upload session failed'))
      .finally(() => {
        control.destroy();
        running.delete(control);
      });
    running.set(control, end);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => logger.error({ err: error }, 'upload server failed'));

  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      isStopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const control of running.keys()) control.destroy();
      await Promise.all(running.values());
      await closed;
    },
  };
}

/** Launchpad's name for an upload; here with milliseconds, so that names stay unique after a restart. */
function uploadName(number: number): string {
  const [date = '', time = ''] = new Date().toISOString().replace(/[-:Z]/g, '').split('T');
  return `upload-ftp-${date}-${time.replace('.', '')}-${String(number % 1_000_000).padStart(6, '0')}`;
}
