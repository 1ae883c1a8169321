import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FtpFault } from '../script/script.ts';

const MAX_LINE_BYTES = 4_096;
const MAX_PENDING_COMMANDS = 64;
const MAX_FILES = 1_000;
const MAX_DEPTH = 8;
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9~+._:-]{1,200}$/;

export type TakeFtpFault = (command: string, argument: string) => FtpFault | undefined;

type SessionOptions = {
  /** The session's own folder; every path is inside it. */
  directory: string;
  idleMs: number;
  uploadMaxBytes: number;
  takeFault: TakeFtpFault;
  logger: Logger;
};

class SessionCut extends Error {}
class UploadTooLarge extends Error {}

/**
 * Serves one control connection (RFC 959, with EPSV of RFC 2428) until it ends.
 *
 * @returns how many files were begun; a file whose transfer broke is kept as far as it came, as Launchpad does
 */
export async function serveFtpSession(control: Socket, options: SessionOptions): Promise<number> {
  const { directory, idleMs, uploadMaxBytes, takeFault, logger } = options;
  let cwd: string[] = [];
  let passive: ReturnType<typeof openPassive> | undefined;
  let channel: ReturnType<typeof openPassive> | undefined;
  let receivedBytes = 0;
  let files = 0;

  const reply = (line: string) => {
    logger.trace({ reply: line }, 'ftp');
    if (control.writable) control.write(`${line}\r\n`);
  };
  const resolve = (argument: string): string[] | undefined => {
    const path = argument.startsWith('/') ? [] : [...cwd];
    for (const part of argument.split('/')) {
      if (part === '' || part === '.') continue;
      if (part === '..') path.pop();
      else if (NAME.test(part)) path.push(part);
      else return undefined;
    }
    return path.length <= MAX_DEPTH ? path : undefined;
  };
  const listen = async () => {
    passive?.close();
    passive = openPassive(control, idleMs);
    return passive.port();
  };

  const store = async (argument: string, fault: FtpFault | undefined) => {
    const path = resolve(argument);
    if (!path || path.length === 0) return reply('553 File name not allowed.');
    if (!passive) return reply('425 Use EPSV or PASV first.');
    if (++files > MAX_FILES) return reply('552 Too many files in one session.');
    channel = passive;
    passive = undefined;
    const target = join(directory, ...path);
    await mkdir(dirname(target), { recursive: true });
    reply('150 Send the file.');
    let fileBytes = 0;
    try {
      const data = await channel.connection();
      data.setTimeout(idleMs, () => data.destroy(new Error('idle')));
      const limit = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          receivedBytes += chunk.length;
          fileBytes += chunk.length;
          if (fault?.cutAfterBytes !== undefined && fileBytes >= fault.cutAfterBytes) {
            const kept = chunk.length - (fileBytes - fault.cutAfterBytes);
            this.push(chunk.subarray(0, kept));
            done(new SessionCut());
          } else if (receivedBytes > uploadMaxBytes) done(new UploadTooLarge());
          else done(null, chunk);
        },
      });
      await pipeline(data, limit, createWriteStream(target));
      logger.debug({ file: path.at(-1), sizeBytes: fileBytes }, 'file received');
      if (!fault?.afterData || (await playFault(fault, 'STOR', argument)))
        reply('226 Transfer complete.');
    } catch (error) {
      if (error instanceof SessionCut) control.destroy();
      logger.warn({ err: error, file: path.at(-1), sizeBytes: fileBytes }, 'transfer broke');
      reply(
        error instanceof UploadTooLarge
          ? '552 The upload is larger than allowed.'
          : '426 Connection closed, transfer aborted.',
      );
    } finally {
      channel.close();
      channel = undefined;
    }
  };

  /** @returns whether the command goes on as usual after it */
  const playFault = async (
    fault: FtpFault,
    command: string,
    argument: string,
  ): Promise<boolean> => {
    logger.info({ command, argument, fault }, 'scripted fault');
    if (fault.delayMs !== undefined) await sleep(fault.delayMs);
    if (fault.hang)
      await new Promise<void>((done) => {
        if (control.destroyed) done();
        else control.once('close', () => done());
      });
    if (fault.reply) reply(fault.reply);
    if (fault.close || (fault.reply && command === 'CONNECT')) control.end();
    return !(fault.hang ?? fault.reply ?? fault.close);
  };

  const answer = async (command: string, argument: string): Promise<void> => {
    const fault = takeFault(command, argument);
    if (fault && fault.cutAfterBytes === undefined && !fault.afterData)
      if (!(await playFault(fault, command, argument))) return undefined;
    switch (command) {
      case 'CONNECT':
        return reply('220 Launchpad stand-in upload server');
      case 'USER':
        return reply('331 Any password will do.');
      case 'PASS':
        return reply('230 Logged in.');
      case 'SYST':
        return reply('215 UNIX Type: L8');
      case 'FEAT':
        return reply('211-Features:\r\n EPSV\r\n PASV\r\n UTF8\r\n211 End');
      case 'OPTS':
      case 'NOOP':
      case 'TYPE':
      case 'MODE':
      case 'STRU':
      case 'ALLO':
        return reply('200 Done.');
      case 'PWD':
      case 'XPWD':
        return reply(`257 "/${cwd.join('/')}" is the current folder.`);
      case 'CWD':
      case 'CDUP':
      case 'MKD':
      case 'XMKD': {
        const path = resolve(command === 'CDUP' ? '..' : argument);
        if (!path) return reply('550 Folder name not allowed.');
        await mkdir(join(directory, ...path), { recursive: true });
        if (command === 'MKD' || command === 'XMKD') return reply(`257 "/${path.join('/')}" made.`);
        cwd = path;
        return reply('250 Folder changed.');
      }
      case 'EPSV':
        return reply(`229 Entering Extended Passive Mode (|||${await listen()}|)`);
      case 'PASV': {
        const address = control.localAddress?.replace(/^::ffff:/, '') ?? '';
        if (!/^\d+\.\d+\.\d+\.\d+$/.test(address)) return reply('425 Use EPSV.');
        const port = await listen();
        const numbers = [...address.split('.'), port >> 8, port & 255].join(',');
        return reply(`227 Entering Passive Mode (${numbers})`);
      }
      case 'STOR':
        return store(argument, fault);
      case 'ABOR':
        return reply('226 Nothing to abort.');
      case 'QUIT':
        reply('221 Goodbye.');
        control.end();
        return undefined;
      default:
        return reply(`502 ${command} is not served here.`);
    }
  };

  let pending = 0;
  let answered: Promise<void> = Promise.resolve();
  const enqueue = (command: string, argument: string) => {
    if (++pending > MAX_PENDING_COMMANDS) return control.destroy();
    answered = answered
      .then(() => (control.destroyed ? undefined : answer(command, argument)))
      .catch((error: unknown) => {
        logger.error({ err: error, command }, 'command failed');
        reply('451 Local error.');
      })
      .finally(() => pending--);
    return undefined;
  };

  let buffered = '';
  control.setEncoding('latin1');
  control.setTimeout(idleMs);
  control.on('timeout', () => {
    if (channel) return;
    reply('421 Idle for too long.');
    control.destroy();
  });
  control.on('error', (error) => logger.debug({ err: error }, 'control connection broke'));
  control.on('data', (chunk: string) => {
    const lines = (buffered + chunk).split(/\r?\n/);
    buffered = lines.pop() ?? '';
    if (buffered.length > MAX_LINE_BYTES) return control.destroy();
    for (const line of lines) {
      // Telnet bytes precede ABOR in some clients (RFC 959, section 4.1.3).
      const [, word = '', argument = ''] =
        /^[\xf0-\xff]*([A-Za-z]{3,8})(?: (.*))?$/.exec(line) ?? [];
      logger.trace({ command: word, argument: word === 'PASS' ? '' : argument }, 'ftp');
      if (word.toUpperCase() === 'ABOR') channel?.close();
      enqueue(word.toUpperCase(), argument);
    }
    return undefined;
  });
  enqueue('CONNECT', '');

  await new Promise<void>((done) => control.once('close', () => done()));
  passive?.close();
  channel?.close();
  await answered;
  return files;
}

/** Listens for the one data connection of a transfer, which must come from where the control connection comes from. */
function openPassive(control: Socket, idleMs: number) {
  let data: Socket | undefined;
  let accept: () => void;
  let refuse: (error: Error) => void;
  const connected = new Promise<void>((resolve, reject) => {
    accept = resolve;
    refuse = reject;
  });
  // Nobody may be waiting yet when it fails.
  connected.catch(() => undefined);
  const server: Server = createServer({ pauseOnConnect: true }, (socket) => {
    if (data || socket.remoteAddress !== control.remoteAddress) {
      socket.destroy();
      return;
    }
    data = socket;
    data.on('error', () => socket.destroy());
    server.close();
    accept();
  });
  const close = () => {
    clearTimeout(deadline);
    server.close();
    data?.destroy();
    refuse(new Error('no data connection came'));
  };
  const deadline = setTimeout(close, idleMs);
  return {
    port: () =>
      new Promise<number>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, control.localAddress, () =>
          resolve((server.address() as AddressInfo).port),
        );
      }),
    connection: async (): Promise<Socket> => {
      await connected;
      clearTimeout(deadline);
      return data as Socket;
    },
    /** Ends listening and the connection. */
    close,
  };
}
