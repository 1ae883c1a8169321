import { landingAddress } from '../addresses.ts';
import { Elapsed } from '../components/relative-time.tsx';
import { ErrorNote } from '../components/notes.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import type { Landing } from '../server/api-types.ts';
import { landingLabel } from './labels.ts';
import { packagesText } from './landing-texts.ts';
import { useLandingSet } from './use-landing-set.ts';

/** The landings that one in line waits for, and how each stands. */
export function Line({ landing: { ahead } }: { landing: Landing }) {
  const { data, error, reload } = useLandingSet(ahead.map((one) => one.landing_id));
  return (
    <>
      <ul class="ahead" aria-label="Landings that come first">
        {ahead.map((one) => {
          const found = data?.objects.find(({ id }) => id === one.landing_id);
          return (
            <li key={one.landing_id}>
              <a href={landingAddress({ ticket_id: one.ticket_id, id: one.landing_id })}>
                Landing {one.landing_id} of ticket #{one.ticket_id}
              </a>
              {found && (
                <>
                  <StateBadge isPlain label={landingLabel(found)} />
                  {found.finished_at === null && (
                    <span class="muted">
                      for <Elapsed since={found.phase_since} />
                    </span>
                  )}
                  <span class="muted breakable">{packagesText(found)}</span>
                </>
              )}
            </li>
          );
        })}
      </ul>
      {error && <ErrorNote what="How they stand" error={error} retry={reload} />}
    </>
  );
}
