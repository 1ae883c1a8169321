import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { call, type World } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';
import { writeUpload } from './write-upload.ts';

/** Begins an answer of 1000 bytes and ends the connection within it. */
const cut =
  (status = 200): Answer =>
  (_, response) => {
    begin(status)(_, response);
    response.socket?.destroySoon();
  };
const begin =
  (status = 200): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"id": 7, "events": [');
  };
const page: Answer = (_, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');

/** Presses Ctrl-C once the answer to the request of that number has begun. */
function interruptedAt(number: number): World {
  const interruption = new AbortController();
  let asked = 0;
  return {
    interruption: interruption.signal,
    fetch: async (...request) => {
      const response = await fetch(...request);
      asked += 1;
      if (asked === number) setImmediate(() => interruption.abort());
      return response;
    },
  };
}

const build = json(200, { id: 5, ticket_id: 7, logs: ['/store/hello_1_amd64.build.log'] });
const submission = () => [
  'submit',
  writeUpload().changes,
  '--ppa=ppa:a/b',
  '--series=bookworm',
  '--archive=debian',
];
const CALLS: [name: string, args: () => string[], before: Answer[]][] = [
  ['ticket list', () => ['ticket', 'list'], []],
  ['ticket set-step', () => ['ticket', 'set-step', '7', '300'], []],
  ['history export', () => ['history', 'export', '5'], []],
  ['submit', submission, []],
  ['build logs', () => ['build', 'logs', '5'], [build]],
  ['build logs --json', () => ['build', 'logs', '5', '--json'], [build]],
];

describe('an answer to whoever may not read', () => {
  const server = useScript();

  it('says that the change is made', async () => {
    server.play((_, response) => response.writeHead(202).end());
    const { code, stderr } = await call(['ticket', 'set-step', '7', '300'], {
      env: server.environment,
    });
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('The request was done'),
    });
  });
});

describe('an answer that breaks off', () => {
  const server = useScript();

  it.each(CALLS)('ends %s with 6', async (_, args, before) => {
    server.play(...before, cut());
    const { code, stderr } = await call(args(), { env: server.environment });
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('incomplete') });
  });

  it('is told apart from an answer that is not of Airline', async () => {
    server.play(cut(500));
    const { stderr } = await call(['ticket', 'list', '--json'], {
      env: server.environment,
    });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'unreachable' } });
  });
});

describe('an answer that breaks off where the connection ends with it', () => {
  const server = useScript();
  const FILE = randomBytes(20_000).toString('hex');
  /** Half a file, as the API sends it: of no said length where it is compressed. */
  const halfOfFile: Answer = (request, response) => {
    const isPlain = request.headers['accept-encoding'] === 'identity';
    const bytes = isPlain ? Buffer.from(FILE) : gzipSync(FILE);
    response.writeHead(200, {
      'content-type': 'text/plain',
      connection: 'close',
      ...(isPlain ? { 'content-length': bytes.length } : { 'content-encoding': 'gzip' }),
    });
    response.write(bytes.subarray(0, bytes.length / 2));
    response.socket?.destroySoon();
  };

  it.each([
    ['build logs', ['build', 'logs', '5']],
    ['build logs --json', ['build', 'logs', '5', '--json']],
  ])('ends %s with 6, not with half a log and 0', async (_, args) => {
    server.play(build, halfOfFile);
    const { code, stderr } = await call(args, { env: server.environment });
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('incomplete') });
  });

  it('ends build download with 6 and no file, also of one without a checksum', async () => {
    const hello = { name: 'hello', version: '1', architecture: 'all', size: null, sha256: null };
    const url = `${server.environment.AIRLINE_URL}/pool/hello_1_all.deb`;
    server.play(json(200, { id: 5, built_packages: [{ ...hello, url }] }), halfOfFile);
    const folder = temporaryDirectory();
    const { code, stderr } = await call(['build', 'download', '5', '--to', folder], {
      env: server.environment,
    });
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('incomplete') });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is no answer to whoever may not read, where nothing of its JSON came', async () => {
    server.play((_, response) => {
      response.writeHead(202, { 'content-type': 'application/json', connection: 'close' });
      response.flushHeaders();
      response.socket?.destroySoon();
    });
    const { code, stderr } = await call(['ticket', 'set-step', '7', '300'], {
      env: server.environment,
    });
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('incomplete') });
  });
});

describe('Ctrl-C while an answer comes', () => {
  const server = useScript();

  it.each(CALLS)('ends %s with 130', async (_, args, before) => {
    server.play(...before, begin());
    const { code, stderr } = await call(args(), {
      env: server.environment,
      ...interruptedAt(before.length + 1),
    });
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('nterrupted') });
  });

  it('says which build was requested', async () => {
    const artifacts = [{ type: 'SPU', reference: 'http://x.example/a.dsc' }];
    const ticket = json(200, { subtickets: [{ replaced_by: null, artifacts }] });
    const made = json(202, { id: 5, ticket_id: 7, source_packages: [] });
    server.play(ticket, made, begin());
    const called = await call(['build', 'request', '7', '--ppa', 'a/b', '--series', 'noble'], {
      env: server.environment,
      ...interruptedAt(3),
    });
    expect(called).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('airline build watch 5'),
    });
  });
});

describe('a page where JSON is due', () => {
  const server = useScript();

  it.each(CALLS.slice(0, 4))('ends %s with 6', async (_, args, before) => {
    server.play(...before, page);
    const { code, stderr } = await call(args(), { env: server.environment });
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringContaining('does not answer as Airline does (HTTP 200, text/html)'),
    });
  });
});
