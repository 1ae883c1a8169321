import { markdownTable } from '../scripts/markdown-table.ts';

/** One line of a table: values by the heads of their columns, which name the unit. */
export type Row = Readonly<Record<string, string | number>>;

/** Something that a measurement must show. */
export type Goal = { what: string; value: number; limit: number; isMet: boolean };

/** What a benchmark has found; notes are paragraphs before the tables. A table has the columns of all its rows. */
export type Result = {
  title: string;
  notes: readonly string[];
  goals: readonly Goal[];
  tables: readonly (readonly Row[])[];
};

/** A goal that is met by this much or more. */
export function atLeast(what: string, value: number, limit: number): Goal {
  return { what, value, limit, isMet: value >= limit };
}

/** A goal that is met by less than this. */
export function below(what: string, value: number, limit: number): Goal {
  return { what, value, limit, isMet: value < limit };
}

/** A goal that is met by this much or less. */
export function atMost(what: string, value: number, limit: number): Goal {
  return { what, value, limit, isMet: value <= limit };
}

/** A result as text, its tables in Markdown's form with aligned columns. */
export function describe({ title, notes, goals, tables }: Result, heading = ''): string {
  const reached = goals.map(({ what, value, limit, isMet }) => ({
    goal: what,
    measured: value,
    limit,
    '': isMet ? 'met' : 'missed',
  }));
  return [`${heading}${title}`, ...notes, ...[reached, ...tables].map(table)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function table(rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isNumber = columns.map((column) =>
    rows.every((row) => typeof (row[column] ?? 0) === 'number'),
  );
  const cells = rows.map((row) => columns.map((column) => cell(row[column] ?? '')));
  return markdownTable([columns, ...cells], isNumber);
}

function cell(value: string | number): string {
  if (typeof value === 'string') return value;
  const isWhole = Number.isInteger(value) || Math.abs(value) >= 100;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: isWhole ? 0 : 2,
    maximumFractionDigits: isWhole ? 0 : 2,
  });
}
