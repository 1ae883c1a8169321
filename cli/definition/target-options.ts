import { Option, type Command } from 'commander';
import { launchpadName } from '../../domain/packages/ppa.ts';

/** What `--ppa`, `--series` and `--archive` give, and `--any-series`. */
export type TargetOptions = {
  ppa: string;
  series: string;
  archive?: string | undefined;
  anySeries?: boolean;
};

/** Adds the options that say where source packages are built. */
export function addTargetOptions(command: Command): Command {
  return command
    .requiredOption('--ppa <ppa>', 'ppa:owner/name, ~owner/distribution/name or owner/name')
    .requiredOption('--series <series>', 'the series to build for', launchpadName)
    .addOption(archiveOption())
    .addOption(anySeriesOption());
}

/** `--archive`: the distribution, where the PPA does not say it. */
export function archiveOption(): Option {
  return new Option(
    '--archive <distribution>',
    'the distribution to build for (default: that of the PPA, or else ubuntu)',
  ).argParser(launchpadName);
}

/** `--any-series`: the series is not looked for in the lists of this program. */
export function anySeriesOption(): Option {
  return new Option('--any-series', 'accept a series that this program does not know');
}
