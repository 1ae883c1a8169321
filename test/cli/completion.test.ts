import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runInTerminal } from './built-command.ts';
import { call } from './call.ts';

const run = promisify(execFile);

/** What a terminal sends for the arrow to the left. */
const LEFT = '\u001b[D';

/**
 * What bash offers for the last word of a line, in a folder with one .changes and one other file.
 *
 * @param world.compopt stands for the builtin of that name, which a shell of a person has
 * @param world.ids what the command prints where it is asked for ids
 */
async function offered(
  line: string,
  { directory = temporaryDirectory(), compopt = ':', ids = ['12', '11'] } = {},
): Promise<string[]> {
  const script = join(directory, 'completion.bash');
  writeFileSync(script, (await call(['completion', 'bash'])).stdout);
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'bin/airline'), `#!/bin/sh\ncat <<'END'\n${ids.join('\n')}\nEND\n`);
  chmodSync(join(directory, 'bin/airline'), 0o755);
  mkdirSync(join(directory, 'files'));
  for (const name of ['hello_1_source.changes', 'hello_1.dsc'])
    writeFileSync(join(directory, 'files', name), '');
  const words = line.split(' ');
  const { stdout } = await run(
    'bash',
    [
      '-c',
      `compopt() { ${compopt}; }; source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _airline; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      ...words,
    ],
    {
      cwd: join(directory, 'files'),
      env: { PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}` },
    },
  );
  return stdout.split('\n').filter((word) => word !== '');
}

describe('completion in bash', () => {
  it.each([
    ['airline bui', ['build']],
    ['airline build ca', ['cancel']],
    ['airline build list --st', ['--state']],
    ['airline ticket list --step image-', ['image-building', 'image-testing']],
    [
      'airline build list --state ',
      [
        'queued',
        'merging',
        'checking',
        'uploading',
        'accepting',
        'waiting-for-builder',
        'building',
        'dependency-wait',
        'prerequisite-wait',
        'collecting',
        'completed',
        'failed',
        'cancelled',
      ],
    ],
    ['airline -o ', ['table', 'wide', 'json']],
    ['airline --json build wa', ['watch']],
    ['airline build watch ', ['12', '11']],
    ['airline build list --ticket ', ['12', '11']],
    ['airline landing approve ', ['12', '11']],
    ['airline landing list --phase ap', ['approving']],
    ['airline ticket land 7 --pocket P', ['Proposed']],
    ['airline submit hello', ['hello_1_source.changes', 'hello_1.dsc']],
    ['airline import binary-packages hello_1.', ['hello_1.dsc']],
    ['airline completion f', ['fish']],
    ['airline build cancel 7 ', ['12', '11']],
    ['airline ticket set-step ', ['12', '11']],
    ['airline ticket set-step 7 image-', ['image-building', 'image-testing']],
    ['airline ticket set-step 7 --json image-', ['image-building', 'image-testing']],
    ['airline ticket set-step --reason why ', ['12', '11']],
    ['airline ticket set-step --reason = why ', ['12', '11']],
    ['airline --url http : //h ticket set-step 7 image-', ['image-building', 'image-testing']],
    ['airline ticket set-step 7 300 ', []],
    ['airline --profile build ticket set-step 7 image-', ['image-building', 'image-testing']],
    ['airline landing log ', ['12', '11']],
    ['airline landing log 7 ', []],
  ])('of "%s" offers %j', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it.each([
    ['airline submit hello', ['-o filenames', 'hello_1_source.changes', 'hello_1.dsc']],
    ['airline import binary-packages hello_1.', ['-o filenames', 'hello_1.dsc']],
    ['airline bui', ['build']],
    ['airline build list --st', ['--state']],
    ['airline build watch ', ['12', '11']],
  ])('of "%s" says what are names of files: %j', async (line, printed) => {
    expect(await offered(line, { compopt: 'echo "$@"' })).toEqual(printed);
  });

  it.each(['airline build watch ', 'airline build list --ticket '])(
    'of "%s" runs nothing of what is printed as an id',
    async (line) => {
      const directory = temporaryDirectory();
      const ids = ['$(touch ran)12', '`touch ran`11', '${x:=$(touch ran)}10'];
      expect(await offered(line, { directory, ids })).toEqual(['12', '11', '10']);
      expect(readdirSync(join(directory, 'files'))).not.toContain('ran');
    },
  );
});

describe('completion-ids', () => {
  it('prints what is an id of all that a server calls so', async () => {
    const ids = [13, '$(touch ran)12', '11', 10.5, -9, 0, 2 ** 53, null, [8], 7];
    const { code, stdout } = await call(['completion-ids', 'build'], {
      env: { AIRLINE_URL: 'http://127.0.0.1:1' },
      fetch: async () => Response.json({ objects: ids.map((id) => ({ id })) }),
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '13\n7\n' });
  });
});

/** What a line calls, and the server of whose ids a Tab in it has asked. */
type Typed = { called: string; server?: string };

/**
 * What lines call that are typed in a shell of a person, one after the other. The script completes their Tabs; every
 * server knows the ids 12 and 34.
 *
 * @returns for each line the words behind `airline`; of a server, the options that name it
 */
async function typed(shell: 'bash' | 'zsh', lines: readonly string[]): Promise<Typed[]> {
  const home = temporaryDirectory();
  writeFileSync(join(home, '_airline'), (await call(['completion', shell])).stdout);
  writeFileSync(join(home, 'hello_1_source.changes'), '');
  const airline = join(home, 'airline');
  writeFileSync(
    airline,
    `#!/bin/sh
case "$*" in
(completion-ids*) shift 2; echo "server: $*" > ~/server; echo 12; echo 34 ;;
(*) echo "called: $*"; if [ -e ~/server ]; then cat ~/server; rm ~/server; fi ;;
esac
`,
  );
  chmodSync(airline, 0o755);
  const settings = {
    bash: `PROMPT_COMMAND=number; source ${home}/_airline`,
    zsh: `precmd() { number; }; fpath=(${home} $fpath); autoload -Uz compinit; compinit -u -D`,
  }[shell];
  // A shell may show a prompt anew, but not one of another number.
  const numbered = 'number() { PS1="ready $((lines += 1))> "; }';
  writeFileSync(
    join(home, `.${shell}rc`),
    `cd ${home}; PATH=${home}:$PATH; ${numbered}; ${settings}\n`,
  );
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TERM: 'xterm',
    LANG: 'C.UTF-8',
  };
  const { screen } = await runInTerminal(
    [shell, '-i'],
    environment,
    [...lines, 'exit'].map((line, index) => ({ once: `ready ${index + 1}> `, type: `${line}\r` })),
  );
  const answers = screen.replaceAll('\r', '\n').matchAll(/^called: (.*)\n+(?:server: (.*))?/gm);
  return [...answers].map(([, called = '', server]) => ({
    called,
    ...(server === undefined ? {} : { server: server.replace(home, '~') }),
  }));
}

describe.each(['bash', 'zsh'] as const)('Tab in %s', (shell) => {
  const COMPLETED = [
    ['a command', 'airline bui\tca\t7', 'build cancel 7'],
    ['an option', 'airline build list --st\tfailed', 'build list --state failed'],
    ['a value', 'airline build list --state comp\t', 'build list --state completed'],
    ['an id that the server knows', 'airline build watch 1\t', 'build watch 12'],
    ['a file', 'airline submit hel\t', 'submit hello_1_source.changes'],
    [
      'the second argument',
      'airline --json ticket set-step --reason=a:b 7 image-b\t',
      '--json ticket set-step --reason=a:b 7 image-building',
    ],
  ] as const;
  const WITH_SERVERS = [
    ['airline --profile staging build watch 3\t', '--profile=staging'],
    ['airline build watch --profile=staging 3\t', '--profile=staging'],
    [
      'airline --url https://staging.example:8443/a build watch 3\t',
      '--url=https://staging.example:8443/a',
    ],
    ['airline --url=http://localhost:8080 build watch 3\t', '--url=http://localhost:8080'],
    ['airline build watch --token-file ~/token 3\t', '--token-file=~/token'],
    ['airline submit --title : --profile staging --owner a=b --ticket 3\t', '--profile=staging'],
    [
      'airline --profile staging --json --url http://h build watch 3\t',
      '--profile=staging --url=http://h',
    ],
    ['airline build watch 3\t', ''],
  ] as const;
  let typedLines: Map<string, Typed>;

  beforeAll(async () => {
    const lines = [...COMPLETED.map(([, line]) => line), ...WITH_SERVERS.map(([line]) => line)];
    const answers = await typed(shell, lines);
    expect(answers).toHaveLength(lines.length);
    typedLines = new Map(answers.map((answer, index) => [lines[index] ?? '', answer]));
  });

  it.each(COMPLETED)('completes %s', (_, line, called) => {
    expect(typedLines.get(line)?.called).toBe(called);
  });

  it.each(WITH_SERVERS)('of "%s" asks for the ids of that server', (line, server) => {
    expect(typedLines.get(line)).toEqual({ called: expect.stringMatching(/ 34$/), server });
  });

  it('asks for the ids of the server that is named behind the cursor', async () => {
    const line = `airline build watch 3 --profile staging${LEFT.repeat(18)}\t`;
    expect(await typed(shell, [line])).toEqual([
      { called: 'build watch 34 --profile staging', server: '--profile=staging' },
    ]);
  });
});

describe('completion in every shell', () => {
  it.each(['bash', 'zsh', 'fish'])('%s knows every command and option', async (shell) => {
    const { code, stdout } = await call(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['airline build retry', 'set-step', 'binary-packages', 'progress queue'])
      if (shell !== 'bash' || word !== 'progress queue') expect(stdout).toContain(word);
    expect(stdout).toContain(shell === 'fish' ? '-l timeout' : '--timeout');
    expect(stdout).not.toContain('undefined');
  });
});
