import { InvalidArgumentError } from 'commander';
import { parseId, parseMoment } from '../../cli/definition/argument-parsers.ts';
import { allCommands, commandTree } from '../../cli/definition/command-tree.ts';
import { descriptionOf } from '../../cli/definition/command-help.ts';
import { createRootCommand } from '../../cli/root-command.ts';
import { call } from './call.ts';

const program = createRootCommand('1.2.3', {
  local: () => async () => undefined,
  remote: () => async () => undefined,
});
const commands = allCommands(commandTree(program)).filter(({ children }) => children.length === 0);

describe('help', () => {
  it.each(commands.map(({ path }) => [path]))('of %s has a usage and an example', async (path) => {
    const { code, stdout, stderr } = await call([...path.split(' ').slice(1), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${path}`);
    expect(stdout).toMatch(/\nExamples:\n {2}\S/);
  });

  it.each(commands.map((node) => [node.path, node] as const))(
    'the examples of %s are calls that it takes',
    (path, { command }) => {
      const { examples = [], json } = descriptionOf(command) ?? {};
      expect(examples.length).toBeGreaterThan(0);
      expect(json).toBeDefined();
      for (const [line] of examples) {
        expect(line).toContain('airline');
        // Without quotes, a shell takes the word for somebody's home folder.
        expect(line).not.toMatch(/\s~[^/]/);
        const flags = line.match(/(?<= )--?[a-z][a-z-]*/g) ?? [];
        const known = [...command.options, ...program.options].flatMap(({ long, short }) => [
          long,
          short,
        ]);
        expect(known).toEqual(expect.arrayContaining(flags));
      }
      expect(path).toMatch(/^airline /);
    },
  );

  it('is printed for `help` and a command, too', async () => {
    expect((await call(['help', 'build'])).stdout).toContain('Usage: airline build');
    expect((await call(['build', 'help', 'logs'])).stdout).toContain('Usage: airline build logs');
    expect((await call(['help', 'build', 'logs'])).stdout).toContain('Usage: airline build logs');
    expect((await call(['help'])).stdout).toContain('Usage: airline [options] [command]');
  });

  it('is listed for `help` where there are commands to choose from', async () => {
    for (const args of [['--help'], ['build', '--help']])
      expect((await call(args)).stdout).toMatch(/\n {2}help \[command\.\.\.\] +print the help/);
    expect((await call(['build', 'logs', '--help'])).stdout).not.toContain('help [command...]');
  });

  it.each([
    ['help biuld', 'airline', 'biuld'],
    ['help build nosuch', 'airline build', 'nosuch'],
    ['build help nosuch', 'airline build', 'nosuch'],
    ['help build logs nosuch', 'airline build logs', 'nosuch'],
  ])('of a command that there is not is a wrong call: %s', async (line, within, word) => {
    expect(await call(line.split(' '))).toEqual({
      code: 2,
      stdout: '',
      stderr: `airline: There is no command \`${within} ${word}\`.\n  → \`${within} --help\` shows what there is.\n`,
    });
  });

  it('without a command is a wrong call', async () => {
    expect(await call(['build'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('tells the version', async () => {
    expect(await call(['--version'])).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' });
  });
});

describe('a wrong call', () => {
  it.each([
    ['an unknown command', ['tikcet'], 'Did you mean ticket?'],
    ['an unknown option', ['ticket', 'list', '--stp', '1'], 'Did you mean --step?'],
    ['no argument', ['build', 'show'], "Missing required argument 'build'"],
    ['an id that is none', ['build', 'show', 'seven'], 'Give its number'],
    [
      'the address of something else',
      ['landing', 'approve', 'http://h/ticket/3', '--comment', 'x'],
      'That is not the address of a landing.',
    ],
    [
      'the address of something else among ids',
      ['build', 'cancel', '7,http://h/ticket/7'],
      'That is not the address of a build.',
    ],
    [
      'the address of something else in an option',
      ['submit', 'x.changes', '--ppa=a/b', '--series=noble', '--ticket=http://h/api/v1/build/12/'],
      'That is not the address of a ticket.',
    ],
    ['an unknown step', ['ticket', 'set-step', '1', 'nearly'], '300 (Image Building)'],
    ['a limit beyond what there is', ['ticket', 'list', '--limit', '0'], 'from 1 to 1000'],
    ['a time that is none', ['build', 'watch', '1', '--timeout', 'soon'], '90s, 15m or 2h'],
    [
      'a day that there is not',
      ['build', 'list', '--since', '2026-02-30T00:00:00Z'],
      'Give a time with its zone',
    ],
    [
      'a day that there is not, in a zone',
      ['landing', 'override', '7', '--source=a', '--reason=x', '--until=2026-02-30T23:00:00-05:00'],
      'Give a time with its zone',
    ],
    [
      'a length of time that leads out of the calendar',
      ['build', 'list', '--since', '9999999d'],
      "'9999999d' is not in the years 1970 to 9999.",
    ],
    [
      'a length of time from now on that does',
      ['landing', 'override', '7', '--source=a', '--reason=x', '--until=9999999d'],
      "'9999999d' is not in the years 1970 to 9999.",
    ],
    ['an unknown form', ['ticket', 'list', '-o', 'xml'], 'table, wide, json'],
    ['an unknown shell', ['completion', 'csh'], 'bash, zsh, fish'],
    [
      'an unknown state',
      ['build', 'list', '--state', 'lost'],
      'The states are queued, merging, checking,',
    ],
    [
      'a title that no list can show',
      ['ticket', 'create', '--owner=a@example.org', `--title=${'x'.repeat(256)}`],
      'Give a title of 255 characters at most',
    ],
    ['a PPA of no form', ['build', 'list', '--ppa', 'greetings'], 'Enter ppa:owner/name'],
    [
      'a PPA that a shell has made a path of',
      ['ppapool', 'add', '/home/ann/ubuntu/silo-1'],
      'In a shell, what begins with ~ needs quotes.',
    ],
    ['a token by neither name nor id', ['token', 'revoke'], 'Give the name of a token'],
    [
      'a token that would outlive every date',
      ['token', 'create', '--name=a', '--scope=read', '--days=999999999'],
      'A token is valid for 3652 days at most',
    ],
    ['a required option missing', ['submit', 'x.changes'], "Required option '--ppa"],
  ])('%s: says so and ends with 2', async (_, args, said) => {
    const { code, stdout, stderr } = await call(args, {
      fetch: () => {
        throw new Error('nothing may be sent');
      },
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['wait', 'submit x.changes --ppa a/b --series noble'],
    ['wait', 'build request 7 --ppa a/b --series noble'],
    ['wait', 'build retry 7'],
    ['wait', 'build cancel 7'],
    ['wait', 'ticket land 7 --target ubuntu --series noble'],
    ['wait', 'landing retry 7'],
    ['wait', 'landing cancel 7'],
    ['follow', 'build logs 7'],
    ['follow', 'build events 7'],
    ['follow', 'queue tail lander'],
  ])('--timeout without --%s is one: %s', async (waiting, line) => {
    let asked = 0;
    const { code, stderr } = await call([...line.split(' '), '--timeout', '1h'], {
      fetch: async () => {
        asked += 1;
        return Response.json({});
      },
    });
    expect({ code, asked }).toEqual({ code: 2, asked: 0 });
    expect(stderr).toContain(`--timeout limits --${waiting}, which is not given.`);
  });

  it.each(['--json', '-ojson', '-qojson', '-qo json', '--output=json'])(
    'is one JSON object on standard error with %s',
    async (form) => {
      const { stderr } = await call(['build', 'show', 'seven', ...form.split(' ')]);
      expect(JSON.parse(stderr)).toEqual({
        error: {
          code: 'usage',
          exit: 2,
          message: expect.stringContaining('seven'),
          hint: expect.stringContaining('--help'),
          details: [],
        },
      });
    },
  );
});

describe('an id', () => {
  it.each([
    ['build', '7'],
    ['build', '/api/v1/build/7/'],
    ['build', 'http://h/airline/api/v1/build/7/'],
    ['build', 'http://h/build/7'],
    ['build', 'http://h/api/v1/buildsummary/7/'],
    ['ticket', 'http://h/api/v1/fullticket/7/'],
    ['delivery', '/api/v1/webhook/3/deliveries/7/'],
  ] as const)('of a %s is taken from %s', (kind, text) => {
    expect(parseId(kind)(text)).toBe(7);
  });

  it('of a delivery may be greater than an integer holds', () => {
    expect(parseId('delivery')('4294967296')).toBe(4_294_967_296);
  });

  it.each([
    ['ticket', '/api/v1/subticket/7/'],
    ['webhook', '/api/v1/webhook/3/deliveries/7/'],
    ['build', 'http://h:8080/7'],
    ['build', '0'],
  ] as const)('of a %s is not taken from %s', (kind, text) => {
    expect(() => parseId(kind)(text)).toThrow(InvalidArgumentError);
  });
});

describe('a moment', () => {
  it.each([
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-12-31T23:30:00-05:00', '2027-01-01T04:30:00.000Z'],
    ['2026-01-01T00:30:00+05:30', '2025-12-31T19:00:00.000Z'],
  ])('is taken from %s', (text, moment) => {
    expect(parseMoment(text)(new Date(0)).toISOString()).toBe(moment);
  });
});

describe('something unforeseen', () => {
  const world = {
    fetch: () => {
      throw new TypeError('a fault of ours');
    },
    sleep: async () => undefined,
    now: () => {
      throw new RangeError('a clock that is broken');
    },
  };

  it('shows no stack', async () => {
    const { code, stderr } = await call(
      ['token', 'create', '--name', 'a', '--scope', 'read', '--days', '1'],
      world,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('Something unforeseen went wrong: a clock that is broken');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('shows it with --debug', async () => {
    const { stderr } = await call(
      ['token', 'create', '--name', 'a', '--scope', 'read', '--days', '1', '--debug'],
      world,
    );
    expect(stderr).toMatch(/RangeError: a clock that is broken\n\s+at /);
  });
});
