import type { Command } from 'commander';
import type { Build } from '../../../api/openapi/contract.generated.ts';
import { downloadPackage } from '../../builds/download-packages.ts';
import { CommandError } from '../../command-error.ts';
import { describeCommand } from '../../definition/command-help.ts';
import { EXIT } from '../../exit-code.ts';
import type { CommandContext, Runner } from '../../command-context.ts';
import { parseId } from '../../definition/argument-parsers.ts';
import { phaseWords } from '../../../domain/builds/build-phase.ts';
import { printableLine } from '../../../domain/text/printable.ts';

type DownloadOptions = { to: string; architecture?: string; package?: string; list?: boolean };

/** Adds `airline build download`. */
export function addBuildDownloadCommand(build: Command, runner: Runner): void {
  describeCommand(
    build
      .command('download')
      .description('Fetch the packages that a build has made.')
      .argument('<build>', 'its id', parseId('build'))
      .option('--to <folder>', 'the folder that they are written to', '.')
      .option('--architecture <name>', 'only those for this architecture, and for all')
      .option('--package <name>', 'only the binary package of this name')
      .option('--list', 'print their addresses only')
      .action(
        runner.remote(async (context, id: number, options: DownloadOptions) => {
          await download(context, id, options);
          return undefined;
        }),
      ),
    {
      examples: [
        ['airline build download 12', 'all of them, into this folder'],
        ['airline build download 12 --architecture amd64 --to packages', 'those for one machine'],
      ],
      notes: [
        'A package of this folder is installed by `sudo apt install ./hello_2.10-3_amd64.deb`.',
        'Each file is checked against the SHA-256 of the record of the build before it comes under its name. Where the record has none, as the PPA did not say it, a notice names the file.',
        "The line for apt's sources.list, which `airline build show` prints, installs them with what they depend on. apt needs the PPA's key first, whose fingerprint `signed-by` names; without it, `apt update` fails. On Ubuntu, `sudo add-apt-repository ppa:owner/name` adds the key and the line of a PPA of Launchpad.",
      ],
      json: 'an object on each line: {"file", "url", "sha256"}; with --list without "file"',
      quiet: 'the files, or with --list the addresses',
    },
  );
}

async function download(
  { api, out }: CommandContext,
  id: number,
  wanted: DownloadOptions,
): Promise<void> {
  const { built_packages: built, phase } = await api.get<Build>(`/api/v1/build/${id}/`);
  const packages = built.filter(
    ({ name, architecture }) =>
      (wanted.package === undefined || name === wanted.package) &&
      (wanted.architecture === undefined || [wanted.architecture, 'all'].includes(architecture)),
  );
  if (packages.length === 0)
    throw new CommandError(
      built.length === 0
        ? `Build ${id} has no packages: it is ${phaseWords(phase)}.`
        : `Build ${id} has no such package. There are: ${built.map((one) => `${one.name} (${one.architecture})`).join(', ')}.`,
      { code: 'not_found', exit: EXIT.notFound },
    );
  for (const one of packages) {
    const { url, sha256 } = one;
    const file = wanted.list ? undefined : await downloadPackage(api, one, wanted.to);
    if (file !== undefined && sha256 === null)
      out.notice(`${file}: the record has no SHA-256, so it was not checked.`);
    const known = file ?? url;
    const shown = known ?? `${one.name} ${one.version}: not published`;
    if (out.form === 'quiet' && known !== null)
      await out.show({ json: known, quiet: known, human: () => '' });
    out.entry({ ...(file === undefined ? {} : { file }), url, sha256 }, () => printableLine(shown));
  }
}
