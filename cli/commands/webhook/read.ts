import type { Command } from 'commander';
import type { Webhook } from '../../../api/openapi/contract.generated.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../../definition/paging.ts';
import { fieldList } from '../../output/field-list.ts';
import { relativeTime } from '../../output/time-format.ts';
import type { Page } from '../../server/api-client.ts';

/** Adds `airline webhook list` and `show`. */
export function addWebhookReadCommands(webhook: Command, runner: Runner): void {
  describeCommand(
    withPaging(webhook.command('list').description('List webhooks.')).action(
      runner.remote(async ({ api, out }, { limit, offset }: PagingOptions) => {
        await showPage(
          out,
          await api.get<Page<Webhook>>('/api/v1/webhook/', { limit, offset }),
          [
            { head: 'ID', cell: ({ id }) => id },
            { head: 'URL', cell: ({ url }) => url, isFlexible: true },
            { head: 'EVENTS', cell: eventsText },
            { head: 'STATE', cell: stateText, tone: (one) => (isWell(one) ? 'plain' : 'bad') },
            { head: 'DESCRIPTION', cell: ({ description }) => description, isWide: true },
          ],
          'There are no webhooks.',
        );
        return undefined;
      }),
    ),
    { examples: [['airline webhook list', 'who is told, and whether it works']], ...PAGE_OUTPUT },
  );

  describeCommand(
    webhook
      .command('show')
      .description('Show a webhook.')
      .argument('<webhook>', 'its id', parseId('webhook'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const shown = await api.get<Webhook>(`/api/v1/webhook/${id}/`);
          const since = shown.failing_since;
          await out.show({
            json: shown,
            quiet: shown.url,
            human: () =>
              fieldList(out, `Webhook ${id}`, [
                ['URL', shown.url],
                ['Description', shown.description],
                ['Events', eventsText(shown)],
                ['State', stateText(shown), isWell(shown) ? 'plain' : 'bad'],
                ['Why', shown.inactive_reason],
                ['Fails since', since === null ? null : relativeTime(since, out.now())],
                ['Added', `${relativeTime(shown.created_at, out.now())} by ${shown.created_by}`],
              ]),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline webhook show 3', 'whether it works, and why not']],
      json: 'the webhook',
      quiet: 'its URL',
    },
  );
}

function eventsText({ messages, ticket_id: ticketId }: Webhook): string {
  const which = messages?.join(',') ?? 'all';
  return ticketId === null ? which : `${which} of ticket ${ticketId}`;
}

function stateText({ is_active: isActive, failing_since: failingSince }: Webhook): string {
  if (!isActive) return 'off';
  return failingSince === null ? 'active' : 'failing';
}

function isWell(webhook: Webhook): boolean {
  return stateText(webhook) === 'active';
}
