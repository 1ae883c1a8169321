import type { Command } from 'commander';
import type { Binarypackage, Build, Sourcepackage, Spu } from '../../api/contract.ts';
import { CommandError } from '../command-error.ts';
import { buildColumns, packagesOf } from '../describe-build.ts';
import { describeCommand } from '../describe-command.ts';
import { EXIT } from '../exit-code.ts';
import { facts } from '../facts.ts';
import type { Runner } from '../invocation.ts';
import { showPage } from '../list-page.ts';
import type { Page } from '../rest.ts';
import { relativeTime } from '../times.ts';
import { parseCount, parseLimit } from '../values.ts';

const MOST_SHOWN = 100;

/** `airline package`: source packages, what they build, and how that went. */
export function addPackageCommands(program: Command, runner: Runner): void {
  const packages = program.command('package').description('Source packages.');

  describeCommand(
    packages
      .command('list')
      .description('List source packages by their names.')
      .option('--search <text>', 'with this in the name')
      .option('--limit <count>', 'at most so many', parseLimit, 20)
      .option('--offset <count>', 'after so many', parseCount, 0)
      .action(
        runner.remote(
          async ({ rest, out }, options: { search?: string; limit: number; offset: number }) => {
            const page = await rest.get<Page<Sourcepackage>>('/api/v1/sourcepackage/', {
              order_by: 'name',
              limit: options.limit,
              offset: options.offset,
              name__icontains: options.search,
            });
            await showPage(
              out,
              page,
              [
                { head: 'ID', cell: ({ id }) => id },
                { head: 'NAME', cell: ({ name }) => name, isFlexible: true },
                { head: 'KNOWN SINCE', cell: ({ created_at: at }) => relativeTime(at, out.now()) },
              ],
              'There are no such source packages.',
            );
            return undefined;
          },
        ),
      ),
    {
      examples: [['airline package list --search lib', 'those with lib in the name']],
      json: 'the page of the API: {"meta", "objects"}',
      quiet: 'ids',
    },
  );

  describeCommand(
    packages
      .command('show')
      .description('Show a source package: its uploads, its binary packages and its latest builds.')
      .argument('<name>', 'its name')
      .action(
        runner.remote(async ({ rest, out }, name: string) => {
          const found = await rest.get<Page<Sourcepackage>>('/api/v1/sourcepackage/', { name });
          const [shown] = found.objects;
          if (!shown)
            throw new CommandError(`There is no source package ${name}.`, {
              code: 'not_found',
              exit: EXIT.notFound,
              hint: `\`airline package list --search ${name}\` shows which there are.`,
            });
          const of = { sourcepackage: shown.id, limit: MOST_SHOWN };
          const [uploads, binaries, builds] = await Promise.all([
            rest.get<Page<Spu>>('/api/v1/spu/', { ...of, order_by: '-id' }),
            rest.get<Page<Binarypackage>>('/api/v1/binarypackage/', { ...of, order_by: 'name' }),
            rest.get<Page<Build>>('/api/v1/build/', { package: name, order_by: '-id', limit: 10 }),
          ]);
          // Whatever the server knows to filter by: these are builds of the package.
          const own = builds.objects.filter((build) =>
            packagesOf(build).some((one) => one.split(' ')[0] === name),
          );
          await out.show({
            json: {
              ...shown,
              uploads: uploads.objects,
              binary_packages: binaries.objects,
              builds: own,
            },
            quiet: uploads.objects.map(({ version }) => version),
            human: () =>
              [
                facts(out, name, [
                  [
                    'Known since',
                    `${relativeTime(shown.created_at, out.now())} (${shown.created_at})`,
                  ],
                  ['Page', rest.page(`/package/${encodeURIComponent(name)}`)],
                ]),
                out.table(
                  uploads.objects,
                  [
                    { head: 'UPLOAD', cell: ({ id }) => id },
                    { head: 'VERSION', cell: ({ version }) => version, isFlexible: true },
                    { head: 'MADE', cell: ({ created_at: at }) => relativeTime(at, out.now()) },
                  ],
                  'No uploads.',
                ),
                out.table(
                  binaries.objects,
                  [
                    { head: 'BINARY PACKAGE', cell: (one) => one.name, isFlexible: true },
                    { head: 'VERSION', cell: ({ version }) => version, isFlexible: true },
                    { head: 'SEEDED', cell: ({ seeded }) => (seeded ? 'yes' : 'no') },
                  ],
                  'No binary packages.',
                ),
                out.table(own, buildColumns(out), 'No builds.'),
              ].join('\n\n'),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline package show hello', 'its versions and builds']],
      json: 'the source package with "uploads", "binary_packages" and "builds"',
      quiet: 'the versions of its uploads, the latest first',
    },
  );
}
