import type { Command } from 'commander';
import type { WebhookDelivery } from '../../../api/openapi/contract.generated.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../../definition/paging.ts';
import { relativeTime } from '../../output/time-format.ts';
import type { Page } from '../../server/api-client.ts';

/** Adds `airline webhook deliveries`, `resend` and `ping`. */
export function addWebhookDeliveryCommands(webhook: Command, runner: Runner): void {
  describeCommand(
    withPaging(
      webhook
        .command('deliveries')
        .description('List what was sent to a webhook, or is to be, the latest first.')
        .argument('<webhook>', 'its id', parseId('webhook')),
    ).action(
      runner.remote(async ({ api, out }, id: number, { limit, offset }: PagingOptions) => {
        const path = `/api/v1/webhook/${id}/deliveries/`;
        const time = (at: string | null) => (at === null ? '' : relativeTime(at, out.now()));
        await showPage(
          out,
          await api.get<Page<WebhookDelivery>>(path, { limit, offset }),
          [
            { head: 'ID', cell: (one) => one.id },
            { head: 'EVENT', cell: (one) => one.message_id },
            {
              head: 'STATE',
              cell: ({ state }) => state,
              tone: ({ state }) => (state === 'failed' ? 'bad' : 'plain'),
            },
            { head: 'TRIES', cell: ({ tries }) => tries },
            { head: 'STATUS', cell: (one) => one.status_code },
            { head: 'MS', cell: (one) => one.duration_ms },
            { head: 'NEXT TRY', cell: (one) => time(one.next_try_at) },
            { head: 'ERROR', cell: ({ error }) => error, isFlexible: true },
            { head: 'TRIED', cell: (one) => time(one.tried_at), isWide: true },
          ],
          'Nothing was sent to this webhook.',
        );
        return undefined;
      }),
    ),
    { examples: [['airline webhook deliveries 3', 'what came of each event']], ...PAGE_OUTPUT },
  );

  const output = { json: 'the delivery', quiet: 'the id of the delivery' };
  describeCommand(
    webhook
      .command('resend')
      .description('Send a delivery again at once.')
      .argument('<webhook>', 'its id', parseId('webhook'))
      .argument('<delivery>', 'the id of the delivery', parseId('delivery'))
      .action(
        runner.remote((context, id: number, delivery: number) =>
          send(context, id, `deliveries/${delivery}/resend/`),
        ),
      ),
    { examples: [['airline webhook resend 3 17', 'its receiver has lost it']], ...output },
  );
  describeCommand(
    webhook
      .command('ping')
      .description('Send a request that tells of no event.')
      .argument('<webhook>', 'its id', parseId('webhook'))
      .action(runner.remote((context, id: number) => send(context, id, 'ping/'))),
    {
      examples: [['airline webhook ping 3', 'try whether its receiver takes requests']],
      ...output,
    },
  );
}

/** Asks for a request to a webhook. @param what of the webhook's own addresses */
async function send({ api, out }: CommandContext, id: number, what: string): Promise<undefined> {
  const shown = await api.write<WebhookDelivery>('POST', `/api/v1/webhook/${id}/${what}`);
  await out.show({
    json: shown,
    quiet: shown.id,
    human: () =>
      `Delivery ${shown.id} is on its way; \`airline webhook deliveries ${id}\` shows what comes of it.`,
  });
}
