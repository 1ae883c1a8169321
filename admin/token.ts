import { userInfo } from 'node:os';
import { serializeToken } from '../api/service/token-routes.ts';
import { AirlineError } from '../domain/errors.ts';
import { openDatabase } from '../models/database.ts';
import { loadConfig } from '../main/config/config.ts';
import { databaseAddress } from '../main/embedded/database-address.ts';
import { explainDatabaseError } from './explain-database-error.ts';
import { runCommand } from './run-command.ts';
import { tokenCommand, type NewToken } from './token/command-line.ts';

// Makes a token without the API: the first one, and one where the last was lost. It works on the database.

const DAY_MS = 86_400_000;

async function create({ name, scopes, targets, days, json }: NewToken): Promise<void> {
  const config = loadConfig();
  const database = openDatabase(databaseAddress(config), 1);
  try {
    const now = new Date();
    const expiresAt = days === undefined ? undefined : new Date(now.getTime() + days * DAY_MS);
    const { text, row } = await database.AccessToken.issue(
      { name, scopes, targets, expiresAt },
      config.api.limits.tokenLifetimes,
      { actor: `${userInfo().username} at the command line` },
      now,
    );
    if (json) return console.log(JSON.stringify({ ...serializeToken(row), token: text }));
    // The text alone goes to standard output, so that a script can take it.
    console.error(
      `${name} may ${row.scopes.join(', ')} until ${row.expiresAt.toISOString()}. The token is shown only now:`,
    );
    console.log(text);
  } catch (error) {
    if (!(error instanceof AirlineError) || error.code !== 'conflict') throw error;
    // Where the last token was lost, nobody can read the address that the model names.
    throw new AirlineError(
      'conflict',
      `There is a token ${JSON.stringify(name)} that is not revoked. Create one of another name with the scope admin, and then: airline token revoke ${name}`,
      { cause: error },
    );
  } finally {
    await database.close();
  }
}

await runCommand(tokenCommand(create), {
  failed: 1,
  explain: (error) =>
    error instanceof AirlineError
      ? error.message
      : explainDatabaseError(error, 'tables for tokens'),
});
