import { parseArgs } from 'node:util';
import { isDatabaseUnavailable } from '../models/database-errors.ts';
import { openDatabase } from '../models/database.ts';
import {
  VERIFICATION_TIMEOUT_MS,
  verifyChanges,
  type BrokenLink,
} from '../models/status-change.ts';
import { ConfigError, loadConfig } from '../main/config/config.ts';
import { databaseAddress } from '../main/embedded/database-address.ts';

// Whether the history of the tickets is what was written (docs/operations.md, "History").

const USAGE = `npm run -s verify-history -- [--json]

Computes the chain of every ticket's history anew, and names every change that was altered, removed or added by hand.

--json   prints JSON
--help   prints this

The database is that of AIRLINE_DATABASE_URL, else the one of \`npm start\`, which must be running.
Ends with 0 where the history is intact, with 1 where it is not, with 2 where the call is wrong, with 3 where the
history could not be read.`;

const EXIT = { broken: 1, wrongCall: 2, notRead: 3 };
const MAX_NAMED = 10_000;
// PostgreSQL says nothing while it reads, and ends the statement itself.
const SILENCE_MS = VERIFICATION_TIMEOUT_MS + 60_000;
// https://www.postgresql.org/docs/current/errcodes-appendix.html: undefined_table, undefined_function,
// invalid_catalog_name
const NOT_MIGRATED = /^(?:42P01|42883|3D000)$/;
const EXPLANATIONS: Record<BrokenLink['problem'], string> = {
  altered: 'is not what was written',
  removed: 'is missing',
  added: 'was added behind the end of the chain',
  unrecorded: 'is missing: step or status changed without it',
  orphaned: 'is of a ticket that is gone',
};

async function verify(inJson: boolean): Promise<void> {
  const database = openDatabase(databaseAddress(loadConfig()), 1, SILENCE_MS);
  try {
    const { changes, tickets, broken } = await verifyChanges(database.sequelize, MAX_NAMED);
    if (broken.length > 0) process.exitCode = EXIT.broken;
    if (inJson)
      return console.log(JSON.stringify({ changes, tickets, broken: broken.map(showLink) }));
    for (const { ticketId, seq, problem } of broken)
      console.log(`ticket ${ticketId}, change ${seq}: ${problem}, it ${EXPLANATIONS[problem]}`);
    if (broken.length === MAX_NAMED) console.log(`The first ${MAX_NAMED} are named.`);
    const result = broken.length === 0 ? 'intact' : `${broken.length} broken`;
    console.log(`Checked ${changes} changes of ${tickets} tickets: ${result}.`);
  } finally {
    await database.close();
  }
}

function showLink({ ticketId, seq, problem }: BrokenLink) {
  return { ticket: ticketId, seq, problem };
}

function readOptions(args: readonly string[]) {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return undefined;
  }
}

/** What went wrong, for people; undefined where nobody has foreseen it. */
function explain(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.message;
  if (isDatabaseUnavailable(error))
    return `The database does not answer (${(error as Error).message}). Is it running (\`npm start\`), and is AIRLINE_DATABASE_URL right?`;
  const { code } = ((error as { parent?: object }).parent ?? error) as { code?: unknown };
  if (NOT_MIGRATED.test(String(code)))
    return 'The database has no history: start Airline once, or run its migrations.';
  return undefined;
}

const values = readOptions(process.argv.slice(2));
if (!values) process.exitCode = EXIT.wrongCall;
else if (values.help) console.log(USAGE);
else
  try {
    await verify(values.json ?? false);
  } catch (error) {
    console.error(explain(error) ?? error);
    process.exitCode = EXIT.notRead;
  }
