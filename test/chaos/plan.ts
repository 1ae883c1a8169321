import { FATE_WEIGHTS, type Fate } from './fates.ts';
import { LANDING_FATE_WEIGHTS, type LandingFate } from './landing-fates.ts';
import type { Blow } from './blow.ts';
import { makeClocks, makeMachineBlow } from './machines/machine-blows.ts';
import { createRandom, type Random } from './random.ts';

/** The parts that are killed, by their weight: api and worker run twice. */
const VICTIMS = {
  postgresql: 2,
  rabbitmq: 2,
  temporal: 2,
  'stand-in': 2,
  'api-1': 1,
  'api-2': 1,
  'worker-1': 1.5,
  'worker-2': 1.5,
} as const;

/** Those of a run with landings: the testers, too. */
export const VICTIMS_OF_LANDINGS = { ...VICTIMS, 'tester-1': 2, 'tester-2': 2 } as const;

/** When something is requested: so long after the blow of this number has fallen; 0: since the beginning. */
type When = { afterBlow: number; delayMs: number };

/** One request of the lander. */
export type PlannedBuild = When & {
  number: number;
  fate: Fate;
  queue: string;
  /** Fates `cancelled` and `left`: when it is cancelled, or its cancel URL says that the caller is gone. */
  cancelAfterMs: number | null;
};

/** One landing that the lander requests. */
export type PlannedLanding = When & {
  number: number;
  fate: LandingFate;
  /** How many source packages its ticket has. */
  packages: number;
  /** It takes a PPA of the pool; else it has one of its own. */
  usesPool: boolean;
  queue: string;
  /** Fate `cancelled`: when. */
  cancelAfterMs: number | null;
};

export type Plan = {
  seed: number;
  builds: PlannedBuild[];
  landings: PlannedLanding[];
  blows: Blow[];
  deploysAtMs: number[];
  /** How far the clock of each machine is from the true time at the beginning, in seconds; null without machines. */
  clocks: Record<string, number> | null;
};

export type PlanOptions = {
  seed: number;
  builds: number;
  landings: number;
  kills: number;
  /** Time over which kills, builds, landings and deploys are spread. */
  lengthMs: number;
  /** How many of the kills are pauses instead. */
  pauseShare: number;
  deploys: number;
  /** Each part has a machine of its own. */
  machines: boolean;
};

const QUEUES = 8;
const MAX_DOWN_MS = 4_000;
const MAX_PAUSE_MS = 6_000;

/** What is going to happen, decided by the seed alone. */
export function makePlan(options: PlanOptions): Plan {
  const { seed, builds, landings, kills, lengthMs, pauseShare, deploys, machines } = options;
  const random = createRandom(seed);
  const gapMs = lengthMs / Math.max(kills, 1);
  // Blows take longer on a loaded machine, and the requests with them.
  const when = (share: number): When =>
    kills > 0
      ? { afterBlow: Math.floor(share * kills), delayMs: random.whole(0, Math.round(gapMs)) }
      : { afterBlow: 0, delayMs: Math.round(share * lengthMs) };
  return {
    seed,
    blows: Array.from({ length: kills }, () =>
      machines
        ? makeMachineBlow(random, { gapMs, pauseShare, hasLandings: landings > 0 })
        : makeBlow(random, gapMs, pauseShare, landings > 0),
    ),
    builds: Array.from({ length: builds }, (_, index) =>
      makeBuild(random, index + 1, when((0.9 * index) / builds)),
    ),
    // One takes longer than a build: the last begin earlier.
    landings: Array.from({ length: landings }, (_, index) =>
      makeLanding(random, index + 1, when((0.7 * index) / landings)),
    ),
    deploysAtMs: Array.from({ length: deploys }, (_, index) =>
      Math.round((lengthMs * (index + 1)) / (deploys + 1)),
    ),
    clocks: machines ? (landings > 0 ? {} : makeClocks(random)) : null,
  };
}

function makeBlow(random: Random, gapMs: number, pauseShare: number, hasLandings: boolean): Blow {
  const kind = random.chance(pauseShare) ? 'pause' : 'kill';
  return {
    gapMs: Math.round(gapMs * (0.2 + 1.6 * random.fraction())),
    victim: hasLandings ? random.weighted(VICTIMS_OF_LANDINGS) : random.weighted(VICTIMS),
    kind,
    downMs:
      kind === 'pause'
        ? random.whole(500, MAX_PAUSE_MS)
        : random.chance(0.5)
          ? 0
          : random.whole(100, MAX_DOWN_MS),
    besideAnother: random.chance(0.5),
    whenUp: !random.chance(0.15),
  };
}

function makeBuild(random: Random, number: number, when: When): PlannedBuild {
  const fate = random.weighted(FATE_WEIGHTS);
  const isCancelled = fate === 'cancelled' || fate === 'left';
  return {
    number,
    ...when,
    fate,
    queue: queueOf(random),
    cancelAfterMs: isCancelled ? random.whole(0, 12_000) : null,
  };
}

function makeLanding(random: Random, number: number, when: When): PlannedLanding {
  const fate = random.weighted(LANDING_FATE_WEIGHTS);
  return {
    number,
    ...when,
    fate,
    packages: fate === 'shared' ? 1 : random.whole(fate === 'partly' ? 2 : 1, 3),
    usesPool: random.chance(0.4),
    queue: queueOf(random),
    cancelAfterMs: fate === 'cancelled' ? random.whole(0, 20_000) : null,
  };
}

function queueOf(random: Random): string {
  return `chaos-${random.whole(1, QUEUES)}`;
}
