import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { reachableBinaries } from '../../../main/embedded/postgres-binaries.ts';
import { postgresPart } from '../../../main/embedded/postgres.ts';
import { fakeDate } from '../../support/fake-date.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let server: Server;
let answer: [code: string, message: string];
let notes: string[];
let part: ReturnType<typeof postgresPart>;

/** A server that answers whoever connects with an error, and the part that takes it for its PostgreSQL. */
beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(errorResponse(...answer)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const state = temporaryDirectory();
  const { signal } = new AbortController();
  const { version } = await reachableBinaries(state, undefined, signal);
  mkdirSync(join(state, 'postgresql'));
  writeFileSync(join(state, 'postgresql/PG_VERSION'), `${version.split('.')[0]}\n`);
  part = postgresPart({
    directories: { state, cache: state },
    port: (server.address() as AddressInfo).port,
    password: 'wrong',
    account: undefined,
    durable: true,
  });
  notes = [];
  fakeDate(0);
  await part.prepare?.({
    signal,
    note: (text) => notes.push(text),
    run: () => Promise.reject(new Error('nothing has to be run')),
  });
});
afterEach(async () => {
  jest.useRealTimers();
  server.close();
  await once(server, 'close');
});

/** PostgreSQL's message of an error: severity, code and text. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E....');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

it('a recovery has an hour, and is told once after ten seconds', async () => {
  answer = ['57P03', 'the database system is starting up'];
  expect(part.startTimeoutMs).toBe(3_600_000);
  await expect(part.isReady()).rejects.toThrow('starting up');
  expect(notes).toEqual([]);
  jest.setSystemTime(10_000);
  for (let time = 0; time < 2; time++) await expect(part.isReady()).rejects.toThrow('starting up');
  expect(notes).toEqual([expect.stringContaining('recovers')]);
});

it('a server that refuses the password is not waited for', async () => {
  answer = ['28P01', 'password authentication failed'];
  expect(await part.isReady()).toBe(true);
  await expect(part.complete?.({} as never)).rejects.toThrow(
    'postgresql runs, but cannot be used: password authentication failed',
  );
});
