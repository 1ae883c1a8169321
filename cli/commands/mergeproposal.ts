import { Option, type Command } from 'commander';
import type { Mergeproposal } from '../../api/openapi/contract.generated.ts';
import { MERGE_PROPOSAL_STATUSES } from '../../domain/tickets/project.ts';
import { printableLine } from '../../domain/text/printable.ts';
import type { CommandContext, Runner } from '../command-context.ts';
import { parseId } from '../definition/argument-parsers.ts';
import { idOfUri } from '../server/resource-uri.ts';
import { describeCommand } from '../definition/command-help.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../definition/paging.ts';
import { personUri } from '../tickets/person-uri.ts';
import { fieldList } from '../output/field-list.ts';
import type { ApiClient, Page } from '../server/api-client.ts';

const PATH = '/api/v1/mergeproposal/';

type CreationOptions = {
  submitter: string;
  source: string;
  sourceBranch: string;
  target: string;
  targetBranch: string;
  packagingBranch?: string;
  branch?: string;
  page?: string;
  status: string;
};

/** `airline mergeproposal`: branches that a subticket can have merged and built. */
export function addMergeProposalCommands(program: Command, runner: Runner): void {
  const proposal = program
    .command('mergeproposal')
    .description('Merge proposals: branches that a subticket can stand for.');
  addList(proposal, runner);
  addShow(proposal, runner);
  addCreate(proposal, runner);
}

function addList(proposal: Command, runner: Runner): void {
  describeCommand(
    withPaging(
      proposal
        .command('list')
        .description('List merge proposals, the latest first.')
        .addOption(
          new Option('--status <status>', 'only those with this status').choices(
            MERGE_PROPOSAL_STATUSES,
          ),
        )
        .option('--submitter <person>', 'of this person or team: an id or an e-mail address'),
    ).action(
      runner.remote(
        async ({ api, out }, options: PagingOptions & { status?: string; submitter?: string }) => {
          const { submitter } = options;
          const page = await api.get<Page<Mergeproposal>>(PATH, {
            order_by: '-id',
            limit: options.limit,
            offset: options.offset,
            status: options.status,
            submitter: submitter && idOfUri(await personUri(api, submitter)),
          });
          await showPage(
            out,
            page,
            [
              { head: 'ID', cell: ({ id }) => id },
              { head: 'STATUS', cell: ({ status }) => status },
              { head: 'SOURCE', cell: sourceOf, isFlexible: true },
              { head: 'TARGET', cell: targetOf, isFlexible: true },
              { head: 'SUBMITTER', cell: (one) => idOfUri(one.submitter), isWide: true },
              { head: 'PAGE', cell: (one) => one.hosting_weblink, isWide: true },
            ],
            'No merge proposal matches.',
          );
          return undefined;
        },
      ),
    ),
    {
      examples: [['airline mergeproposal list --status needs_review', 'those to be looked at']],
      ...PAGE_OUTPUT,
    },
  );
}

function addShow(proposal: Command, runner: Runner): void {
  describeCommand(
    proposal
      .command('show')
      .description('Show a merge proposal.')
      .argument('<mergeproposal>', 'its id', parseId('mergeproposal'))
      .action(
        runner.remote(async ({ api, out }, id: number) => {
          const shown = await api.get<Mergeproposal>(`${PATH}${id}/`);
          await out.show({
            json: shown,
            quiet: shown.status,
            human: () =>
              fieldList(out, `Merge proposal ${id}`, [
                ['Status', shown.status],
                ['Source', sourceOf(shown)],
                ['Target', targetOf(shown)],
                ['Packaging', shown.packaging_branch],
                ['Branch', idOfUri(shown.branch)],
                ['Submitter', idOfUri(shown.submitter)],
                ['Page', shown.hosting_weblink],
              ]),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline mergeproposal show 5', 'what it merges, and how far it has come']],
      json: 'the merge proposal',
      quiet: 'its status',
    },
  );
}

function addCreate(proposal: Command, runner: Runner): void {
  describeCommand(
    proposal
      .command('create')
      .description('Add a merge proposal, so that a subticket can stand for it.')
      .requiredOption('--submitter <person>', 'who proposes it: an id or an e-mail address')
      .requiredOption('--source <url>', 'the git repository with what is proposed')
      .requiredOption('--source-branch <name>', 'its branch that is to be merged')
      .requiredOption('--target <url>', 'the git repository that it is to be merged into')
      .requiredOption('--target-branch <name>', 'its branch that the source is made of once merged')
      .option(
        '--packaging-branch <name>',
        'the branch of the target with debian/, if it is another',
      )
      .option(
        '--branch <name>',
        'the unique name of the branch (default: the source and its branch)',
      )
      .option('--page <url>', 'its page where it is hosted')
      .addOption(
        new Option('--status <status>', 'how far it has come')
          .choices(MERGE_PROPOSAL_STATUSES)
          .default('needs_review'),
      )
      .action(runner.remote(create)),
    {
      examples: [
        [
          'airline mergeproposal create --submitter ann@example.com --source https://git.example.org/~ann/hello.git --source-branch fix --target https://git.example.org/hello.git --target-branch main',
          'then `airline subticket propose` and `airline subticket build`',
        ],
      ],
      json: 'the merge proposal',
      quiet: 'its id',
    },
  );
}

async function create({ api, out }: CommandContext, options: CreationOptions): Promise<undefined> {
  const submitter = await personUri(api, options.submitter);
  const name = options.branch ?? `${options.source}:${options.sourceBranch}`;
  const made = await api.write<Mergeproposal>('POST', PATH, {
    // A branch is built once at a time, so the proposals of one branch share it.
    branch: (await branchUri(api, name)) ?? {
      unique_name: name,
      owner: submitter,
      type: 'regular',
    },
    submitter,
    status: options.status,
    hosting_weblink: options.page ?? '',
    source_repository: options.source,
    source_branch: options.sourceBranch,
    target_repository: options.target,
    target_branch: options.targetBranch,
    packaging_branch: options.packagingBranch ?? '',
  });
  await out.show({
    json: made,
    quiet: made.id,
    human: () =>
      printableLine(`Merge proposal ${made.id}: ${sourceOf(made)} into ${targetOf(made)}`),
  });
  return undefined;
}

async function branchUri(api: ApiClient, name: string): Promise<string | undefined> {
  const query = { unique_name: name, order_by: 'id', limit: 1 };
  const { objects } = await api.get<Page<{ resource_uri: string }>>('/api/v1/branch/', query);
  return objects[0]?.resource_uri;
}

function sourceOf(one: Mergeproposal): string {
  return `${one.source_repository} ${one.source_branch}`.trim();
}

function targetOf(one: Mergeproposal): string {
  return `${one.target_repository} ${one.target_branch}`.trim();
}
