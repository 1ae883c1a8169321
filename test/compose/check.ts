import type { Call, Ppa } from './builds.ts';
import type { Installation } from './installation.ts';

/** What a step works with. */
export type Check = {
  installation: Installation;
  ppa: Ppa;
  /** The API on loopback. */
  call: Call;
  /** Its password is in `.env`. */
  amqpUrl: () => string;
  /** Kills Docker's engine and starts it again; undefined where nobody says how. */
  restartEngine: string | undefined;
  /** Does something, and notes what was seen and how long it took. @throws what `run` throws */
  step: (name: string, run: () => Promise<string>) => Promise<void>;
};
