import { InvalidArgumentError, Option, type Command } from 'commander';
import { SCOPES, type Scope } from '../../domain/access/access.ts';
import { PPA_ENTRY, QUEUE_PREFIX, type TargetRule } from '../../domain/access/target-rule.ts';
import { TOKEN_NAME } from '../../models/service/access-token.ts';
import { createCommand } from '../run-command.ts';

/** The token that is asked for. */
export type NewToken = {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly targets: TargetRule;
  /** How long it is valid. */
  readonly days: number | undefined;
  readonly json: boolean;
};

type Given = {
  name: string;
  scope: Scope[];
  ppa: string[];
  queuePrefix: string[];
  days?: number;
  json: boolean;
};

/** `npm run token`. */
export function tokenCommand(create: (token: NewToken) => Promise<void>): Command {
  const program = createCommand('npm run -s token --').description(
    'Tokens without the API: the first one, and one where the last was lost. With a token: `airline token`.',
  );
  program
    .command('create')
    .description('Prints a new token; it is shown only then.')
    .requiredOption(
      '--name <name>',
      '1 to 100 of A-Z a-z 0-9 . _ @ -; the actor in every history',
      parseName,
    )
    .addOption(
      new Option('--scope <scope>', `${SCOPES.join(', ')} (repeatable); admin may do everything`)
        .argParser(collectScope)
        .makeOptionMandatory(),
    )
    .option('--ppa <ppa>', 'a PPA that it may build and land in (repeatable)', collectPpa, [])
    .option(
      '--queue-prefix <prefix>',
      'what the queues begin with that it may name (repeatable)',
      collectPrefix,
      [],
    )
    .option('--days <days>', 'how long it is valid; default: AIRLINE_TOKEN_LIFETIME_MS', parseDays)
    .option('--json', 'prints JSON', false)
    .action(({ scope, ppa, queuePrefix, ...given }: Given) =>
      create({
        days: undefined,
        ...given,
        scopes: SCOPES.filter((one) => scope.includes(one)),
        targets: { ppas: ppa, queuePrefixes: queuePrefix },
      }),
    )
    .addHelpText(
      'after',
      `
The database is that of AIRLINE_DATABASE_URL, else the one of \`npm start\`, which must be running.
Ends with 0, with 1 where it could not be done, with 2 where the call is wrong.`,
    );
  return program;
}

function parseName(given: string): string {
  if (!TOKEN_NAME.test(given))
    throw new InvalidArgumentError('It takes 1 to 100 of A-Z a-z 0-9 . _ @ -');
  return given;
}

function collectScope(given: string, before: Scope[] = []): Scope[] {
  const scope = SCOPES.find((one) => one === given);
  if (!scope) throw new InvalidArgumentError(`It takes one of ${SCOPES.join(', ')}.`);
  return [...before, scope];
}

function collectPpa(given: string, before: string[]): string[] {
  if (!PPA_ENTRY.test(given))
    throw new InvalidArgumentError('It takes ~owner/distribution/name, or ~owner/*.');
  return [...before, given];
}

function collectPrefix(given: string, before: string[]): string[] {
  if (!QUEUE_PREFIX.test(given)) throw new InvalidArgumentError('It takes A-Z a-z 0-9 . _ : -');
  return [...before, given];
}

function parseDays(given: string): number {
  if (!/^\d{1,5}(?:\.\d{1,5})?$/.test(given) || Number(given) === 0)
    throw new InvalidArgumentError('It takes a number above 0.');
  return Number(given);
}
