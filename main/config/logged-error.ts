import pino from 'pino';

/**
 * What Sequelize adds to the error of a statement that has values of its rows: URLs with signatures, and texts so long
 * that the whole line would be lost. `original` is `parent` once more.
 */
const VALUES = ['parameters', 'fields', 'errors', 'aggregateErrors', 'original'];
/** What Node adds to the error of a request, or an answer, that it cannot read: all that came, tokens among it. */
const PACKET = 'rawPacket';
/** PostgreSQL's detail of a row, or of a part of it, that a constraint refuses. */
const ROW = /^(?:Failing row contains|Key \()/;
/** A text of a statement: Sequelize writes values of several rows, and those of conditions, into it. */
const TEXT = /'[^']*'?/g;
const MAX_SQL_LENGTH = 500;

type Shown = Record<string, unknown>;

/**
 * An error as a line of the log shows it: what it has, its causes and the errors within it. Of a statement that failed
 * it shows the beginning and what PostgreSQL says, but neither values that are bound nor texts that stand in it. What
 * PostgreSQL's message quotes stays. Of a request that cannot be read it shows why.
 */
export function loggedError(error: Error): unknown {
  const shown: unknown = pino.stdSerializers.err(error);
  return isError(shown) ? withoutValues(shown) : shown;
}

/** Changes an error that pino has made for the log, and those within it. */
function withoutValues(shown: Shown): Shown {
  const { sql, detail, aggregateErrors } = shown;
  delete shown[PACKET];
  if (typeof sql === 'string') {
    for (const name of VALUES) delete shown[name];
    if (ROW.test(String(detail))) delete shown['detail'];
    const blanked = sql.replace(TEXT, "'***'");
    shown['sql'] =
      blanked.length > MAX_SQL_LENGTH ? `${blanked.slice(0, MAX_SQL_LENGTH)}…` : blanked;
  } else if (Array.isArray(aggregateErrors)) {
    // pino leaves them beside their copies as they are.
    delete shown['errors'];
    aggregateErrors.filter(isError).forEach(withoutValues);
  }
  Object.values(shown).filter(isError).forEach(withoutValues);
  return shown;
}

/** Whether something is what pino takes for an error, and has copied. */
function isError(value: unknown): value is Shown {
  return typeof (value as { message?: unknown } | null | undefined)?.message === 'string';
}
