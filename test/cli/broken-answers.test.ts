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
