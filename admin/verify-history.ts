import { openDatabase } from '../models/database.ts';
import {
  VERIFICATION_TIMEOUT_MS,
  verifyChanges,
  type BrokenLink,
} from '../models/tickets/status-change.ts';
import { loadConfig } from '../main/config/config.ts';
import { databaseAddress } from '../main/embedded/database-address.ts';
import { explainDatabaseError } from './explain-database-error.ts';
import { createCommand, runCommand } from './run-command.ts';

// Whether the history of the tickets is what was written (docs/operations.md, "History").

const EXIT = { broken: 1, notRead: 3 };
const MAX_NAMED = 10_000;
// PostgreSQL says nothing while it reads, and ends the statement itself.
const SILENCE_MS = VERIFICATION_TIMEOUT_MS + 60_000;
const EXPLANATIONS: Record<BrokenLink['problem'], string> = {
  altered: 'is not what was written',
  removed: 'is missing',
  added: 'was added behind the end of the chain',
  unrecorded: 'is missing: step or status changed without it',
  orphaned: 'is of a ticket that is gone',
};

async function verify({ json }: { json: boolean }): Promise<void> {
  const database = openDatabase(databaseAddress(loadConfig()), 1, { silenceMs: SILENCE_MS });
  try {
    const { changes, tickets, broken } = await verifyChanges(database.sequelize, MAX_NAMED);
    if (broken.length > 0) process.exitCode = EXIT.broken;
    if (json)
      return console.log(JSON.stringify({ changes, tickets, broken: broken.map(linkInJson) }));
    for (const { ticketId, seq, problem } of broken)
      console.log(`ticket ${ticketId}, change ${seq}: ${problem}, it ${EXPLANATIONS[problem]}`);
    if (broken.length === MAX_NAMED) console.log(`The first ${MAX_NAMED} are named.`);
    const result = broken.length === 0 ? 'intact' : `${broken.length} broken`;
    console.log(`Checked ${changes} changes of ${tickets} tickets: ${result}.`);
  } finally {
    await database.close();
  }
}

function linkInJson({ ticketId, seq, problem }: BrokenLink) {
  return { ticket: ticketId, seq, problem };
}

const command = createCommand('npm run -s verify-history --')
  .description(
    "Computes the chain of every ticket's history anew, and names every change that was altered, removed or added by hand.",
  )
  .option('--json', 'prints JSON', false)
  .action(verify)
  .addHelpText(
    'after',
    `
The database is that of AIRLINE_DATABASE_URL, else the one of \`npm start\`, which must be running.
Ends with 0 where the history is intact, with 1 where it is not, with 2 where the call is wrong, with 3 where the
history could not be read.`,
  );

await runCommand(command, {
  failed: EXIT.notRead,
  explain: (error) => explainDatabaseError(error, 'history'),
});
