import { FATE_WEIGHTS, type Fate } from './fates.ts';
import { createRandom, type Random } from './random.ts';

/** The parts that are killed, by their weight: api and worker run twice. */
export const VICTIMS = {
  postgresql: 2,
  rabbitmq: 2,
  temporal: 2,
  'stand-in': 2,
  'api-1': 1,
  'api-2': 1,
  'worker-1': 1.5,
  'worker-2': 1.5,
} as const;

type Victim = keyof typeof VICTIMS;

/** One blow to one part. */
export type Blow = {
  /** Since the blow before. */
  gapMs: number;
  victim: Victim;
  /** `kill -9` of the part and all it started, or SIGSTOP and later SIGCONT. */
  kind: 'kill' | 'pause';
  /** Until it is started again, or goes on. */
  downMs: number;
  /** It may fall while another part is down; else it waits until all are up. */
  besideAnother: boolean;
  /** It waits until its victim is up; else it may hit one that is just starting. */
  whenUp: boolean;
};

/** One request of the lander. */
export type PlannedBuild = {
  number: number;
  /** It is requested so long after the blow of this number has fallen; 0: since the beginning. */
  afterBlow: number;
  delayMs: number;
  fate: Fate;
  queue: string;
  /** Fates `cancelled` and `left`: when it is cancelled, or its cancel URL says that the caller is gone. */
  cancelAfterMs: number | null;
};

export type Plan = { seed: number; builds: PlannedBuild[]; blows: Blow[]; deploysAtMs: number[] };

export type PlanOptions = {
  seed: number;
  builds: number;
  kills: number;
  /** Time over which kills, builds and deploys are spread. */
  lengthMs: number;
  /** How many of the kills are pauses instead. */
  pauseShare: number;
  deploys: number;
};

const QUEUES = 8;
const MAX_DOWN_MS = 4_000;
const MAX_PAUSE_MS = 6_000;

/** What is going to happen, decided by the seed alone. */
export function makePlan(options: PlanOptions): Plan {
  const { seed, builds, kills, lengthMs, pauseShare, deploys } = options;
  const random = createRandom(seed);
  const gapMs = lengthMs / Math.max(kills, 1);
  return {
    seed,
    blows: Array.from({ length: kills }, () => makeBlow(random, gapMs, pauseShare)),
    builds: Array.from({ length: builds }, (_, index) => {
      const share = (0.9 * index) / builds;
      // Blows take longer on a loaded machine, and the requests with them.
      return makeBuild(
        random,
        index + 1,
        kills > 0
          ? { afterBlow: Math.floor(share * kills), delayMs: random.whole(0, Math.round(gapMs)) }
          : { afterBlow: 0, delayMs: Math.round(share * lengthMs) },
      );
    }),
    deploysAtMs: Array.from({ length: deploys }, (_, index) =>
      Math.round((lengthMs * (index + 1)) / (deploys + 1)),
    ),
  };
}

function makeBlow(random: Random, gapMs: number, pauseShare: number): Blow {
  const kind = random.chance(pauseShare) ? 'pause' : 'kill';
  return {
    gapMs: Math.round(gapMs * (0.2 + 1.6 * random.fraction())),
    victim: random.weighted(VICTIMS),
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

function makeBuild(
  random: Random,
  number: number,
  when: Pick<PlannedBuild, 'afterBlow' | 'delayMs'>,
): PlannedBuild {
  const fate = random.weighted(FATE_WEIGHTS);
  const isCancelled = fate === 'cancelled' || fate === 'left';
  return {
    number,
    ...when,
    fate,
    queue: `chaos-${random.whole(1, QUEUES)}`,
    cancelAfterMs: isCancelled ? random.whole(0, 12_000) : null,
  };
}
