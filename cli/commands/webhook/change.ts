import type { Command } from 'commander';
import type { AddedWebhook, Webhook } from '../../../api/openapi/contract.generated.ts';
import type { Runner } from '../../command-context.ts';
import { collectWords, parseId, REPEATABLE } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { unansweredError } from '../../server/connection-loss.ts';

/** What waits for a webhook is made due: of a million events that takes half a minute. */
const ACTIVATION_MS = 240_000;

/** Adds `airline webhook add`, `activate` and `delete`. */
export function addWebhookChangeCommands(webhook: Command, runner: Runner): void {
  describeCommand(
    webhook
      .command('add')
      .description('Add a webhook. Its secret is shown only once.')
      .argument('<url>', 'where events go by POST')
      .option('--description <text>', 'what it is for')
      .option('--ticket <ticket>', 'only the builds of this ticket', parseId('ticket'))
      .option(
        '--message <message>',
        `only such events: STARTED, INPROGRESS, COMPLETE, FAILURE ${REPEATABLE}`,
        collectWords,
      )
      .action(
        runner.remote(
          async (
            { api, out },
            url: string,
            options: { description?: string; ticket?: number; message?: string[] },
          ) => {
            const added = await api
              .write<AddedWebhook>(
                'POST',
                '/api/v1/webhook/',
                {
                  url,
                  description: options.description,
                  ticket_id: options.ticket,
                  messages: options.message,
                },
                { isRepeatable: false },
              )
              .catch((error: unknown) => {
                throw unansweredError(
                  error,
                  'the webhook was added',
                  '`airline webhook list` shows whether it was. If so, its secret is lost: delete it with `airline webhook delete` and its id. Then make the same call again.',
                );
              });
            out.notice(`Webhook ${added.id}. Its secret is shown only once:`);
            await out.show({
              json: added,
              quiet: added.secret ?? '',
              human: () => added.secret ?? '',
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        ['airline webhook add https://lander.example.org/hook', 'every event of every build'],
        [
          'airline webhook add https://lander.example.org/hook --message COMPLETE,FAILURE > secret',
          'how builds end; only the secret goes into the file',
        ],
      ],
      json: 'the webhook, with its secret',
      quiet: 'the secret',
    },
  );

  describeCommand(
    webhook
      .command('activate')
      .description('Go on with a webhook that was switched off.')
      .argument('<webhook>', 'its id', parseId('webhook'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const shown = await api.write<Webhook>(
            'PATCH',
            `/api/v1/webhook/${id}/`,
            { is_active: true },
            { answerMs: ACTIVATION_MS },
          );
          await out.show({ json: shown, human: () => `Webhook ${id} is active.` });
          return undefined;
        }),
      ),
    {
      examples: [['airline webhook activate 3', 'its receiver works again']],
      json: 'the webhook',
    },
  );

  describeCommand(
    webhook
      .command('delete')
      .description('Delete a webhook, with what waits for it and its log.')
      .argument('<webhook>', 'its id', parseId('webhook'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          await api.remove(`/api/v1/webhook/${id}/`);
          await out.show({ json: { id }, human: () => `Webhook ${id} is deleted.` });
          return undefined;
        }),
      ),
    { examples: [['airline webhook delete 3', 'nothing more is sent there']], json: 'the id' },
  );
}
