import { z } from 'zod';
import { parsePpa, type Ppa } from '../../../domain/packages/ppa.ts';
import {
  listed,
  milliseconds,
  optional,
  section,
  type Setting,
  UP_TO_A_MONTH,
} from '../setting.ts';

export const pool = section('The pool of PPAs', {
  pool: {
    ppas: ppas(
      'AIRLINE_PPA_POOL',
      'PPAs that landings take turns in, comma-separated, such as ~team/ubuntu/silo-1. Those that the pool never had are added at start. Airline deletes what landings have left in them.',
    ),
    leaseKeepMs: milliseconds(
      'AIRLINE_LANDING_LEASE_KEEP_MS',
      86_400_000,
      'Time that a landing that has failed keeps its PPA of the pool, so that a retry goes on with what is built. Where another landing waits for one, it is an hour at most.',
      UP_TO_A_MONTH,
    ),
    cleanMs: milliseconds(
      'AIRLINE_PPA_CLEAN_MS',
      6 * 3_600_000,
      'Time for a PPA of the pool to be emptied. After it the PPA is quarantined.',
      UP_TO_A_MONTH,
    ),
  },
});

/** Launchpad's references of PPAs: they name the distribution. */
function ppas(variable: Setting['variable'], description: string): Setting<readonly Ppa[]> {
  const setting = listed(optional('list', variable, description));
  return {
    ...setting,
    schema: setting.schema.transform((entries, context) =>
      entries.map((entry) => {
        const ppa = entry.startsWith('~') ? parsePpa(entry, '') : undefined;
        if (ppa) return ppa;
        context.addIssue(`${entry} is no PPA as ~owner/distribution/name`);
        return z.NEVER;
      }),
    ),
  };
}
