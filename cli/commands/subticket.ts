import type { Command } from 'commander';
import { launchpadName } from '../../domain/ppa.ts';
import type { Build, Subticket } from '../../api/openapi/contract.generated.ts';
import { usageError } from '../command-error.ts';
import { describeCommand } from '../definition/command-help.ts';
import { fieldList } from '../output/field-list.ts';
import { fileNameOfUrl } from '../../domain/source-file.ts';
import type { Runner } from '../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../definition/paging.ts';
import { toneOf } from '../output/colours.ts';
import type { Page } from '../server/api-client.ts';
import { reportTo } from '../builds/request-build.ts';
import { addSetStepCommand } from './set-step.ts';
import { relativeTime } from '../output/time-format.ts';
import { failureFields } from '../tickets/failure-fields.ts';
import {
  idOfUri,
  collectWords,
  parseId,
  parseStep,
  stepText,
} from '../definition/argument-parsers.ts';

/** `airline subticket`: the source package uploads of a ticket. */
export function addSubticketCommands(program: Command, runner: Runner): void {
  const subticket = program
    .command('subticket')
    .description('Subtickets: the source package uploads of a ticket.');

  describeCommand(
    withPaging(
      subticket
        .command('list')
        .description('List subtickets, the latest first.')
        .option('--ticket <id>', 'of this ticket', parseId)
        .option('--step <step>', 'only those at this step, given by its number or name', parseStep)
        .option('--assignee <email>', 'of this assignee'),
    ).action(
      runner.remote(
        async (
          { api, out },
          options: PagingOptions & {
            ticket?: number;
            step?: string;
            assignee?: string;
          },
        ) => {
          const page = await api.get<Page<Subticket>>('/api/v1/subticket/', {
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
              { head: 'TICKET', cell: ({ ticket }) => idOfUri(ticket) },
              {
                head: 'STEP',
                cell: (one) => stepText(one.current_workflow_step),
                tone: (one) => toneOf(one.current_workflow_step),
              },
              { head: 'UPLOAD', cell: (one) => shownId(one.source_package_upload) },
              { head: 'ASSIGNEE', cell: ({ assignee }) => assignee, isFlexible: true },
              {
                head: 'CHANGED',
                cell: ({ updated_at: at }) => relativeTime(at, out.now()),
              },
              { head: 'STATUS', cell: ({ status }) => stepText(status), isWide: true },
              { head: 'REPLACED BY', cell: (one) => one.replaced_by, isWide: true },
            ],
            'No subtickets match.',
          );
          return undefined;
        },
      ),
    ),
    {
      examples: [['airline subticket list --ticket 7', 'those of a ticket']],
      ...PAGE_OUTPUT,
    },
  );

  describeCommand(
    subticket
      .command('show')
      .description('Show a subticket.')
      .argument('<subticket>', 'its id', parseId)
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const shown = await api.get<Subticket>(`/api/v1/subticket/${id}/`);
          await out.show({
            json: shown,
            quiet: shown.current_workflow_step,
            human: () =>
              fieldList(out, `Subticket ${id}`, [
                ['Ticket', idOfUri(shown.ticket)],
                [
                  'Step',
                  stepText(shown.current_workflow_step),
                  toneOf(shown.current_workflow_step),
                ],
                [
                  'Status',
                  shown.status === shown.current_workflow_step ? '' : stepText(shown.status),
                ],
                ...failureFields(shown),
                ['Upload', shownId(shown.source_package_upload)],
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
      .option('--source <url>', 'the URL of a file of it; once for each', collectWords)
      .action(
        runner.remote(
          async (
            { api, out },
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
            const made = await api.write<Subticket>('POST', '/api/v1/subticket/', {
              ticket: `/api/v1/ticket/${options.ticket}/`,
              assignee: options.assignee ?? '',
              source_package_upload: {
                sourcepackage: { name: options.package },
                version: options.packageVersion,
              },
            });
            for (const artifact of artifacts)
              await api.write('POST', '/api/v1/subticketartifact/', {
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
      .command('propose')
      .description('Add a merge proposal to a ticket.')
      .requiredOption('--ticket <id>', 'the ticket', parseId)
      .requiredOption('--proposal <id>', 'the merge proposal', parseId)
      .option('--assignee <email>', 'who works on it')
      .action(
        runner.remote(
          async (
            { api, out },
            options: { ticket: number; proposal: number; assignee?: string },
          ) => {
            const made = await api.write<Subticket>('POST', '/api/v1/subticket/', {
              ticket: `/api/v1/ticket/${options.ticket}/`,
              assignee: options.assignee ?? '',
              merge_proposal: `/api/v1/mergeproposal/${options.proposal}/`,
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () =>
                `Subticket ${made.id} of ticket ${options.ticket}: merge proposal ${options.proposal}`,
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [['airline subticket propose --ticket 7 --proposal 5', 'what a branch changes']],
      json: 'the subticket',
      quiet: 'its id',
    },
  );

  describeCommand(
    subticket
      .command('build')
      .description('Make the source package of a merge proposal, and build it in a PPA.')
      .argument('<subticket>', 'the id of its subticket', parseId)
      .requiredOption('--ppa <ppa>', 'the PPA: ppa:owner/name, ~owner/archive/name or owner/name')
      .requiredOption('--series <series>', 'the series of the distribution', launchpadName)
      .option('--archive <archive>', "the distribution's archive", launchpadName, 'ubuntu')
      .option('--queue <name>', 'the queue for progress messages')
      .option('--webhook <id>', 'a webhook that is told of it, in place of the queue', parseId)
      .action(
        runner.remote(
          async (
            { api, out },
            id: number,
            options: {
              ppa: string;
              series: string;
              archive: string;
              queue?: string;
              webhook?: number;
            },
          ) => {
            const made = await api.write<Build>('POST', `/api/v1/subticket/${id}/build_proposal/`, {
              ppa: options.ppa,
              series: options.series,
              archive: options.archive,
              ...reportTo(options, `airline-cli-subticket-${id}`),
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () => `Build ${made.id}: airline build watch ${made.id}`,
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [['airline subticket build 9 --ppa ppa:team/landing --series noble', 'a build']],
      json: 'the build',
      quiet: 'its id',
    },
  );

  addSetStepCommand(subticket, runner, 'subticket', {
    description: 'Move a subticket to a step and give it the same status. Its ticket may follow.',
    examples: [
      ["airline subticket set-step 9 failed --reason 'does not build'", 'fails its ticket, too'],
    ],
  });
}

/** The id in a reference; empty where there is none. */
function shownId(uri: string | null): string {
  return uri === null ? '' : idOfUri(uri);
}

function nameOf(url: string): string {
  if (URL.canParse(url)) return fileNameOfUrl(url) || url;
  throw usageError(`${JSON.stringify(url)} is not a URL.`);
}
