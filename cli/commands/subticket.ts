import type { Command } from 'commander';
import type { Subticket } from '../../api/contract.ts';
import { usageError } from '../command-error.ts';
import { describeCommand } from '../describe-command.ts';
import { facts } from '../facts.ts';
import type { Runner } from '../invocation.ts';
import { showPage } from '../list-page.ts';
import { toneOf } from '../paint.ts';
import type { Page } from '../rest.ts';
import { setStep, type SetStepOptions } from '../set-step.ts';
import { relativeTime } from '../times.ts';
import { collect, parseCount, parseId, parseLimit, parseStep, stepText } from '../values.ts';

/** `airline subticket`: the source package uploads of a ticket. */
export function addSubticketCommands(program: Command, runner: Runner): void {
  const subticket = program
    .command('subticket')
    .description('Subtickets: the source package uploads of a ticket.');

  describeCommand(
    subticket
      .command('list')
      .description('List subtickets, the latest first.')
      .option('--ticket <id>', 'of this ticket', parseId)
      .option('--step <step>', 'at this step, by its number or its name', parseStep)
      .option('--assignee <email>', 'of this assignee')
      .option('--limit <count>', 'at most so many', parseLimit, 20)
      .option('--offset <count>', 'after so many', parseCount, 0)
      .action(
        runner.remote(
          async (
            { rest, out },
            options: {
              ticket?: number;
              step?: string;
              assignee?: string;
              limit: number;
              offset: number;
            },
          ) => {
            const page = await rest.get<Page<Subticket>>('/api/v1/subticket/', {
              order_by: '-id',
              limit: options.limit,
              offset: options.offset,
              ticket: options.ticket,
              current_workflow_step: options.step,
              assignee: options.assignee,
            });
            await showPage(
              out,
              page,
              [
                { head: 'ID', cell: ({ id }) => id },
                { head: 'TICKET', cell: ({ ticket }) => lastId(ticket) },
                {
                  head: 'STEP',
                  cell: (one) => stepText(one.current_workflow_step),
                  tone: (one) => toneOf(one.current_workflow_step),
                },
                { head: 'UPLOAD', cell: (one) => lastId(one.source_package_upload) },
                { head: 'ASSIGNEE', cell: ({ assignee }) => assignee, isFlexible: true },
                {
                  head: 'CHANGED',
                  cell: ({ updated_at: at }) => relativeTime(at, out.now()),
                },
                { head: 'STATUS', cell: ({ status }) => stepText(status), isWide: true },
                { head: 'REPLACED BY', cell: (one) => one.replaced_by, isWide: true },
              ],
              'There are no such subtickets.',
            );
            return undefined;
          },
        ),
      ),
    {
      examples: [['airline subticket list --ticket 7', 'those of a ticket']],
      json: 'the page of the API: {"meta", "objects"}',
      quiet: 'ids',
    },
  );

  describeCommand(
    subticket
      .command('show')
      .description('Show a subticket.')
      .argument('<subticket>', 'its id', parseId)
      .action(
        runner.remote(async ({ rest, out }, id: number) => {
          const shown = await rest.get<Subticket>(`/api/v1/subticket/${id}/`);
          await out.show({
            json: shown,
            quiet: shown.current_workflow_step,
            human: () =>
              facts(out, `Subticket ${id}`, [
                ['Ticket', lastId(shown.ticket)],
                [
                  'Step',
                  stepText(shown.current_workflow_step),
                  toneOf(shown.current_workflow_step),
                ],
                [
                  'Status',
                  shown.status === shown.current_workflow_step ? '' : stepText(shown.status),
                ],
                ['Upload', lastId(shown.source_package_upload)],
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
      examples: [['airline subticket show 9', 'where it stands']],
      json: 'the subticket',
      quiet: 'its step',
    },
  );

  describeCommand(
    subticket
      .command('create')
      .description('Add a source package upload to a ticket.')
      .requiredOption('--ticket <id>', 'the ticket', parseId)
      .requiredOption(
        '--package <name>',
        'the name of the source package; it is added if it is new',
      )
      .requiredOption('--package-version <version>', 'its version')
      .option('--assignee <email>', 'who works on it')
      .option('--source <url>', 'the URL of a file of it; once for each', collect)
      .action(
        runner.remote(
          async (
            { rest, out },
            options: {
              ticket: number;
              package: string;
              packageVersion: string;
              assignee?: string;
              source?: string[];
            },
          ) => {
            const artifacts = (options.source ?? []).map((reference) => ({
              name: nameOf(reference),
              type: 'SPU',
              reference,
            }));
            const made = await rest.write<Subticket>('POST', '/api/v1/subticket/', {
              ticket: `/api/v1/ticket/${options.ticket}/`,
              assignee: options.assignee ?? '',
              source_package_upload: {
                sourcepackage: { name: options.package },
                version: options.packageVersion,
              },
            });
            for (const artifact of artifacts)
              await rest.write('POST', '/api/v1/subticketartifact/', {
                ...artifact,
                subticket: made.resource_uri,
              });
            await out.show({
              json: made,
              quiet: made.id,
              human: () =>
                `Subticket ${made.id} of ticket ${options.ticket}: ${options.package} ${options.packageVersion}`,
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [
        [
          'airline subticket create --ticket 7 --package hello --package-version 2.10-3',
          'one more package',
        ],
      ],
      json: 'the subticket',
      quiet: 'its id',
    },
  );

  describeCommand(
    subticket
      .command('set-step')
      .description(
        'Move a subticket to a step; its status goes with it, and its ticket may follow.',
      )
      .argument('<subticket>', 'its id', parseId)
      .argument('<step>', 'a step by its number or its name: 300, image-building', parseStep)
      .option('--status <step>', 'a status other than the step', parseStep)
      .option('--reason <text>', 'why, for the history')
      .option('--from <step>', 'only if it stands at this step', parseStep)
      .action(
        runner.remote(async (invocation, id: number, step: string, options: SetStepOptions) => {
          await setStep(invocation, 'subticket', id, step, options);
          return undefined;
        }),
      ),
    {
      examples: [
        ["airline subticket set-step 9 failed --reason 'does not build'", 'fails its ticket, too'],
      ],
      json: 'the subticket',
      quiet: 'its step',
    },
  );
}

function lastId(uri: string): string {
  return /(\d+)\/?$/.exec(uri)?.[1] ?? uri;
}

function nameOf(url: string): string {
  if (URL.canParse(url)) return decodeURIComponent(new URL(url).pathname.split('/').at(-1) || url);
  throw usageError(`${JSON.stringify(url)} is no URL.`);
}
