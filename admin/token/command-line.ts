import { parseArgs } from 'node:util';
import { SCOPES, type Scope } from '../../domain/access.ts';
import { TOKEN_NAME } from '../../models/access-token.ts';

/** What `--help` prints. */
export const USAGE = `npm run -s token -- create --name NAME --scope SCOPE [--scope SCOPE …] [--days DAYS]
npm run -s token -- list
npm run -s token -- revoke NAME

create   prints a new token; it is shown only then
list     shows every token that is not revoked
revoke   ends a token at once

--name   1 to 100 of A-Z a-z 0-9 . _ @ -; the actor in every history
--scope  ${SCOPES.join(', ')}; admin may do everything
--days   how long the token is valid; by default AIRLINE_TOKEN_LIFETIME_MS
--json   prints JSON
--help   prints this

The database is that of AIRLINE_DATABASE_URL, else the one of \`npm start\`, which must be running.
Ends with 0, with 1 where it could not be done, with 2 where the call is wrong.`;

/** The command line does not fit the usage. */
export class UsageError extends Error {}

/** What is to be done. */
export type Command =
  | { readonly name: 'help' }
  | {
      readonly name: 'create';
      readonly token: string;
      readonly scopes: readonly Scope[];
      readonly days: number | undefined;
      readonly json: boolean;
    }
  | { readonly name: 'list'; readonly json: boolean }
  | { readonly name: 'revoke'; readonly token: string; readonly json: boolean };

/**
 * Reads the command line.
 *
 * @throws UsageError
 */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help) return { name: 'help' };
  const [command, ...operands] = positionals;
  const { json = false, name, scope = [], days } = values;
  if (command === undefined) throw new UsageError('Say what to do: create, list or revoke.');
  if (!['create', 'list', 'revoke'].includes(command))
    throw new UsageError(`There is no command ${command}.`);
  if (command !== 'create' && (name !== undefined || scope.length > 0 || days !== undefined))
    throw new UsageError(`--name, --scope and --days belong to create, not to ${command}.`);
  if (operands.length !== (command === 'revoke' ? 1 : 0))
    throw new UsageError(
      command === 'revoke' ? 'Name one token to revoke.' : `${command} takes options only.`,
    );
  if (command === 'list') return { name: 'list', json };
  if (command === 'revoke') return { name: 'revoke', token: operands[0] ?? '', json };
  if (!TOKEN_NAME.test(name ?? ''))
    throw new UsageError('--name takes 1 to 100 of A-Z a-z 0-9 . _ @ -');
  return { name: 'create', token: name ?? '', scopes: scopesOf(scope), days: daysOf(days), json };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        scope: { type: 'string', multiple: true },
        days: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function scopesOf(given: readonly string[]): Scope[] {
  const scopes = SCOPES.filter((scope) => given.includes(scope));
  if (scopes.length === 0 || !given.every((scope) => scopes.includes(scope as Scope)))
    throw new UsageError(`--scope takes one of ${SCOPES.join(', ')}, and is given at least once.`);
  return scopes;
}

function daysOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,5}(?:\.\d{1,5})?$/.test(given) || Number(given) === 0)
    throw new UsageError('--days takes a number above 0.');
  return Number(given);
}
