import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from 'basic-ftp';
import pino from 'pino';
import { startFtpServer, type FtpServer } from '../../../stand-in/ftp/ftp-server.ts';
import type { FtpFault } from '../../../stand-in/script/script.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

let server: FtpServer;
let incomingDir: string;
let faults: FtpFault[];

const open = async (limits: { idleMs?: number; uploadMaxBytes?: number } = {}) => {
  server = await startFtpServer({
    host: '127.0.0.1',
    port: 0,
    incomingDir,
    idleMs: 60_000,
    uploadMaxBytes: 10_000_000,
    takeFault: (command) => faults.find((fault) => fault.on === command),
    logger: pino({ level: 'silent' }),
    ...limits,
  });
};
const uploads = () => readdirSync(incomingDir).filter((name) => name.startsWith('upload-'));
const handedOver = () => until('an upload', () => uploads().at(0));
const sessions = () => readdirSync(join(incomingDir, '.sessions'));
const login = async () => {
  const client = new Client(60_000);
  await client.access({ host: '127.0.0.1', port: server.port, user: 'whoever', password: 'x' });
  return client;
};
/** Speaks FTP by hand. */
const talk = async () => {
  const socket: Socket = connect(server.port, '127.0.0.1');
  socket.setEncoding('latin1');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  let closed = false;
  socket.on('close', () => (closed = true));
  const reply = (form: RegExp) =>
    until(`a reply like ${form}`, () => {
      const match = form.exec(text);
      if (match) text = text.slice(match.index + match[0].length);
      return match ?? false;
    });
  await reply(/^220 .*\r\n/m);
  return {
    socket,
    reply,
    say: (line: string) => socket.write(`${line}\r\n`),
    isClosed: () => closed,
  };
};

beforeEach(async () => {
  incomingDir = join(temporaryDirectory(), 'incoming');
  mkdirSync(incomingDir);
  faults = [];
  await open();
});
afterEach(() => server.stop());

describe('a session', () => {
  it('is its own upload, also where others end in the same millisecond', async () => {
    const clients = [await login(), await login(), await login()];
    for (const [at, client] of clients.entries())
      await client.uploadFrom(Readable.from('content'), `file-${at}.dsc`);

    const moment = new Date().toISOString();
    const clock = jest.spyOn(Date.prototype, 'toISOString').mockReturnValue(moment);
    try {
      await Promise.all(clients.map((client) => client.send('QUIT')));
      await until('all uploads', () => uploads().length === clients.length);
    } finally {
      clock.mockRestore();
    }
    for (const client of clients) client.close();
    const files = uploads().flatMap((upload) => readdirSync(join(incomingDir, upload)));
    expect(files.toSorted()).toEqual(['file-0.dsc', 'file-1.dsc', 'file-2.dsc']);
  });

  it('is one upload, in the folders that it entered, handed over when it ends', async () => {
    const client = await login();
    await client.cd('~me/ubuntu/test');
    await client.uploadFrom(Readable.from('first'), 'a.dsc');
    await client.uploadFrom(Readable.from('second'), 'a_source.changes');
    expect(uploads()).toEqual([]);
    await client.send('QUIT');
    client.close();
    const upload = await handedOver();
    expect(upload).toMatch(/^upload-ftp-\d{8}-\d{9}-\d{6}$/);
    expect(readFileSync(join(incomingDir, upload, '~me/ubuntu/test/a.dsc'), 'utf8')).toBe('first');
    expect(
      readFileSync(join(incomingDir, upload, '~me/ubuntu/test/a_source.changes'), 'utf8'),
    ).toBe('second');
  });

  it('is handed over as it is when its connection breaks', async () => {
    const client = await login();
    await client.cd('~me/ubuntu/test');
    await client.uploadFrom(Readable.from('first'), 'a.dsc');
    client.ftp.socket.destroy();
    client.close();
    const upload = await handedOver();
    expect(readdirSync(join(incomingDir, upload, '~me/ubuntu/test'))).toEqual(['a.dsc']);
  });

  it('is discarded when the server stops in its middle', async () => {
    const client = await login();
    await client.uploadFrom(Readable.from('first'), 'a.dsc');
    await server.stop();
    client.close();
    expect(uploads()).toEqual([]);
    expect(sessions()).toEqual([]);
  });

  it('leaves nothing behind when it brought no file', async () => {
    const client = await login();
    await client.cd('~me/ubuntu/test');
    await client.send('QUIT');
    client.close();
    await until('the session to end', () => sessions().length === 0);
    expect(uploads()).toEqual([]);
  });

  it('that was cut off by a crash is gone after the next start', async () => {
    await server.stop();
    mkdirSync(join(incomingDir, '.sessions', 'left-behind'), { recursive: true });
    await open();
    expect(sessions()).toEqual([]);
  });

  it('ends when it is idle for too long', async () => {
    await server.stop();
    await open({ idleMs: 100 });
    const { reply, isClosed } = await talk();
    await reply(/^421 .*\r\n/m);
    await until('the connection to end', isClosed);
    expect(isClosed()).toBe(true);
  });
});

describe('the server refuses', () => {
  it('listing and download', async () => {
    const { say, reply, socket } = await talk();
    for (const command of ['LIST', 'NLST', 'RETR a.dsc', 'MLSD', 'DELE a.dsc', 'AUTH TLS']) {
      say(command);
      expect((await reply(/^(\d\d\d) .*\r\n/m))[1]).toBe('502');
    }
    socket.destroy();
  });

  it.each([
    'STOR ../../escape',
    'STOR /../../escape',
    'STOR a\u0000b',
    'STOR ..',
    'CWD a b',
    'CWD é',
  ])('to leave the session or to take strange names: %j', async (command) => {
    const { say, reply, socket } = await talk();
    say('EPSV');
    const port = Number((await reply(/^229 .*\(\|\|\|(\d+)\|\)\r\n/m))[1]);
    const data = connect(port, '127.0.0.1');
    data.on('error', () => undefined);
    data.end('content');
    say(command);
    const [line] = await reply(/^(\d\d\d) .*\r\n/m);
    data.destroy();
    socket.destroy();
    await until('the session to end', () => sessions().length === 0);
    const outside = readdirSync(join(incomingDir, '..'));
    expect(outside).toEqual(['incoming']);
    // Going up from the root stays at the root, as in any file system.
    if (!line.startsWith('150')) expect(line).toMatch(/^55[03] /);
  });

  it('an upload that is larger than allowed', async () => {
    await server.stop();
    await open({ uploadMaxBytes: 1_000 });
    const client = await login();
    await expect(client.uploadFrom(Readable.from(Buffer.alloc(5_000)), 'a.dsc')).rejects.toThrow();
    client.close();
  });

  it('a data connection when nobody comes', async () => {
    await server.stop();
    await open({ idleMs: 3_000 });
    const { say, reply, socket } = await talk();
    // Both at once: no silence between them can end the session.
    say('EPSV\r\nSTOR a.dsc');
    await reply(/^229 .*\r\n/m);
    await reply(/^150 .*\r\n/m);
    expect((await reply(/^(\d\d\d) .*\r\n/m))[1]).toBe('426');
    socket.destroy();
  });
});

describe('a scripted fault', () => {
  it('answers as the script says', async () => {
    faults = [{ on: 'STOR', reply: '550 Requested action not taken: internal server error' }];
    const client = await login();
    await expect(client.uploadFrom(Readable.from('x'), 'a.dsc')).rejects.toThrow(/^550 /);
    client.close();
  });

  it('greets with a refusal', async () => {
    faults = [{ on: 'CONNECT', reply: '421 Come back later.' }];
    await expect(login()).rejects.toThrow(/421/);
  });

  it('cuts a file off', async () => {
    faults = [{ on: 'STOR', cutAfterBytes: 10 }];
    const client = await login();
    await expect(client.uploadFrom(Readable.from(Buffer.alloc(5_000)), 'a.dsc')).rejects.toThrow();
    client.close();
    const upload = await handedOver();
    expect(readFileSync(join(incomingDir, upload, 'a.dsc')).length).toBeLessThanOrEqual(10);
  });
});
