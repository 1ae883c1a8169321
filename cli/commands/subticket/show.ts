import type { Command } from 'commander';
import type { Subticket } from '../../../api/openapi/contract.generated.ts';
import { describeCommand } from '../../definition/command-help.ts';
import type { Runner } from '../../command-context.ts';
import { fieldList } from '../../output/field-list.ts';
import { toneOf } from '../../output/colours.ts';
import { uploadNames } from '../../tickets/upload-names.ts';
import { relativeTime } from '../../output/time-format.ts';
import { failureFields } from '../../tickets/failure-fields.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { stepText } from '../../output/step-text.ts';
import { stepToShow } from '../../../domain/tickets/ticket.ts';
import { idOfUri } from '../../server/resource-uri.ts';

/** Adds `airline subticket show`. */
export function addSubticketShowCommand(subticket: Command, runner: Runner): void {
  describeCommand(
    subticket
      .command('show')
      .description('Show a subticket.')
      .argument('<subticket>', 'its id', parseId('subticket'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const shown = await api.get<Subticket>(`/api/v1/subticket/${id}/`);
          const names = await uploadNames(
            api,
            out.form === 'human' ? [shown.source_package_upload] : [],
          );
          await out.show({
            json: shown,
            quiet: shown.current_workflow_step,
            human: () =>
              fieldList(out, `Subticket ${id}`, [
                ['Ticket', idOfUri(shown.ticket)],
                ['Step', stepText(shown.current_workflow_step), toneOf(stepToShow(shown))],
                [
                  'Status',
                  shown.status === shown.current_workflow_step ? '' : stepText(shown.status),
                ],
                ...failureFields(shown),
                ['Upload', names.get(shown.source_package_upload ?? '')],
                ['Merge proposal', shownId(shown.merge_proposal)],
                ['Assignee', shown.assignee],
                ['Replaced by', shown.replaced_by],
                ['Created', `${relativeTime(shown.created_at, out.now())} (${shown.created_at})`],
                ['Changed', `${relativeTime(shown.updated_at, out.now())} (${shown.updated_at})`],
              ]),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline subticket show 9', 'the state of a subticket']],
      json: 'the subticket',
      quiet: 'its step',
    },
  );
}

/** The id in a reference; empty where there is none. */
function shownId(uri: string | null): string {
  return uri === null ? '' : idOfUri(uri);
}
