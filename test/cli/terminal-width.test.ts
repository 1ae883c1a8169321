import stringWidth from 'string-width';
import { allCommands, commandTree } from '../../cli/definition/command-tree.ts';
import { createRootCommand } from '../../cli/root-command.ts';
import { useApi } from '../api/serve.ts';
import { buildCommand, type BuiltCommand } from './built-command.ts';
import { call } from './call.ts';
import { seed } from './seed.ts';

const WIDTHS = [60, 80, 200];
const program = createRootCommand('1.2.3', {
  local: () => async () => undefined,
  remote: () => async () => undefined,
});

/** What prints tables and nothing else that is wide. */
const TABLES = [
  'branch list',
  'build list',
  'landing list',
  'mergeproposal list',
  'package list',
  'person list',
  'ppapool list',
  'project list',
  'status',
  'subticket history 1',
  'subticket list',
  'testsuite list',
  'ticket history 1',
  'ticket list',
  'token list',
  'webhook list',
];

describe('the command in terminals of 60, 80 and 200 columns, and in a pipe', () => {
  const api = useApi();
  let command: BuiltCommand;
  beforeAll(async () => {
    command = await buildCommand();
    await seed(api.now);
  }, 300_000);

  const environment = () => ({ AIRLINE_URL: api.now.url });

  /** The lines of a call that are wider than its terminal, in a terminal of each width. */
  async function tooWide(args: readonly string[]): Promise<string[]> {
    const shown = await Promise.all(
      WIDTHS.map(async (columns) => ({
        columns,
        ...(await call(args, { env: environment(), isTerminal: true, columns })),
      })),
    );
    return shown.flatMap(({ columns, code, stdout, stderr }) => [
      ...(code === 0 ? [] : [`${columns}: ended with ${code}: ${stderr}`]),
      ...widerThan(columns, stdout),
      ...widerThan(columns, stderr),
    ]);
  }

  it.each(allCommands(commandTree(program)).map(({ path }) => path))(
    '%s --help: no line is wider',
    async (path) => {
      expect(await tooWide([...path.split(' ').slice(1), '--help'])).toEqual([]);
    },
  );

  it.each(TABLES)('%s: no line is wider', async (line) => {
    expect(await tooWide(line.split(' '))).toEqual([]);
  });

  it.each(WIDTHS)('asks the terminal how wide it is: %i columns', async (columns) => {
    for (const args of [['--help'], ['ticket', 'list']]) {
      const { code, screen } = await command.inTerminal(args, environment(), [], columns);
      const here = await call(args, { env: environment(), isTerminal: true, columns });
      expect({ code, tooWide: widerThan(columns, screen) }).toEqual({ code: 0, tooWide: [] });
      expect(screen).toBe(here.stdout);
    }
  });

  it('takes a terminal that does not say how wide it is for one of 80 columns', async () => {
    const [unknown, usual] = await Promise.all(
      [0, 80].map((width) => command.inTerminal(['person', 'list'], environment(), [], width)),
    );
    expect(unknown).toEqual(usual);
  });

  it('cuts in a narrow terminal what it prints whole in a pipe', async () => {
    const [narrow, pipe] = await Promise.all([
      command.inTerminal(['ticket', 'list'], environment(), [], 60),
      command.inPipe(['ticket', 'list'], environment()),
    ]);
    expect(narrow.screen).toContain('…');
    expect(pipe.stdout).not.toContain('…');
    expect(pipe.stdout).toContain('so that it is cut');
  });
});

function widerThan(columns: number, screen: string): string[] {
  return screen
    .split('\n')
    .filter((line) => stringWidth(line) > columns)
    .map((line) => `${columns}: ${line}`);
}
