import { Option, type Command } from 'commander';
import type { Branch, Project, Testsuite } from '../../api/openapi/contract.generated.ts';
import { BRANCH_TYPES } from '../../domain/tickets/project.ts';
import { printableLine } from '../../domain/text/printable.ts';
import { describeCommand } from '../definition/command-help.ts';
import type { Runner } from '../command-context.ts';
import { parsePackageName } from '../definition/argument-parsers.ts';
import { idOfUri } from '../server/resource-uri.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../definition/paging.ts';
import type { Column } from '../output/table.ts';
import type { Page } from '../server/api-client.ts';
import { personUri } from '../tickets/person-uri.ts';

/** `airline project`, `branch` and `testsuite`: what tickets are about besides source packages. */
export function addCatalogueCommands(program: Command, runner: Runner): void {
  addProjectCommands(program, runner);
  addBranchCommands(program, runner);
  addTestSuiteCommands(program, runner);
}

function addProjectCommands(program: Command, runner: Runner): void {
  const project = program.command('project').description('Upstream projects.');
  addListCommand<Project>(project, runner, {
    description: 'List projects by their names.',
    order: 'name',
    columns: [
      { head: 'ID', cell: ({ id }) => id },
      { head: 'NAME', cell: ({ name }) => name, isFlexible: true },
      { head: 'DISPLAY NAME', cell: (one) => one.display_name, isFlexible: true },
      { head: 'MAINTAINER', cell: ({ maintainer }) => idOfUri(maintainer) },
      { head: 'CONTACT', cell: ({ contact }) => idOfUri(contact), isWide: true },
      { head: 'DESCRIPTION', cell: ({ description }) => description, isWide: true },
    ],
  });
  describeCommand(
    project
      .command('create')
      .description('Add an upstream project.')
      .requiredOption('--name <name>', 'its name')
      .requiredOption('--maintainer <person>', 'who maintains it: an id or an e-mail address')
      .option('--display-name <name>', 'its name as people read it (default: the name)')
      .option('--contact <person>', 'whom to ask about it (default: the maintainer)')
      .option('--description <text>', 'what it is')
      .action(
        runner.remote(
          async (
            { api, out },
            options: {
              name: string;
              maintainer: string;
              displayName?: string;
              contact?: string;
              description?: string;
            },
          ) => {
            const maintainer = await personUri(api, options.maintainer);
            const made = await api.write<Project>('POST', '/api/v1/project/', {
              name: options.name,
              display_name: options.displayName ?? options.name,
              maintainer,
              contact:
                options.contact === undefined ? maintainer : await personUri(api, options.contact),
              description: options.description ?? '',
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () => printableLine(`Project ${made.id}: ${made.name}`),
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [['airline project create --name hello --maintainer ann@example.com', 'one more']],
      json: 'the project',
      quiet: 'its id',
    },
  );
}

function addBranchCommands(program: Command, runner: Runner): void {
  const branch = program.command('branch').description('Branches of the code of projects.');
  addListCommand<Branch>(branch, runner, {
    description: 'List branches by their names.',
    order: 'unique_name',
    columns: [
      { head: 'ID', cell: ({ id }) => id },
      { head: 'NAME', cell: (one) => one.unique_name, isFlexible: true },
      { head: 'TYPE', cell: ({ type }) => type },
      { head: 'OWNER', cell: ({ owner }) => idOfUri(owner) },
      { head: 'PROJECT', cell: ({ project }) => project && idOfUri(project) },
    ],
  });
  describeCommand(
    branch
      .command('create')
      .description('Add a branch.')
      .requiredOption('--name <name>', 'its full name, as ~owner/project/name')
      .requiredOption('--owner <person>', 'whose it is: an id or an e-mail address')
      .addOption(
        new Option('--type <type>', 'what it is for').choices(BRANCH_TYPES).default('regular'),
      )
      .action(
        runner.remote(
          async ({ api, out }, options: { name: string; owner: string; type: string }) => {
            const made = await api.write<Branch>('POST', '/api/v1/branch/', {
              unique_name: options.name,
              owner: await personUri(api, options.owner),
              type: options.type,
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () => printableLine(`Branch ${made.id}: ${made.unique_name}`),
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [["airline branch create --name '~ann/hello/fix' --owner ann@example.com", 'hers']],
      json: 'the branch',
      quiet: 'its id',
    },
  );
}

function addTestSuiteCommands(program: Command, runner: Runner): void {
  const suite = program.command('testsuite').description('Tests that are run for tickets.');
  addListCommand<Testsuite>(suite, runner, {
    description: 'List test suites by their names.',
    order: 'name',
    columns: [
      { head: 'ID', cell: ({ id }) => id },
      { head: 'NAME', cell: ({ name }) => name, isFlexible: true },
      { head: 'PACKAGE', cell: (one) => one.sourcepackage && idOfUri(one.sourcepackage) },
      { head: 'DESCRIPTION', cell: ({ description }) => description, isFlexible: true },
    ],
  });
  describeCommand(
    suite
      .command('create')
      .description('Add a test suite, such as the DEP-8 tests of a source package.')
      .requiredOption('--name <name>', 'what it is called')
      .option('--package <name>', 'the source package that has the tests', parsePackageName)
      .option('--description <text>', 'what it tests')
      .action(
        runner.remote(
          async (
            { api, out },
            options: { name: string; package?: string; description?: string },
          ) => {
            const made = await api.write<Testsuite>('POST', '/api/v1/testsuite/', {
              name: options.name,
              description: options.description ?? '',
              ...(options.package === undefined
                ? {}
                : { sourcepackage: { name: options.package } }),
            });
            await out.show({
              json: made,
              quiet: made.id,
              human: () => printableLine(`Test suite ${made.id}: ${made.name}`),
            });
            return undefined;
          },
        ),
      ),
    {
      examples: [["airline testsuite create --name 'DEP-8 of hello' --package hello", 'its tests']],
      json: 'the test suite',
      quiet: 'its id',
    },
  );
}

/** Adds `list` to the commands of a resource. */
function addListCommand<T extends { id: number }>(
  parent: Command,
  runner: Runner,
  about: { description: string; order: string; columns: readonly Column<T>[] },
): void {
  const resource = parent.name();
  describeCommand(
    withPaging(parent.command('list').description(about.description)).action(
      runner.remote(async ({ api, out }, { limit, offset }: PagingOptions) => {
        const page = await api.get<Page<T>>(`/api/v1/${resource}/`, {
          order_by: about.order,
          limit,
          offset,
        });
        await showPage(out, page, about.columns, `There is no ${resource}.`);
        return undefined;
      }),
    ),
    { examples: [[`airline ${resource} list`, 'all of them, page by page']], ...PAGE_OUTPUT },
  );
}
