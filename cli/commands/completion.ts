import { Argument, type Command } from 'commander';
import { commandTree } from '../definition/command-tree.ts';
import { COMPLETED_KINDS, completionScript, SHELLS } from '../completion/completion-script.ts';
import { describeCommand } from '../definition/command-help.ts';
import type { Runner } from '../command-context.ts';
import type { Page } from '../server/api-client.ts';

/** While somebody waits for a completion. */
const IDS_ANSWER_MS = 1_000;
const MAX_IDS = 30;

/** `airline completion`: scripts that complete the command in a shell. */
export function addCompletionCommand(program: Command, runner: Runner): void {
  describeCommand(
    program
      .command('completion')
      .description('Print the script that completes this command in a shell.')
      .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(SHELLS))
      .action(
        runner.local(async ({ out }, shell: (typeof SHELLS)[number]) => {
          const script = completionScript(shell, commandTree(program)).trimEnd();
          await out.show({ json: { shell, script }, quiet: script, human: () => script });
          return undefined;
        }),
      ),
    {
      examples: [
        ['source <(airline completion bash)', 'in ~/.bashrc'],
        ['airline completion zsh > "${fpath[1]}/_airline"', 'once'],
        ['airline completion fish > ~/.config/fish/completions/airline.fish', 'once'],
      ],
      json: '{"shell", "script"}',
      quiet: 'the script',
    },
  );
  program
    .command('completion-ids', { hidden: true })
    .addArgument(new Argument('<kind>').choices(COMPLETED_KINDS))
    .action(
      runner.remote(async ({ api, environment }, kind: string) => {
        const { objects } = await api.get<Page<{ id: unknown }>>(
          `/api/v1/${kind}/`,
          { order_by: '-id', limit: MAX_IDS },
          { maxTries: 1, answerMs: IDS_ANSWER_MS },
        );
        // Of a text, a shell that has loaded the script of an earlier version runs what is a command in it.
        for (const { id } of objects)
          if (typeof id === 'number' && Number.isSafeInteger(id) && id > 0)
            environment.stdout.write(`${id}\n`);
        return undefined;
      }),
    );
}
