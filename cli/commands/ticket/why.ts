import type { Command } from 'commander';
import type { Gate } from '../../../domain/landings/gate.ts';
import { TESTS_VERDICTS } from '../../../domain/testing/test-verdict.ts';
import type { Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { describeGate, exitOfGate } from '../../landings/gate-view.ts';

/** Adds `airline ticket why`. */
export function addTicketWhyCommand(ticket: Command, runner: Runner): void {
  describeCommand(
    ticket
      .command('why')
      .description("Say whether a ticket's latest landing may be published, and what stops it.")
      .argument('<ticket>', 'its id', parseId('ticket'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const gate = await api.get<Gate>(`/api/v1/ticket/${id}/gate/`);
          await out.show({ json: gate, quiet: gate.verdict, human: () => describeGate(out, gate) });
          return exitOfGate(gate);
        }),
      ),
    {
      examples: [
        ['airline ticket why 7', 'what stops it, and what it waits for'],
        ['airline ticket why 7 --quiet', 'its verdict alone'],
      ],
      notes: [
        'It ends with 0 where the landing may be published or is, with 1 where something stops it, with 8 where a person has',
        'to approve it, and with 9 where it waits for something else.',
      ],
      json: 'the gate: the verdict, each criterion, and the tests that do not pass',
      quiet: `the verdict: ${TESTS_VERDICTS.join(', ')}`,
    },
  );
}
