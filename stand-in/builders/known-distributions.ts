import type { Machine } from '../../sandbox/machine.ts';
import type { Distributions } from '../options.ts';

/** Series that a Launchpad of today takes uploads for; the machine's own is always one. */
const SERIES: Distributions = {
  debian: ['bullseye', 'bookworm', 'trixie', 'forky', 'sid'],
  ubuntu: ['focal', 'jammy', 'noble', 'questing', 'resolute'],
};

/** The distributions of a stand-in on this machine, each with its series. */
export function knownDistributions({ distribution, series }: Machine): Distributions {
  const own = SERIES[distribution] ?? [];
  return { ...SERIES, [distribution]: own.includes(series) ? own : [...own, series] };
}
