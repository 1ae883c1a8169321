import { buildCommand, type BuiltCommand } from './built-command.ts';
import { call, jsonLines, slowTime } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';

const URL = '/store/builds/5/hello_1_amd64.build.log';
const ONE = { package: 'hello', version: '1', architecture: 'amd64', state: 'building' };
const build = (more: object = {}) =>
  json(200, {
    id: 5,
    attempt: 1,
    builds: [ONE],
    logs: [],
    failure: null,
    finished_at: null,
    ...more,
  });
const ended = (more: object = {}) =>
  build({ finished_at: '2026-01-01T00:00:00.000Z', logs: [URL], ...more });
const tail = (text: string, more: object = {}) =>
  json(200, { attempt: 1, text, end: text.length, problem: null, log: null, ...more });
const log: (text: string) => Answer = (text) => (_, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
};
/** The whole log is read twice where lines of it were printed before. */
const twice = (answer: Answer): [Answer, Answer] => [answer, answer];
/** A log that begins with this text and does not come to its end. */
const cut: (text: string, then?: 'lost' | 'stalled') => Answer =
  (text, then = 'lost') =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write(text, () => then === 'lost' && request.socket.destroy());
  };
const never: Answer = () => undefined;
const away: Answer = (request) => request.socket.destroy();

describe('following the log of a build', () => {
  const server = useScript();
  const follow = (...more: string[]) =>
    call(['build', 'logs', '5', '--follow', ...more], { env: server.environment, ...slowTime() });

  it('prints each line once, over an outage, and the rest when the build has ended', async () => {
    server.play(
      build(),
      tail('thin\ntwo'),
      away,
      build(),
      tail('thin\ntwo\nthr'),
      ended(),
      tail('thin\ntwo\nthr', { log: URL }),
      ...twice(log('zero\nwithin\n\ntwo \nthree\n\nfour\n')),
    );
    const { code, stdout, stderr } = await follow();
    expect(stdout).toMatch(/^thin\ntwo\nthree\n\nfour\n\n✓ Build 5 is complete\.\n/);
    expect(stderr).toContain('Connected again');
    expect(code).toBe(0);
  });

  it('leaves no gap before its end: what was written too fast comes from the whole log', async () => {
    server.play(
      build(),
      tail('one\ntwo\n'),
      ended(),
      tail('nine\nten\n', { end: 4_000, log: URL }),
      ...twice(log('one\ntwo\nthree\nnine\nten\n')),
    );
    const { stdout } = await follow();
    expect(stdout).toMatch(/^one\ntwo\nthree\nnine\nten\n\n✓ Build 5 is complete\.\n/);
  });

  it('finds the rest of the whole log by what came after a gap, which may begin within a line', async () => {
    server.play(
      build(),
      tail('one\ntw'),
      build(),
      tail('ne\nten\n', { end: 4_000 }),
      ended(),
      tail('', { log: URL }),
      ...twice(log('one\ntwo\nthree\nnine\nten\neleven\n')),
    );
    const { stdout, stderr } = await follow();
    expect(stdout).toMatch(/^one\ntw\n\[airline: .*\]\nne\nten\neleven\n\n✓/);
    expect(stderr).not.toContain('Cannot find where');
  });

  it('ends with the code of a build that failed, with an object for each line as JSON', async () => {
    const failure = { class: 'build_failed', message: 'x', retryable: false, hint: 'y' };
    server.play(ended({ failure }), tail('', { log: URL }), log('one\ntwo\n'));
    const { code, stdout } = await follow('--json');
    expect(jsonLines<object>(stdout)).toEqual(
      ['one', 'two'].map((text) => ({ package: 'hello', architecture: 'amd64', text })),
    );
    expect(code).toBe(1);
  });

  it('ends as the build did whose log it printed, where that is retried meanwhile', async () => {
    const failure = { class: 'build_failed', message: 'x', retryable: false, hint: 'y' };
    server.play(ended({ failure }), tail('', { log: URL }), log('one\n'), build());
    const { code, stdout } = await follow();
    expect(stdout).toMatch(/^one\n\n✗ Build 5 failed: build_failed\n/);
    expect(code).toBe(1);
  });

  it.each([
    ['for people', [], /^one\ntwo: error: no space left\n\n✗ Build 5 failed/],
    ['as JSON', ['--json'], /"text":"one"\}\n\{.*"text":"two: error: no space left"\}\n/],
    ['for a script', ['--quiet'], /^one\ntwo: error: no space left\n/],
  ])('prints a last line without an end where there is no whole log, %s', async (_, form, said) => {
    const failure = { class: 'build_failed', message: 'x', retryable: false, hint: 'y' };
    server.play(
      build(),
      tail('one\ntwo: err'),
      ended({ failure, logs: [] }),
      tail('one\ntwo: error: no space left'),
    );
    const { code, stdout } = await follow(...form);
    expect(code).toBe(1);
    expect(stdout).toMatch(said);
    expect(stdout.match(/no space left/g)).toHaveLength(1);
  });

  it('shows no colour of a log on a terminal, where colours are of the command', async () => {
    server.play(ended({ logs: [] }), tail('one\n\u001b[31mtwo\n'));
    const { stdout } = await call(['build', 'logs', '5', '--follow'], {
      env: server.environment,
      ...slowTime(),
      isTerminal: true,
    });
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'one',
      '␛[31mtwo',
      '',
      '\u001b[32m✓ Build 5 is complete.\u001b[39m',
    ]);
  });

  it('says once why the PPA shows nothing, and gives the log at the end', async () => {
    const problem = { code: 'not_public', message: 'Signed in only.' };
    server.play(
      build(),
      tail('', { problem }),
      build(),
      tail('', { problem }),
      ended(),
      tail('', { log: URL }),
      log('all of it\n'),
    );
    const { stdout, stderr } = await follow();
    expect(stdout).toContain('all of it\n');
    expect(stderr.match(/Signed in only/g)).toHaveLength(1);
  });

  it('prints each log once where the connection is lost between two, or within one', async () => {
    const builds = [ONE, { ...ONE, architecture: 'arm64' }];
    server.play(
      ended({ builds }),
      tail('', { log: URL }),
      log('a\nb\n'),
      tail('', { log: URL }),
      cut('c\nd\nhal'),
      ended({ builds }),
      tail('', { log: URL }),
      log('c\nd\nhalf\ne\n'),
    );
    const { code, stdout } = await follow();
    expect(stdout.split('\n').filter((line) => line.startsWith('hello/'))).toEqual([
      'hello/amd64: a',
      'hello/amd64: b',
      'hello/arm64: c',
      'hello/arm64: d',
      'hello/arm64: half',
      'hello/arm64: e',
    ]);
    expect(code).toBe(0);
  });

  it.each([
    ['is empty at first', [tail('', { end: 0 }), build(), tail('three\n')]],
    ['is longer by now', [tail('three\n')]],
  ])('joins no line of a tail that began anew, and %s, to one from before', async (_, anew) => {
    server.play(
      build(),
      tail('one\nt'),
      build(),
      ...anew,
      ended(),
      tail('', { log: URL }),
      ...twice(log('one\ntwo\nthree\nfour\n')),
    );
    const { stdout } = await follow();
    expect(stdout).toMatch(/^one\nt\n\[airline: .*\]\nthree\nfour\n\n✓/);
  });

  it('prints the tail of a later attempt, and then the rest of its log', async () => {
    const second = { attempt: 2 };
    server.play(
      build(),
      tail('one\ntw'),
      build(second),
      tail('zero\none\n', second),
      ended(second),
      tail('', { log: URL, ...second }),
      ...twice(log('zero\none\nnine\n')),
    );
    const { stdout } = await follow();
    expect(stdout).toMatch(/^one\ntw\n\[airline: .*\]\nzero\none\nnine\n\n✓/);
  });

  it('prints all the log of a later attempt of which it has seen nothing', async () => {
    const second = { attempt: 2 };
    server.play(
      build(),
      tail('one\nnine\n'),
      ended(second),
      tail('', { log: URL, ...second }),
      log('zero\nnine\n'),
    );
    const { stdout } = await follow();
    expect(stdout).toMatch(/^one\nnine\n\[airline: .*\]\nzero\nnine\n\n✓/);
  });

  it('prints the log of a later attempt where that of the one before was printed whole', async () => {
    const builds = [ONE, { ...ONE, architecture: 'arm64' }];
    const second = { attempt: 2 };
    server.play(
      ended({ builds }),
      tail('', { log: URL }),
      log('a\n'),
      away,
      ended({ builds, ...second }),
      tail('', { log: URL, ...second }),
      log('b\n'),
      tail('', { log: URL, ...second }),
      log('c\n'),
    );
    const { stdout } = await follow();
    expect(stdout).toMatch(/^hello\/amd64: a\nhello\/amd64: b\nhello\/arm64: c\n\n✓/);
  });

  it('gives up in the end where the log alone cannot be read', async () => {
    server.play((request, response) => {
      const { url = '' } = request;
      if (url.startsWith('/store/')) response.writeHead(503).end();
      else (url.includes('/log_tail/') ? tail('', { log: URL }) : ended())(request, response);
    });
    const { code, stderr } = await follow();
    expect(code).toBe(6);
    expect(stderr.match(/Lost the connection/g)).toHaveLength(1);
  });

  it('says where the place to go on is not found', async () => {
    server.play(build(), tail('one\ntwo\n'), ended(), tail('', { log: URL }), log('another\n'));
    const { stdout, stderr } = await follow();
    expect(stdout).toMatch(/^one\ntwo\n\n✓/);
    expect(stderr).toContain(
      'Cannot find where to continue in this log: `airline build logs 5` prints all of it.',
    );
  });

  it('names the build of each line where there are several, unless one is chosen', async () => {
    const builds = [ONE, { ...ONE, architecture: 'arm64' }];
    server.play(ended({ builds, logs: [] }), tail('a\nb\n'), tail('c\nd\n'));
    const { stdout } = await follow();
    expect(stdout).toMatch(/^hello\/amd64: a\nhello\/amd64: b\nhello\/arm64: c\nhello\/arm64: d\n/);
    server.play(ended({ builds, logs: [] }), tail('c\n'));
    expect((await follow('--architecture', 'arm64')).stdout).toMatch(/^c\n/);
  });

  it('ends with 7 when the time is over, after the last whole line', async () => {
    server.play(build(), tail('thin\ntwo\nhal'), build(), never);
    const { code, stdout, stderr } = await follow('--timeout', '5s');
    expect({ code, stdout, stderr }).toEqual({
      code: 7,
      stdout: 'thin\ntwo\n',
      stderr:
        'airline: Not finished within 5 s.\n  → Build 5 goes on. `airline build logs 5 --follow` comes back to it.\n',
    });
    server.play(ended(), tail('', { log: URL }), cut('one\nhal', 'stalled'));
    expect(await follow('--timeout', '5s')).toMatchObject({ code: 7, stdout: 'one\n' });
    server.play(never);
    expect(await follow('--timeout', '1s', '--json')).toEqual({
      code: 7,
      stdout: '',
      stderr: expect.stringContaining('"code":"timed_out"'),
    });
  });

  describe('at Ctrl-C', () => {
    let command: BuiltCommand;
    beforeAll(async () => {
      command = await buildCommand();
    }, 300_000);

    it('ends with 130 after the last whole line, and says how to come back', async () => {
      const interruption = new AbortController();
      server.play(build(), tail('thin\ntwo\nhal'), build(), () => interruption.abort());
      const { code, stdout, stderr } = await call(['build', 'logs', '5', '--follow'], {
        env: server.environment,
        ...slowTime(),
        interruption: interruption.signal,
      });
      expect({ code, stdout, stderr }).toEqual({
        code: 130,
        stdout: 'thin\ntwo\n',
        stderr:
          'airline: Interrupted.\n  → Build 5 goes on. `airline build logs 5 --follow` comes back to it.\n',
      });
    });

    it('in a terminal takes back what may still go on', async () => {
      server.play(build(), tail('thin\ntwo\nhal'), build(), never);
      const { code, screen } = await command.inTerminal(
        ['build', 'logs', '5', '--follow', '--no-color'],
        server.environment,
        [{ once: 'hal', type: '\u0003' }],
      );
      expect(code).toBe(130);
      const [printed, ...live] = screen.split('\r\u001b[K');
      expect(printed).toBe('thin\ntwo\n');
      expect(live[0]).toMatch(/^hal/);
      expect(live.at(-1)).toMatch(/^airline: Interrupted\.\n/);
    });
  });
});
