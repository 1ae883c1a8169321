import type { Blow } from '../blow.ts';
import type { Random } from '../random.ts';

/** The machines that blows fall on, by their weight. */
const MACHINES = {
  postgresql: 2,
  rabbitmq: 2,
  temporal: 2,
  s3: 1,
  'stand-in': 2,
  'api-1': 1,
  'api-2': 1,
  'worker-1': 1.2,
  'worker-2': 1.2,
  'worker-3': 1.2,
} as const;

/** Those of a run with landings: the testers, too. */
export const MACHINES_OF_LANDINGS = { ...MACHINES, 'tester-1': 1.5, 'tester-2': 1.5 } as const;

/** Largest distance of a clock from the true time, in seconds. */
const MAX_OFFSET_S = 300;
const MAX_DOWN_MS = 15_000;
const MAX_PAUSE_MS = 10_000;
/** Longer than what is retransmitted at once, shorter than what is given up. */
const LINK_MS = [1_000, 30_000] as const;

/** How often each harm but a pause is drawn. */
const HARMS = { kill: 30, cut: 15, mute: 6, deaf: 6, split: 12, lossy: 12, slow: 10 };
/** The audit of landings sets the times of the archive against those of rows: with them, all clocks are true. */
const HARMS_WITHOUT_LANDINGS = { ...HARMS, clock: 9 };

/** Go takes the time from the kernel itself: these keep the true time. */
const TRUE_CLOCKS = ['temporal', 's3'];

type Machine = keyof typeof MACHINES_OF_LANDINGS;

/** @param options.gapMs the mean time between two blows */
export function makeMachineBlow(
  random: Random,
  options: { gapMs: number; pauseShare: number; hasLandings: boolean },
): Blow {
  const kind = random.chance(options.pauseShare) ? 'pause' : drawHarm(random, options.hasLandings);
  const victim = pickMachine(random, options.hasLandings, kind === 'clock' ? TRUE_CLOCKS : []);
  const blow = {
    gapMs: Math.round(options.gapMs * (0.2 + 1.6 * random.fraction())),
    victim,
    besideAnother: random.chance(0.5),
    whenUp: !random.chance(0.15),
  };
  switch (kind) {
    case 'pause':
      return { ...blow, kind, downMs: random.whole(500, MAX_PAUSE_MS) };
    case 'kill':
      return { ...blow, kind, downMs: random.chance(0.5) ? 0 : random.whole(100, MAX_DOWN_MS) };
    case 'clock':
      return { ...blow, kind, downMs: 0, offsetS: drawOffset(random) };
    case 'split': {
      const others = machinesOf(options.hasLandings).filter(
        (name) => name !== victim && random.chance(0.4),
      );
      return { ...blow, kind, others, downMs: random.whole(...LINK_MS), besideAnother: false };
    }
    case 'lossy':
      return { ...blow, kind, percent: random.whole(5, 40), downMs: random.whole(...LINK_MS) };
    case 'slow':
      return { ...blow, kind, kbitPerS: random.whole(100, 800), downMs: random.whole(...LINK_MS) };
    default:
      return { ...blow, kind, downMs: random.whole(...LINK_MS) };
  }
}

/** @returns seconds from the true time, by machine: of some of them all that is allowed, of some nothing */
export function makeClocks(random: Random): Record<string, number> {
  return Object.fromEntries(
    Object.keys(MACHINES)
      .filter((name) => !TRUE_CLOCKS.includes(name))
      .map((name) => [name, drawOffset(random)]),
  );
}

function drawHarm(random: Random, hasLandings: boolean) {
  return hasLandings ? random.weighted(HARMS) : random.weighted(HARMS_WITHOUT_LANDINGS);
}

function drawOffset(random: Random): number {
  if (random.chance(0.4)) return random.whole(-MAX_OFFSET_S, MAX_OFFSET_S);
  return random.pick([-MAX_OFFSET_S, 0, MAX_OFFSET_S]);
}

function machinesOf(hasLandings: boolean): Machine[] {
  return Object.keys(hasLandings ? MACHINES_OF_LANDINGS : MACHINES) as Machine[];
}

function pickMachine(random: Random, hasLandings: boolean, without: readonly string[]): Machine {
  const weights = Object.entries(hasLandings ? MACHINES_OF_LANDINGS : MACHINES).filter(
    ([name]) => !without.includes(name),
  );
  return random.weighted(Object.fromEntries(weights) as Record<Machine, number>);
}
