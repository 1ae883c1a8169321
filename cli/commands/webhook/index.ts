import type { Command } from 'commander';
import type { Runner } from '../../command-context.ts';
import { addWebhookChangeCommands } from './change.ts';
import { addWebhookDeliveryCommands } from './deliveries.ts';
import { addWebhookReadCommands } from './read.ts';

/** `airline webhook`: who is told of builds by HTTP. */
export function addWebhookCommands(program: Command, runner: Runner): void {
  const webhook = program
    .command('webhook')
    .description('Webhooks: who is told of builds by signed HTTP requests.');
  addWebhookChangeCommands(webhook, runner);
  addWebhookReadCommands(webhook, runner);
  addWebhookDeliveryCommands(webhook, runner);
}
