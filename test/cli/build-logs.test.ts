import { call, type World } from './call.ts';

const BUILD = { id: 5, ticket_id: 7, logs: ['/store/hello_1_amd64.build.log'] };
const environment = { AIRLINE_URL: 'http://127.0.0.1:1' };

/** A server whose log comes in these parts. */
function logIn(...parts: readonly string[]): World {
  return {
    env: environment,
    fetch: async (url) =>
      url instanceof URL && url.pathname.endsWith('.log')
        ? new Response(ReadableStream.from(parts.map((part) => new TextEncoder().encode(part))))
        : Response.json(BUILD),
  };
}

describe('build logs', () => {
  it.each([
    ['within a part', ['one\r\ntwo\r\n']],
    ['between two parts', ['one\r', '\ntwo\r', '', '\n']],
  ])('shows a line end of two characters %s as one on a terminal', async (_, parts) => {
    const { stdout } = await call(['build', 'logs', '5'], { ...logIn(...parts), isTerminal: true });
    expect(stdout).toBe('one\ntwo\n');
  });

  it('shows a carriage return that is not part of a line end as a character', async () => {
    const world = { ...logIn('10 %\r', '20 %\r'), isTerminal: true };
    expect((await call(['build', 'logs', '5'], world)).stdout).toBe('10 %␍20 %␍');
  });

  it('gives a pipe the bytes as they are', async () => {
    const { stdout } = await call(['build', 'logs', '5'], logIn('one\r', '\n\u001b[1m'));
    expect(stdout).toBe('one\r\n\u001b[1m');
  });
});

describe('build logs that are not there', () => {
  it.each([
    [['--architecture', 'riscv64']],
    [['--package', 'nope']],
    [['--list', '--package', 'nope']],
  ])('%j: not found, and which there are', async (more) => {
    const { code, stdout, stderr } = await call(['build', 'logs', '5', ...more], logIn());
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('hello_1_amd64.build.log');
  });

  it('an attempt that is not there: not found', async () => {
    const world = { env: environment, fetch: async () => Response.json({ objects: [{}] }) };
    const { code, stderr } = await call(['build', 'logs', '5', '--attempt', '9'], world);
    expect(code).toBe(3);
    expect(stderr).toContain('Build 5 has no attempt 9.');
  });
});
