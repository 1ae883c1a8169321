import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildCommand, type BuiltCommand } from './built-command.ts';
import { call, jsonLines } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';

const run = promisify(execFile);
const LOG = 'a line of the log\n'.repeat(2_000);

/** Runs a line of the shell. */
const shell = (line: string, env: Record<string, string>) =>
  run('sh', ['-c', line], { env: { PATH: process.env['PATH'] ?? '', ...env } }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );

describe('standard output that cannot be written', () => {
  const server = useScript();
  let command: BuiltCommand;
  beforeAll(async () => {
    command = await buildCommand();
  }, 300_000);

  const page = json(200, {
    meta: { limit: 20, offset: 0, total_count: 1, next: null, previous: null },
    objects: [{ id: 5, ticket_id: 7, phase: 'completed', source_packages: [] }],
  });
  const logsOf =
    (...names: readonly string[]): Answer =>
    (request, response) =>
      request.url?.endsWith('.log')
        ? response.end(LOG)
        : json(200, { id: 5, logs: names.map((name) => `/store/${name}.log`) })(request, response);
  const log = logsOf('hello_1_amd64.build');

  /** The first message of a build that goes on. */
  const running: Answer = (request, response) => {
    if (!request.url?.endsWith('/events/')) return json(200, { id: 5 })(request, response);
    const message = {
      seq: 1,
      message: 'STARTED',
      phase: 'checking',
      attempt: 1,
      timestamp: '2026-01-01T00:00:00.000Z',
      builds: [],
      logs: [],
    };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`id: 1\nevent: STARTED\ndata: ${JSON.stringify(message)}\n\n`);
  };

  it.each<[string, Answer]>([
    ['--version', page],
    ['build list', page],
    ['build list --json', page],
    ['build logs 5', log],
  ])('%s > /dev/full says so and ends with 1', async (args, answer) => {
    server.play(answer);
    const { code, stderr } = await shell(
      `${process.execPath} ${command.path} ${args} > /dev/full`,
      server.environment,
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('Standard output cannot be written: no space is left'),
    });
    expect(stderr.includes('"error"')).toBe(args.includes('--json'));
    expect(stderr).not.toContain('    at ');
  });

  it('a disk that fills up within a log ends with 1, not with half of it and 0', async () => {
    server.play(log);
    const directory = temporaryDirectory();
    const { code, stderr } = await shell(
      `unshare --map-root-user --mount sh -c 'mount -t tmpfs -o size=8k tmpfs ${directory} &&
        exec ${process.execPath} ${command.path} build logs 5 > ${directory}/log'`,
      server.environment,
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('no space is left on the device'),
    });
  });

  it.each<[string, Answer]>([
    ['build list', page],
    ['build logs 5', log],
    ['build watch 5', running],
    // The title of a log goes to standard error, and is the first that finds nobody.
    ['build logs 5 2>&1', logsOf('hello_1_amd64.build', 'hello_1_arm64.build')],
  ])(
    'a reader that has seen enough ends %s with 141, and nothing is said',
    async (args, answer) => {
      server.play(answer);
      const gone = join(temporaryDirectory(), 'gone');
      const code = join(temporaryDirectory(), 'code');
      const { stderr } = await shell(
        `mkfifo ${gone}; { read _ < ${gone}; ${process.execPath} ${command.path} ${args}; echo $? > ${code}; } |
        { exec <&-; echo > ${gone}; }`,
        server.environment,
      );
      expect({ code: readFileSync(code, 'utf8'), stderr }).toEqual({ code: '141\n', stderr: '' });
    },
  );
});

describe('many logs', () => {
  const server = useScript();
  let command: BuiltCommand;
  beforeAll(async () => {
    command = await buildCommand();
  }, 300_000);

  const names = Array.from({ length: 12 }, (_, at) => `hello_${at}_amd64.build.log`);

  it.each(['| cat > OUT', '> OUT'])(
    'are printed whole, with their titles alone beside them: %s',
    async (into) => {
      server.play((request, response) =>
        request.url?.endsWith('.log')
          ? response.end(LOG)
          : json(200, { id: 5, logs: names.map((name) => `/store/${name}`) })(request, response),
      );
      const path = join(temporaryDirectory(), 'logs');
      const { code, stderr } = await shell(
        `${process.execPath} ${command.path} build logs 5 ${into.replace('OUT', path)}`,
        server.environment,
      );
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: names.map((name) => `==> ${name} <==\n`).join(''),
      });
      expect(readFileSync(path, 'utf8')).toBe(LOG.repeat(names.length));
    },
  );
});

describe('--quiet with --json', () => {
  const server = useScript();
  const busy = json(503, {}, { 'retry-after': '0' });
  const list = (...flags: string[]) =>
    call(['ticket', 'list', '--json', ...flags], { env: server.environment });

  it('prints the result alone, which --json does with its notices', async () => {
    const page = { meta: { total_count: 0, offset: 0 }, objects: [] };
    server.play(busy, json(200, page));
    expect(await list()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('trying again'),
    });
    server.play(busy, json(200, page));
    const { code, stdout, stderr } = await list('--quiet');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(jsonLines(stdout)).toEqual([page]);
  });

  it('prints the error alone', async () => {
    server.play(busy, json(403, { status: 403, code: 'forbidden', detail: 'No.', hint: '' }));
    const { code, stdout, stderr } = await list('--quiet');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(jsonLines(stderr)).toEqual([{ error: expect.objectContaining({ code: 'forbidden' }) }]);
  });
});
