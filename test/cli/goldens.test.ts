import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApi } from '../api/serve.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildCommand, type BuiltCommand } from './built-command.ts';
import { call, callInTerminal, type Called } from './call.ts';
import { normalise } from './normalise.ts';
import { seed } from './seed.ts';

// What every command prints: to a pipe, as JSON, and to a terminal of 80 columns. Most run here, which takes a third of
// the time of a process. After a change that is meant: AIRLINE_UPDATE_GOLDENS=1 npx jest test/cli/goldens.test.ts, and
// read the differences.

const FOLDER = 'test/cli/goldens';
const IMPORTED = join(temporaryDirectory(), 'packages.json');

/** Processes of the command for the pipe and the terminal: what prints bit by bit, reads a file, or calls nobody. */
const BY_PROCESS: readonly string[] = [
  'ticket-watch',
  'ticket-watch-failed',
  'build-watch-complete',
  'build-watch-failed',
  'build-logs',
  'completion',
  'import-binary-packages',
  'usage',
];

/** Commands that change nothing. */
const READING: readonly (readonly [golden: string, args: readonly string[]])[] = [
  ['ticket-list', ['ticket', 'list']],
  ['ticket-list-wide', ['ticket', 'list', '-o', 'wide']],
  ['ticket-list-quiet', ['ticket', 'list', '--quiet']],
  ['ticket-list-limit', ['ticket', 'list', '--limit', '1']],
  ['ticket-list-empty', ['ticket', 'list', '--owner', 'nobody@example.com']],
  ['ticket-show', ['ticket', 'show', '1']],
  ['ticket-show-absent', ['ticket', 'show', '999']],
  ['ticket-history', ['ticket', 'history', '1']],
  ['ticket-open', ['ticket', 'open', '1']],
  ['subticket-list', ['subticket', 'list', '--ticket', '1']],
  ['subticket-show', ['subticket', 'show', '1']],
  ['build-list', ['build', 'list']],
  ['build-list-failed', ['build', 'list', '--state', 'failed']],
  ['build-show-complete', ['build', 'show', '1']],
  ['build-show-failed', ['build', 'show', '2']],
  ['build-show-running', ['build', 'show', '3']],
  ['build-watch-complete', ['build', 'watch', '1']],
  ['build-watch-failed', ['build', 'watch', '2']],
  ['build-events', ['build', 'events', '2']],
  ['build-events-after', ['build', 'events', '2', '--after', '2']],
  ['build-logs', ['build', 'logs', '2', '--architecture', 'amd64']],
  ['build-logs-list', ['build', 'logs', '2', '--list']],
  ['build-logs-none', ['build', 'logs', '3']],
  ['landing-list', ['landing', 'list']],
  ['landing-list-target', ['landing', 'list', '--target', 'ppa:team/landed', '--quiet']],
  ['landing-show', ['landing', 'show', '1']],
  ['ticket-why', ['ticket', 'why', '2']],
  ['ticket-show-landing', ['ticket', 'show', '2']],
  ['status', ['status']],
  ['package-list', ['package', 'list']],
  ['package-show', ['package', 'show', 'hello']],
  ['package-show-absent', ['package', 'show', 'nothing']],
  ['person-list', ['person', 'list']],
  ['person-show', ['person', 'show', '1']],
  ['token-list', ['token', 'list']],
  ['history-export-absent', ['history', 'export', '1']],
  ['completion', ['completion', 'bash']],
  ['usage', ['build', 'show']],
];

/** Commands that change what is there, in their order: each runs three times. */
const CHANGING: typeof READING = [
  ['ticket-create', ['ticket', 'create', '--owner', 'ann@example.com', '--title', 'One more']],
  ['ticket-create-wrong', ['ticket', 'create', '--owner', 'ann', '--title', 'One more']],
  [
    'subticket-create',
    ['subticket', 'create', '--ticket', '4', '--package', 'hello', '--package-version', '2.11-1'],
  ],
  [
    'mergeproposal-create',
    [
      'mergeproposal',
      'create',
      '--submitter=1',
      '--source=https://git.example/ann/hello',
      '--source-branch=fix',
      '--target=https://git.example/hello',
      '--target-branch=main',
      '--packaging-branch=debian',
    ],
  ],
  ['mergeproposal-list', ['mergeproposal', 'list']],
  ['ticket-set-step', ['ticket', 'set-step', '4', 'image-building', '--reason', 'it is time']],
  ['ticket-set-step-moved', ['ticket', 'set-step', '4', '400', '--from', '100']],
  ['ticket-watch-failed', ['ticket', 'set-step', '5', 'failed']],
  ['ticket-watch', ['ticket', 'watch', '5']],
  ['subticket-set-step', ['subticket', 'set-step', '3', 'package-building']],
  ['subticket-set-step-status', ['subticket', 'set-step', '3', '300', '--status', '207']],
  ['subticket-set-step-moved', ['subticket', 'set-step', '3', '400', '--from', '100']],
  [
    'build-request',
    [
      'build',
      'request',
      '1',
      '--ppa',
      'team/landing',
      '--series',
      'bookworm',
      '--archive',
      'debian',
    ],
  ],
  ['build-request-without-sources', ['build', 'request', '5', '--ppa', 'a/b', '--series', 'noble']],
  ['build-cancel', ['build', 'cancel', '3']],
  ['build-cancel-ended', ['build', 'cancel', '1']],
  ['build-retry-running', ['build', 'retry', '3']],
  ['build-retry-built-architecture', ['build', 'retry', '2', '--architecture', 'arm64']],
  [
    'ticket-land',
    [
      'ticket',
      'land',
      '1',
      '--ppa',
      'team/landing',
      '--series',
      'bookworm',
      '--archive',
      'debian',
      '--target',
      'debian',
    ],
  ],
  ['landing-approve-early', ['landing', 'approve', '1', '--comment', 'it is good']],
  ['landing-cancel', ['landing', 'cancel', '1']],
  ['import-binary-packages', ['import', 'binary-packages', IMPORTED]],
  ['person-create', ['person', 'create', '--name', 'Cleo', '--email', 'cleo@example.com']],
  ['token-revoke', ['token', 'revoke', '--id', '1']],
];

describe('what the command prints', () => {
  const api = useApi();
  let command: BuiltCommand;
  beforeAll(async () => {
    command = await buildCommand();
    await seed(api.now);
    writeFileSync(IMPORTED, '[{"name": "libhello0", "sourcepackage": "hello", "version": "1"}]');
  }, 300_000);

  it.each([...READING, ...CHANGING])(
    '%s',
    async (golden, args) => {
      const env = { AIRLINE_URL: api.now.url, TERM: 'xterm-256color' };
      const isHere = !BY_PROCESS.includes(golden);
      const pipe = await (isHere ? call(args, { env }) : command.inPipe(args, env));
      const json = await call([...args, '--json'], { env });
      const terminal = await (isHere ? callInTerminal(args, env) : command.inTerminal(args, env));
      expectGolden(golden, args, { pipe, json, terminal });
    },
    300_000,
  );

  it.each([
    ['what is done', ['person', 'list']],
    ['what fails', ['ticket', 'show', '999']],
  ])('%s is the same by a process as here', async (_, args) => {
    const env = { AIRLINE_URL: api.now.url, TERM: 'xterm-256color' };
    const printed = (what: unknown) => normalise(JSON.stringify(what));
    const [pipe, terminal] = [await call(args, { env }), await callInTerminal(args, env)];
    expect(printed(await command.inPipe(args, env))).toBe(printed(pipe));
    expect(printed(await command.inTerminal(args, env))).toBe(printed(terminal));
  });
});

type Printed = { pipe: Called; json: Called; terminal: { code: number; screen: string } };

function expectGolden(
  name: string,
  args: readonly string[],
  { pipe, json, terminal }: Printed,
): void {
  for (const line of json.stdout.split('\n').filter((text) => text !== ''))
    expect(() => JSON.parse(line) as unknown).not.toThrow();
  // oxlint-disable-next-line no-control-regex
  expect(`${pipe.stdout}${pipe.stderr}${json.stdout}`).not.toMatch(/\u001b/);
  const line = `$ airline ${args.join(' ')}`;
  const printed = [
    line,
    section('standard output', pipe.stdout),
    section('standard error', pipe.stderr),
    `exit ${pipe.code}`,
    '',
    `${line} --json`,
    section('standard output', json.stdout),
    section('standard error', json.stderr),
    `exit ${json.code}`,
    '',
    `${line}   (in a terminal)`,
    section('screen', shownEscapes(terminal.screen)),
    `exit ${terminal.code}`,
    '',
  ].join('\n');
  const path = join(FOLDER, `${name}.txt`);
  const text = normalise(printed);
  if (process.env['AIRLINE_UPDATE_GOLDENS'] === '1') {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, text);
  }
  expect(text).toBe(readFileSync(path, 'utf8'));
}

function section(name: string, text: string): string {
  return text === '' ? `--- no ${name}` : `--- ${name}\n${text.replace(/\n$/, '')}\n---`;
}

function shownEscapes(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/\u001b/g, '␛');
}
