import { programArguments, runConsecutively, runProgram } from '../support/program.ts';

jest.setTimeout(600_000);

/** The commands of a developer, as package.json has them. With 1 they say that they have found a fault. */
const COMMANDS = {
  bench: 'bench/run.ts',
  chaos: 'test/chaos/run.ts',
  'compose:check': 'test/compose/run.ts',
  demo: 'main/demo.ts',
  fuzz: 'test/fuzz/run.ts',
  'histories:record': 'test/histories/record.ts',
  'test:times': 'scripts/test-times.ts',
} as const;
type Name = keyof typeof COMMANDS;

const MISTYPED = (Object.keys(COMMANDS) as Name[]).map((name) => ({
  name,
  args: ['--no-such-option'],
}));
const FOR_NOTHING = [
  { name: 'fuzz', args: ['--requests', '0'], why: 'npm run fuzz ' },
  {
    name: 'bench',
    args: ['landings', 'flight', '--rounds', '3'],
    why: '--rounds is no option of landings, flight',
  },
  {
    name: 'bench',
    args: ['watch', 'accept', '--builds', '100000'],
    why: '--builds of accept is from 20 to 10000',
  },
  { name: 'bench', args: ['landings', 'landing'], why: 'There is no benchmark landing.' },
] as const;

type Call = { name: Name; args: readonly string[] };
const answers = new Map<Call, Awaited<ReturnType<typeof runProgram>>>();
beforeAll(async () => {
  const calls: Call[] = [...MISTYPED, ...FOR_NOTHING];
  const ended = await runConsecutively(
    calls.map(({ name, args }) => ({ program: COMMANDS[name], args })),
  );
  for (const [at, answer] of ended.entries()) if (calls[at]) answers.set(calls[at], answer);
});

describe('a mistyped option', () => {
  it.each(MISTYPED.map((call) => [call.name, call] as const))(
    'ends npm run %s with 2, after it has said how it is called',
    (name, call) => {
      const { code, stdout, stderr } = answers.get(call) ?? {};

      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^Unknown option '--no-such-option'/);
      expect(stderr).toContain(`\n\nnpm run ${name} `);
    },
  );
});

describe('a call that would measure or check nothing of what it says', () => {
  it.each(FOR_NOTHING.map((call) => [call.name, call.args, call] as const))(
    'ends npm run %s with 2: %j',
    (_name, _args, call) => {
      const { code, stdout, stderr } = answers.get(call) ?? {};

      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr?.slice(0, call.why.length)).toBe(call.why);
    },
  );
});

describe('a process of its own', () => {
  const testTimes = async (...args: string[]) =>
    runProgram([...(await programArguments(COMMANDS['test:times'])), ...args]);

  it('ends with 2 where the call is without what the command is about', async () => {
    const { code, stdout, stderr } = await testTimes('--top', '3');

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^npm run test:times /);
  });

  it('ends with 0 after --help, which says how the command is called, on standard output', async () => {
    const { code, stdout, stderr } = await testTimes('--help');

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^npm run test:times /);
  });
});
