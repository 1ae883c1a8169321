import { userInfo } from 'node:os';
import { AirlineError } from '../domain/errors.ts';
import type { AccessToken } from '../models/access-token.ts';
import { isDatabaseUnavailable } from '../models/database-errors.ts';
import { openDatabase, type Database } from '../models/database.ts';
import { ConfigError, loadConfig } from '../main/config/config.ts';
import { databaseAddress } from '../main/embedded/database-address.ts';
import { readCommand, USAGE, UsageError, type Command } from './token/command-line.ts';

// Tokens without the API: the first one, and the one that is needed when the last was lost. It works on the database.

const DAY_MS = 86_400_000;
const EXIT = { failed: 1, wrongCall: 2 };
// https://www.postgresql.org/docs/current/errcodes-appendix.html: undefined_table, invalid_catalog_name
const NOT_MIGRATED = /^(?:42P01|3D000)$/;

async function run(command: Exclude<Command, { name: 'help' }>): Promise<void> {
  const config = loadConfig();
  const database = openDatabase(databaseAddress(config), 1);
  const lifetimes = config.api.limits.tokenLifetimes;
  try {
    switch (command.name) {
      case 'create':
        return await create(database, command, lifetimes);
      case 'list':
        return print(command, await database.AccessToken.current());
      case 'revoke':
        return await revoke(database, command);
    }
  } finally {
    await database.close();
  }
}

async function create(
  { AccessToken }: Database,
  { token: name, scopes, days, json }: Extract<Command, { name: 'create' }>,
  lifetimes: Parameters<typeof AccessToken.issue>[1],
): Promise<void> {
  const now = new Date();
  const expiresAt = days === undefined ? undefined : new Date(now.getTime() + days * DAY_MS);
  const { text, row } = await AccessToken.issue(
    { name, scopes, expiresAt },
    lifetimes,
    { actor: caller() },
    now,
  );
  if (json) return console.log(JSON.stringify({ ...show(row), token: text }));
  // The text alone goes to standard output, so that a script can take it.
  console.error(
    `${name} may ${row.scopes.join(', ')} until ${row.expiresAt.toISOString()}. The token is shown only now:`,
  );
  console.log(text);
}

async function revoke(
  { AccessToken }: Database,
  { token: name, json }: Extract<Command, { name: 'revoke' }>,
): Promise<void> {
  const found = await AccessToken.named(name);
  const revoked = found && (await AccessToken.revoke(found.id, { actor: caller() }));
  if (!revoked)
    throw new AirlineError('not_found', `There is no token ${name} that is not revoked.`);
  if (json) console.log(JSON.stringify(show(revoked)));
  else console.log(`${name} is revoked.`);
}

function print({ json }: { json: boolean }, tokens: readonly AccessToken[]): void {
  if (json) return console.log(JSON.stringify(tokens.map(show)));
  if (tokens.length === 0) return console.log('There are no tokens.');
  const now = new Date();
  const rows = tokens.map((token) => [
    token.name,
    token.scopes.join(','),
    `${token.expiresAt <= now ? 'EXPIRED ' : ''}${token.expiresAt.toISOString()}`,
    token.lastUsedAt?.toISOString() ?? 'never',
    token.createdBy,
  ]);
  const table = [['NAME', 'SCOPES', 'EXPIRES', 'LAST USED', 'CREATED BY'], ...rows];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  for (const row of table)
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths?.[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

function show(row: AccessToken) {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    created_at: row.createdAt,
    created_by: row.createdBy,
    expires_at: row.expiresAt,
    revoked_at: row.revokedAt ?? null,
    last_used_at: row.lastUsedAt ?? null,
  };
}

function caller(): string {
  return `${userInfo().username} at the command line`;
}

/** What went wrong, for people; undefined where nobody has foreseen it. */
function explain(error: unknown): string | undefined {
  if (error instanceof AirlineError || error instanceof ConfigError) return error.message;
  if (isDatabaseUnavailable(error))
    return `The database does not answer (${(error as Error).message}). Is it running (\`npm start\`), and is AIRLINE_DATABASE_URL right?`;
  const { code } = ((error as { parent?: object }).parent ?? error) as { code?: unknown };
  if (NOT_MIGRATED.test(String(code)))
    return 'The database has no tables for tokens: start Airline once, or run its migrations.';
  return undefined;
}

try {
  const command = readCommand(process.argv.slice(2));
  if (command.name === 'help') console.log(USAGE);
  else await run(command);
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${USAGE}`);
  else console.error(explain(error) ?? error);
  process.exitCode = error instanceof UsageError ? EXIT.wrongCall : EXIT.failed;
}
