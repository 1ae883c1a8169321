import { InvalidArgumentError, Option, type Command } from 'commander';
import { MAX_TOKEN_DAYS, SCOPES } from '../../domain/access/access.ts';
import { MAX_LIMIT } from '../../domain/service/page-limit.ts';
import { printableLine } from '../../domain/text/printable.ts';
import type { IssuedToken, Token } from '../../api/openapi/contract.generated.ts';
import { CommandError, usageError } from '../command-error.ts';
import { describeCommand } from '../definition/command-help.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandContext, Runner } from '../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../definition/paging.ts';
import type { ApiClient, Page } from '../server/api-client.ts';
import { unansweredError } from '../server/connection-loss.ts';
import { relativeTime } from '../output/time-format.ts';
import { collectWords, parseCount, parseId, REPEATABLE } from '../definition/argument-parsers.ts';

const DAY_MS = 86_400_000;

/** `airline token`: who may do what. It needs a token with the scope `admin` itself. */
export function addTokenCommands(program: Command, runner: Runner): void {
  const token = program
    .command('token')
    .description('Tokens. These commands need the scope admin.');

  describeCommand(
    token
      .command('create')
      .description('Create a token. It is shown only once.')
      .requiredOption('--name <name>', 'the actor in every history: A-Z a-z 0-9 . _ @ -')
      .addOption(
        new Option('--scope <scope>', `${SCOPES.join(', ')} ${REPEATABLE}`)
          .argParser(collectWords)
          .makeOptionMandatory(),
      )
      .option(
        '--ppa <ppa>',
        `a PPA that it may build and land in, ~owner/distribution/name or ~owner/* ${REPEATABLE}`,
        collectWords,
      )
      .option(
        '--queue-prefix <prefix>',
        `what the queues begin with that it may name; builds then need --queue or --webhook ${REPEATABLE}`,
        collectWords,
      )
      .option('--days <days>', 'how many days it is valid', parseDays)
      .action(
        runner.remote(
          async (
            { api, out, environment },
            options: {
              name: string;
              scope: string[];
              ppa?: string[];
              queuePrefix?: string[];
              days?: number;
            },
          ) => {
            const wrong = options.scope.find((one) => !SCOPES.some((known) => known === one));
            if (wrong !== undefined)
              throw usageError(`There is no scope ${wrong}.`, `Scopes are ${SCOPES.join(', ')}.`);
            const until =
              options.days === undefined
                ? undefined
                : new Date(environment.now().getTime() + options.days * DAY_MS).toISOString();
            const made = await api
              .write<IssuedToken>(
                'POST',
                '/api/v1/token/',
                {
                  name: options.name,
                  scopes: [...new Set(options.scope)],
                  ...(options.ppa && { ppas: options.ppa }),
                  ...(options.queuePrefix && { queue_prefixes: options.queuePrefix }),
                  ...(until === undefined ? {} : { expires_at: until }),
                },
                { isRepeatable: false },
              )
              .catch((error: unknown) => {
                throw unansweredError(
                  error,
                  'the token was made',
                  '`airline token list` shows whether it was. If so, its text is lost: end it with `airline token revoke` and its name. Then make the same call again.',
                );
              });
            out.notice(
              `${made.name} may ${made.scopes.join(', ')} until ${made.expires_at}${limitsText(made)}. The token is shown only once:`,
            );
            await out.show({ json: made, quiet: made.token, human: () => made.token });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        [
          'airline token create --name lander --scope read,ticket:write,build:write',
          'for the lander',
        ],
        [
          "airline token create --name team --scope read,ticket:write,build:write --ppa '~team/*' --queue-prefix team-",
          'for a lander that has its own PPAs and queues',
        ],
        [
          'airline token create --name bea --scope read,landing:approve',
          'for a person who approves landings',
        ],
        [
          'airline token create --name ann --scope read,ticket:write --days 30 > token',
          'only the token goes into the file',
        ],
      ],
      json: 'the token, with its text in "token"',
      quiet: 'the token',
    },
  );

  describeCommand(
    withPaging(
      token.command('list').description('List tokens.').option('--all', 'also revoked ones'),
      100,
    ).action(
      runner.remote(async ({ api, out }, options: PagingOptions & { all?: boolean }) => {
        const { limit, offset } = options;
        const page = options.all
          ? await api.get<Page<Token>>('/api/v1/token/', { limit, offset })
          : await pageOfCurrent(api, { limit, offset });
        await showPage(
          out,
          page,
          [
            { head: 'ID', cell: ({ id }) => id },
            { head: 'NAME', cell: ({ name }) => name, isFlexible: true },
            { head: 'SCOPES', cell: ({ scopes }) => scopes.join(',') },
            {
              head: 'EXPIRES',
              cell: (one) =>
                one.revoked_at === null
                  ? relativeTime(one.expires_at, out.now())
                  : `revoked ${relativeTime(one.revoked_at, out.now())}`,
              tone: (one) =>
                one.revoked_at !== null || Date.parse(one.expires_at) < out.now().getTime()
                  ? 'bad'
                  : 'plain',
            },
            {
              head: 'LAST USED',
              cell: ({ last_used_at: at }) => (at === null ? 'never' : relativeTime(at, out.now())),
            },
            { head: 'PPAS', cell: (one) => one.ppas.join(',') || 'all', isWide: true },
            {
              head: 'QUEUES',
              cell: (one) => one.queue_prefixes.map((prefix) => `${prefix}*`).join(',') || 'all',
              isWide: true,
            },
            { head: 'MADE BY', cell: (one) => one.created_by, isWide: true },
            { head: 'MADE', cell: (one) => one.created_at, isWide: true },
          ],
          'There are no tokens.',
        );
        return undefined;
      }),
    ),
    {
      examples: [['airline token list', 'who has one, and when it was used last']],
      ...PAGE_OUTPUT,
      json: 'a page as the API has it, {"meta", "objects"}, without links unless --all is given',
    },
  );

  describeCommand(
    token
      .command('revoke')
      .description('End a token at once.')
      .argument('[name]', 'its name')
      .option('--id <id>', 'the token of this id, in place of a name', parseId('token'))
      .action(
        runner.remote(async (context, name: string | undefined, options: { id?: number }) => {
          const id = await meantToken(context, name, options.id);
          const revoked = await context.api.write<Token>('POST', `/api/v1/token/${id}/revoke/`);
          await context.out.show({
            json: revoked,
            human: () => printableLine(`The token ${revoked.name} (id ${revoked.id}) is revoked.`),
          });
          return undefined;
        }),
      ),
    {
      examples: [
        ['airline token revoke lander', 'it is refused from the next request on'],
        ['airline token revoke --id 5', 'the one with this id in the list'],
      ],
      json: 'the token',
    },
  );
}

/** Reads for how many days a token is valid. The server may allow fewer, and says so. */
function parseDays(text: string): number {
  const days = parseCount(text);
  if (days > MAX_TOKEN_DAYS)
    throw new InvalidArgumentError(`A token is valid for ${MAX_TOKEN_DAYS} days at most.`);
  return days;
}

/** What a token may name, where that is not all. */
function limitsText({ ppas, queue_prefixes: prefixes }: Token): string {
  return [
    ...(ppas.length > 0 ? [`in ${ppas.join(', ')} only`] : []),
    ...(prefixes.length > 0 ? [`with queues that begin with ${prefixes.join(' or ')}`] : []),
  ]
    .map((limit) => `, ${limit}`)
    .join('');
}

/** Every token that is not revoked, by id. */
async function currentTokens(api: ApiClient): Promise<Token[]> {
  const tokens: Token[] = [];
  for (;;) {
    const { meta, objects } = await api.get<Page<Token>>('/api/v1/token/', {
      limit: MAX_LIMIT,
      offset: tokens.length,
    });
    tokens.push(...objects);
    if (objects.length === 0 || meta.next === null) break;
  }
  return tokens.filter(({ revoked_at: at }) => at === null);
}

/** A page of the tokens that are not revoked. The API has no list of these alone. */
async function pageOfCurrent(
  api: ApiClient,
  { limit, offset }: PagingOptions,
): Promise<Page<Token>> {
  const tokens = await currentTokens(api);
  return {
    meta: { limit, offset, total_count: tokens.length, next: null, previous: null },
    objects: tokens.slice(offset, offset + limit),
  };
}

/** The id of the token that is named, or that is given. A name of digits is a name. */
async function meantToken(
  { api }: CommandContext,
  name: string | undefined,
  id: number | undefined,
): Promise<number> {
  if ((name === undefined) === (id === undefined))
    throw usageError('Give the name of a token, or its id with --id.');
  if (id !== undefined) return id;
  const found = (await currentTokens(api)).find((one) => one.name === name);
  if (found) return found.id;
  const isNumber = /^\d+$/.test(name ?? '');
  throw new CommandError(`There is no token ${name} that is not revoked.`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint: isNumber
      ? `This was read as a name; \`airline token revoke --id ${name}\` revokes by id.`
      : '`airline token list` shows which there are.',
  });
}
