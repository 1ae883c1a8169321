import { Option, type Command } from 'commander';
import { POCKETS } from '../../domain/packages/archive.ts';

/** What says where a landing publishes, beside `--target`. */
export type LandingOptions = { targetSeries?: string; pocket?: string };

/** Adds `--target-series` and `--pocket`. */
export function addLandingOptions(command: Command): Command {
  return command
    .option('--target-series <series>', 'the series of the target (default: that of --series)')
    .addOption(pocketOption());
}

/** `--target`: where a landing publishes. */
export function targetOption(): Option {
  return new Option('--target <target>', 'where to publish: a PPA, or the name of a distribution');
}

/** `--pocket`: in which part of that. */
export function pocketOption(): Option {
  return new Option(
    '--pocket <pocket>',
    'the pocket of the target (default: Release in a PPA, else Proposed)',
  ).choices(POCKETS);
}
