import { createColour, isColoured, printableInColour, type Colour } from './colours.ts';
import { createLiveLine } from './live-line.ts';
import { chooseColumns, renderTable, type Column } from './table.ts';
import { DEFAULT_COLUMNS } from './terminal-width.ts';
import { printable, printableJson } from '../../domain/text/printable.ts';
import type { CommandEnvironment } from '../environment.ts';

type OutputForm = 'human' | 'json' | 'quiet';

/** Where a command's results and notices go. Results go to standard output, all else to standard error. */
export type Output = {
  readonly form: OutputForm;
  readonly isTerminal: boolean;
  readonly now: () => Date;
  readonly colour: Colour;
  /** The one result of a command, in the form that was asked for. */
  show: (result: {
    json: unknown;
    /** What a script needs, such as an id; nothing by default. */
    quiet?: string | number | readonly (string | number)[];
    human: () => string | Promise<string>;
  }) => Promise<void>;
  /** One of many results, as they come; `human` undefined says nothing new. */
  entry: (json: unknown, human: () => string | undefined) => void;
  /** A line for people beside the result; nothing where the form is another. */
  remark: (text: string) => void;
  /** A line on standard error for people who watch; nothing with `--quiet`. */
  notice: (text: string) => void;
  /** What is shown at the end of a terminal while nothing comes; undefined ends it. */
  meanwhile: (text: (() => string) | undefined) => void;
  /** A table among others, with the columns that it always has. @param empty stands in the place of no rows */
  table: TableWriter;
  /**
   * The one table of a list, with the columns that were asked for.
   *
   * @throws CommandError `usage` where there is no such
   */
  list: TableWriter;
};

type TableWriter = <T>(rows: readonly T[], columns: readonly Column<T>[], empty: string) => string;

export type OutputOptions = {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly wide: boolean;
  readonly color: boolean;
  /** The columns that a list shows, by their heads; undefined: the usual ones. */
  readonly columns?: readonly string[] | undefined;
};

/** Makes the output of a command. */
export function createOutput(
  { stdout, stderr, env, now }: CommandEnvironment,
  options: OutputOptions,
): Output {
  const form: OutputForm = options.json ? 'json' : options.quiet ? 'quiet' : 'human';
  const isTerminal = stdout.isTTY === true;
  const live = createLiveLine(stdout, form === 'human' && isTerminal && env['TERM'] !== 'dumb');
  const line = (text: string) => {
    live.erase();
    stdout.write(`${text}\n`);
  };
  const jsonLine = (value: unknown) => line(printableJson(JSON.stringify(value)));
  const quietLine = (text: string) => line(isTerminal ? printable(text) : text);
  const isInColour = isColoured(stdout, env, options.color);
  const colour = createColour(isInColour);
  const humanLine = (text: string) => line(isInColour ? printableInColour(text) : printable(text));
  return {
    form,
    isTerminal,
    now,
    colour,
    async show({ json, quiet, human }) {
      if (form === 'json') jsonLine(json);
      else if (form === 'quiet') [quiet ?? []].flat().forEach((one) => quietLine(String(one)));
      else {
        const text = await human();
        if (text !== '') humanLine(text);
      }
    },
    entry(json, human) {
      if (form === 'json') jsonLine(json);
      if (form !== 'human') return;
      const text = human();
      if (text !== undefined) humanLine(text);
    },
    remark(text) {
      if (form === 'human') humanLine(text);
    },
    notice(text) {
      live.erase();
      if (!options.quiet) stderr.write(`${printable(text)}\n`);
    },
    meanwhile: live.set,
    table: (rows, columns, empty) => render(rows, columns, { empty, isWide: options.wide }),
    list: (rows, columns, empty) =>
      options.columns === undefined
        ? render(rows, columns, { empty, isWide: options.wide })
        : render(rows, chooseColumns(columns, options.columns), { empty, isWide: true }),
  };

  function render<T>(
    rows: readonly T[],
    columns: readonly Column<T>[],
    { empty, isWide }: { empty: string; isWide: boolean },
  ): string {
    if (rows.length === 0) return empty;
    const width = isTerminal && !options.wide ? stdout.columns || DEFAULT_COLUMNS : undefined;
    return renderTable(rows, columns, { colour, width, isWide });
  }
}
