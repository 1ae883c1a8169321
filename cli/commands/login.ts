import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { TokenSelf } from '../../api/openapi/contract.generated.ts';
import { isLoopbackHost } from '../../domain/access/url-host.ts';
import { printableLine } from '../../domain/text/printable.ts';
import { CommandError, Interrupted, usageError } from '../command-error.ts';
import { describeCommand } from '../definition/command-help.ts';
import { EXIT } from '../exit-code.ts';
import type { LocalContext, Runner } from '../command-context.ts';
import { deleteToken, saveProfile } from '../settings/profiles.ts';
import { createApiClient } from '../server/api-client.ts';
import {
  addressText,
  checkProfile,
  checkToken,
  currentProfile,
  DEFAULT_URL,
  givenServer,
  isAddressOf,
  loginCall,
  PROFILE_PLACEHOLDER,
  parseUrl,
  readConfigFile,
  readTokenOf,
} from '../settings/settings.ts';
import { relativeTime } from '../output/time-format.ts';

/** `airline login` and `airline logout`: servers and tokens that later calls use. */
export function addLoginCommands(program: Command, runner: Runner): void {
  describeCommand(
    program
      .command('login')
      .description('Save a token for a server and use that server from now on.')
      .action(
        runner.local(async (context) => {
          const { environment, out } = context;
          const { profile, url, known } = await target(context);
          const { tokenFile, profile: named } = context.globals;
          const assertReplaced = (server: string | undefined) => {
            if (named === undefined && server !== undefined && !isAddressOf(server, url))
              throw ofOtherServer(profile, server, url);
          };
          assertReplaced(known);
          const token =
            tokenFile === undefined
              ? checkToken(await askToken(context, url), 'The input')
              : await readTokenOf(tokenFile);
          const api = createApiClient(
            environment,
            {
              url,
              token,
              loginCall: loginCall(url, profile),
              tokenSource: 'this call',
              tokenWay: '--token-file',
            },
            { notice: out.notice },
          );
          const self = await api.get<TokenSelf>('/api/v1/token/self/');
          // A server without authentication takes any text for a token.
          const isChecked = self.resource_uri !== null;
          // Another login may have made it meanwhile.
          await saveProfile(
            environment,
            { profile, url: url.href, token: isChecked ? token : undefined },
            assertReplaced,
          );
          if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
            out.notice(
              `The token is sent to ${url.host} without encryption. Use https to keep it secret.`,
            );
          const until = self.expires_at && relativeTime(self.expires_at, environment.now());
          await out.show({
            json: {
              profile,
              url: url.href,
              name: self.name,
              scopes: self.scopes,
              expires_at: self.expires_at,
            },
            quiet: profile,
            human: () =>
              !isChecked
                ? `Profile ${profile}: ${addressText(url)}, which asks for no token: none is kept.`
                : `Profile ${profile}: ${addressText(url)} as ${printableLine(self.name)}, who may ${self.scopes.join(', ')}${until ? `; expires ${until}` : ''}.`,
          });
          return undefined;
        }),
      ),
    {
      examples: [
        ['airline login --url https://airline.example', 'asks for the token'],
        ['airline login --url https://airline.example --profile work < token', 'one more server'],
        ['airline --profile work ticket list', 'and how it is used'],
      ],
      notes: [
        'The token is asked for without showing it, or read from standard input or --token-file. It is tried, then kept in',
        '~/.config/airline/tokens.json (XDG_CONFIG_HOME), which only you can read. The server is kept in config.json.',
        'A profile of another server is overwritten only where --profile names it.',
      ],
      json: '{"profile", "url", "name", "scopes", "expires_at"}',
      quiet: 'the profile',
    },
  );

  describeCommand(
    program
      .command('logout')
      .description('Delete the saved token of a profile.')
      .action(
        runner.local(async (context) => {
          const { environment, out } = context;
          const { profile } = await target(context);
          const isForgotten = await deleteToken(environment, profile);
          await out.show({
            json: { profile, forgotten: isForgotten },
            human: () =>
              isForgotten
                ? `The token of profile ${profile} is deleted here. \`airline token revoke\` makes it invalid.`
                : `Profile ${profile} has no token.`,
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline logout --profile work', 'on a machine that you no longer use']],
      json: '{"profile", "forgotten"}',
    },
  );
}

/**
 * The profile that is meant, and its server, whether or not it is there yet.
 *
 * @returns `known`: the server that the profile is for so far
 */
async function target({
  environment,
  globals,
}: LocalContext): Promise<{ profile: string; url: URL; known: string | undefined }> {
  const { env } = environment;
  const config = await readConfigFile(environment);
  const profile = checkProfile(currentProfile(environment, globals, config));
  const known = config.profiles?.[profile]?.url;
  const url = parseUrl(
    // A new profile has no server yet that could come before the environment.
    givenServer(environment, globals) ?? known ?? (env['AIRLINE_URL'] || DEFAULT_URL),
  );
  return { profile, url, known };
}

function ofOtherServer(profile: string, server: string, url: URL): CommandError {
  const other = server.replace(/\/+$/, '');
  return new CommandError(
    `The current profile, ${profile}, is for ${other}, not for ${addressText(url)}.`,
    {
      code: 'profile_of_other_server',
      exit: EXIT.usage,
      hint: `\`${loginCall(url, PROFILE_PLACEHOLDER)}\` keeps both; with --profile ${profile} it takes the place of the other.`,
    },
  );
}

async function askToken({ environment }: LocalContext, url: URL): Promise<string> {
  const { stdin, stderr, interruption } = environment;
  if (stdin.isTTY !== true) {
    const token = (await readAll(stdin)).trim();
    if (token === '')
      throw usageError(
        'There is no token on standard input.',
        'Type it on a terminal, or: airline login --url URL < token',
      );
    return token;
  }
  const { default: password } = await import('@inquirer/password');
  try {
    return (
      await password(
        { message: `Token for ${addressText(url)}:`, mask: '•' },
        { input: stdin, output: stderr, signal: interruption },
      )
    ).trim();
  } catch (error) {
    // Its own name for Ctrl-C.
    if ((error as Error).name === 'ExitPromptError' || interruption.aborted)
      throw new Interrupted();
    throw error;
  }
}
