import { programArguments, runProgram } from '../support/program.ts';

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
};

/** Calls a command. */
async function call(path: string, ...args: string[]) {
  return runProgram([...(await programArguments(path)), ...args]);
}

describe('a mistyped option', () => {
  it.each(Object.entries(COMMANDS))(
    'ends npm run %s with 2, after it has said how it is called',
    async (name, path) => {
      const { code, stdout, stderr } = await call(path, '--no-such-option');

      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^Unknown option '--no-such-option'/);
      expect(stderr).toContain(`\n\nnpm run ${name} `);
    },
  );
});

it('a call without what the command is about ends it with 2', async () => {
  const { code, stdout, stderr } = await call(COMMANDS['test:times'], '--top', '3');

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^npm run test:times /);
});

describe('a call that would measure or check nothing of what it says', () => {
  it.each([
    ['fuzz', ['--requests', '0'], 'npm run fuzz '],
    ['bench', ['landings', 'flight', '--rounds', '3'], '--rounds is no option of landings, flight'],
    ['bench', ['watch', 'accept', '--builds', '100000'], '--builds of accept is from 20 to 10000'],
    ['bench', ['landings', 'landing'], 'There is no benchmark landing.'],
  ] as const)('ends npm run %s with 2: %j', async (name, args, why) => {
    const { code, stdout, stderr } = await call(COMMANDS[name], ...args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.slice(0, why.length)).toBe(why);
  });
});

it('--help says how a command is called, on standard output', async () => {
  const { code, stdout, stderr } = await call(COMMANDS['test:times'], '--help');

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^npm run test:times /);
});
