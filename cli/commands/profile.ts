import type { Command } from 'commander';
import type { TokenSelf } from '../../api/openapi/contract.generated.ts';
import { describeCommand } from '../definition/command-help.ts';
import { fieldList } from '../output/field-list.ts';
import type { Runner } from '../command-context.ts';
import {
  addressText,
  currentProfile,
  readConfigFile,
  readTokenFile,
} from '../settings/settings.ts';
import { relativeTime } from '../output/time-format.ts';

/** `airline profile` and `airline whoami`: which servers are kept, and as whom they are talked to. */
export function addProfileCommands(program: Command, runner: Runner): void {
  const profile = program.command('profile').description('The servers that `airline login` saved.');
  describeCommand(
    profile
      .command('list')
      .description('List the saved servers, and say which one is used.')
      .action(
        runner.local(async ({ environment, globals, out }) => {
          const config = await readConfigFile(environment);
          const tokens = await readTokenFile(environment);
          const current = currentProfile(environment, globals, config);
          const rows = Object.entries(config.profiles ?? {}).map(([name, { url }]) => ({
            name,
            url,
            current: name === current,
            token: name in tokens,
          }));
          await out.show({
            json: { profiles: rows },
            quiet: rows.map(({ name }) => name),
            human: () =>
              out.list(
                rows,
                [
                  { head: 'PROFILE', cell: ({ name }) => name },
                  { head: 'SERVER', cell: ({ url }) => url, isFlexible: true },
                  { head: 'TOKEN', cell: ({ token }) => (token ? 'yes' : 'no') },
                  { head: 'USED', cell: (one) => (one.current ? 'yes' : 'no') },
                ],
                'There are no profiles; `airline login --url URL` makes one.',
              ),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline profile list', 'which servers there are']],
      json: '{"profiles": [{"name", "url", "current", "token"}]}',
      quiet: 'their names',
    },
  );

  describeCommand(
    program
      .command('whoami')
      .description('Show the server and token in use, and what the token may do.')
      .action(
        runner.remote(async ({ api, out, settings }) => {
          const self = await api.get<TokenSelf>('/api/v1/token/self/');
          const url = addressText(settings.url);
          await out.show({
            json: { url, ...self },
            quiet: self.name,
            human: () =>
              fieldList(out, self.name, [
                ['Server', url],
                ['May', self.scopes.join(', ')],
                ['PPAs', self.ppas.join(', ') || 'all that the server allows'],
                [
                  'Queues',
                  self.queue_prefixes.map((prefix) => `${prefix}*`).join(', ') ||
                    'all that the server allows',
                ],
                ['Token of', settings.tokenSource ?? 'no token was sent'],
                [
                  'Expires',
                  self.expires_at &&
                    `${relativeTime(self.expires_at, out.now())} (${self.expires_at})`,
                ],
              ]),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline whoami', 'the name in every history']],
      json: '{"url", "name", "scopes", "ppas", "queue_prefixes", "expires_at", "resource_uri"}',
      quiet: 'the name',
    },
  );
}
