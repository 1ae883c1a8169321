import type { StandIn, StandInOptions } from './options.ts';

export type { RunAs, StandIn, StandInLimits, StandInOptions } from './options.ts';

/**
 * Starts a Launchpad on this machine: upload server, web service, builder and apt repository.
 *
 * @throws where a port is taken, the state cannot be read or the script is malformed
 */
export declare function startStandIn(options: StandInOptions): Promise<StandIn>;
