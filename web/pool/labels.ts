import type { PoolPpaState } from '../../domain/landings/pool-ppa.ts';
import { byPerson, good, off, runs, type StateLabel } from '../states.ts';

const STATES: Record<PoolPpaState, StateLabel> = {
  free: good('Free'),
  leased: runs('Leased'),
  cleaning: runs('Being cleaned'),
  quarantined: byPerson('Quarantined'),
  retired: off('Retired'),
};

/** How a PPA of the pool is shown. */
export function poolLabel(state: PoolPpaState): StateLabel {
  return STATES[state];
}
