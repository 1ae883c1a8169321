import type { Command } from 'commander';
import { launchpadName } from '../../domain/ppa.ts';

/** What `--ppa`, `--series` and `--archive` give. */
export type TargetOptions = { ppa: string; series: string; archive: string };

/** Adds the options that say where source packages are built. */
export function addTargetOptions(command: Command): Command {
  return command
    .requiredOption('--ppa <ppa>', 'ppa:owner/name, ~owner/distribution/name or owner/name')
    .requiredOption('--series <series>', 'the series to build for', launchpadName)
    .option(
      '--archive <distribution>',
      "the distribution's archive to build against",
      launchpadName,
      'ubuntu',
    );
}
