import type { Command } from 'commander';
import type {
  Binarypackage,
  Build,
  PackageHistory,
  PackageStatistics,
  Spu,
} from '../../api/openapi/contract.generated.ts';
import { percentage } from '../../domain/text/percentage.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import { CommandError } from '../command-error.ts';
import { buildColumns } from '../builds/build-view.ts';
import { describeCommand } from '../definition/command-help.ts';
import { EXIT } from '../exit-code.ts';
import { fieldList } from '../output/field-list.ts';
import type { Runner } from '../command-context.ts';
import { PAGE_OUTPUT, showPage, withPaging, type PagingOptions } from '../definition/paging.ts';
import type { Page, ApiClient } from '../server/api-client.ts';
import { relativeTime } from '../output/time-format.ts';

const MAX_SHOWN = 100;
const MAX_SHOWN_BUILDS = 10;

/** `airline package`: source packages, what they build, and how that went. */
export function addPackageCommands(program: Command, runner: Runner): void {
  const packages = program.command('package').description('Source packages.');

  describeCommand(
    withPaging(
      packages
        .command('list')
        .description('List source packages by their names.')
        .option('--search <text>', 'only those with this text in the name'),
    ).action(
      runner.remote(async ({ api, out }, options: PagingOptions & { search?: string }) => {
        const page = await api.get<Page<PackageStatistics>>('/api/v1/packagestatistics/', {
          limit: options.limit,
          offset: options.offset,
          q: options.search,
        });
        await showPage(
          out,
          page,
          [
            { head: 'NAME', cell: ({ name }) => name, isFlexible: true },
            {
              head: 'LATEST',
              cell: ({ latest_version: version }) => version,
              isFlexible: true,
            },
            { head: 'BUILDS', cell: ({ builds }) => builds },
            { head: 'BUILT', cell: successRate },
            { head: 'USUALLY TAKES', cell: usualDuration },
            {
              head: 'LAST BUILD',
              cell: ({ last_build_at: at }) => at && relativeTime(at, out.now()),
            },
          ],
          'No source packages match.',
        );
        return undefined;
      }),
    ),
    {
      examples: [['airline package list --search lib', 'packages with lib in the name']],
      ...PAGE_OUTPUT,
      quiet: 'names',
    },
  );

  describeCommand(
    packages
      .command('show')
      .description('Show a source package: its uploads, its binary packages and its latest builds.')
      .argument('<name>', 'its name')
      .action(
        runner.remote(async ({ api, out }, name: string) => {
          const shown = await readStatistics(api, name);
          const of = { sourcepackage__name: name, limit: MAX_SHOWN };
          const [uploads, binaries, builds] = await Promise.all([
            api.get<Page<Spu>>('/api/v1/spu/', { ...of, order_by: '-id' }),
            api.get<Page<Binarypackage>>('/api/v1/binarypackage/', { ...of, order_by: 'name' }),
            api.get<Page<Build>>('/api/v1/build/', {
              package: name,
              order_by: '-id',
              limit: MAX_SHOWN_BUILDS,
            }),
          ]);
          await out.show({
            json: {
              ...shown,
              uploads: uploads.objects,
              binary_packages: binaries.objects,
              latest_builds: builds.objects,
            },
            quiet: uploads.objects.map(({ version }) => version),
            human: () =>
              [
                fieldList(out, name, [
                  ['Builds', `${shown.builds}, ${successRate(shown) ?? 'none'} built`],
                  ['Usually takes', usualDuration(shown)],
                  ['Page', api.page(`/package/${encodeURIComponent(name)}`)],
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
                out.table(builds.objects, buildColumns(out), 'No builds.'),
              ].join('\n\n'),
          });
          return undefined;
        }),
      ),
    {
      examples: [['airline package show hello', 'its versions and builds']],
      json: 'the statistics of the package with "uploads", "binary_packages" and "latest_builds"',
      quiet: 'the versions of its uploads, the latest first',
    },
  );
}

/** @throws CommandError where there is no such package */
async function readStatistics(api: ApiClient, name: string): Promise<PackageHistory> {
  try {
    return await api.get<PackageHistory>(`/api/v1/packagestatistics/${encodeURIComponent(name)}/`);
  } catch (error) {
    if (!(error instanceof CommandError) || error.exit !== EXIT.notFound) throw error;
    throw new CommandError(`There is no source package ${name}.`, {
      code: 'not_found',
      exit: EXIT.notFound,
      hint: `\`airline package list --search ${name}\` shows which there are.`,
    });
  }
}

/** Of those builds that were not cancelled. */
function successRate({ success_rate: rate }: PackageStatistics): string | undefined {
  return rate === null ? undefined : percentage(rate);
}

function usualDuration({ median_build_ms: ms }: PackageStatistics): string | undefined {
  return ms === null ? undefined : durationText(ms);
}
