import type { Row } from './report.ts';
import { median } from './statistics.ts';

/** What a contender has shown in one round: figures by the heads of their columns, which name the unit. */
export type Sample = Readonly<Record<string, number>>;

/** The samples of each contender by its title, one of each round. */
export type Rounds = ReadonlyMap<string, readonly Sample[]>;

/** The figure that contenders are compared by. */
export const RATE = 'a second';

/**
 * Measures contenders one after the other, round by round. Every second round goes backwards, so that none of them
 * always comes first.
 *
 * @param contenders each gives its samples of a round by title
 * @throws what a contender throws, and the signal's reason
 */
export async function runRounds(
  contenders: readonly ((round: number) => Promise<Readonly<Record<string, Sample>>>)[],
  options: { rounds: number; what?: string; signal: AbortSignal; say: (line: string) => void },
): Promise<Rounds> {
  const { rounds, what = '', signal, say } = options;
  const all = new Map<string, Sample[]>();
  for (let round = 1; round <= rounds; round++) {
    for (const measure of round % 2 === 1 ? contenders : contenders.toReversed()) {
      signal.throwIfAborted();
      for (const [title, sample] of Object.entries(await measure(round)))
        all.set(title, [...(all.get(title) ?? []), sample]);
    }
    const rates = [...all].map(([title, samples]) => `${title} ${rateOf(samples.at(-1))}`);
    say(`${what}round ${round} of ${rounds}: ${rates.join(', ')}`);
  }
  return all;
}

/** Each contender's medians, with its rate as a share of the first one's. */
export function summariseRounds(rounds: Rounds): Row[] {
  const [first = ''] = rounds.keys();
  return [...rounds.keys()].map((title) => ({
    '': title,
    ...medians(rounds, title),
    'share of the first': shareOf(rounds, title, first),
  }));
}

/** Every sample, round by round. */
export function listRounds(rounds: Rounds): Row[] {
  const [first = []] = rounds.values();
  return first.flatMap((_, at) =>
    [...rounds].map(([title, samples]) => ({ round: at + 1, '': title, ...samples[at] })),
  );
}

/** The median of each figure of a contender. */
export function medians(rounds: Rounds, title: string): Record<string, number> {
  const samples = rounds.get(title) ?? [];
  return Object.fromEntries(
    Object.keys(samples[0] ?? {}).map((figure) => [
      figure,
      median(samples.map((sample) => sample[figure] ?? Number.NaN)),
    ]),
  );
}

/** A contender's rate by another's: the median of the shares of the rounds, which one slow round does not move. */
export function shareOf(rounds: Rounds, title: string, other: string): number {
  const others = rounds.get(other) ?? [];
  const rates = (rounds.get(title) ?? []).map((sample) => sample[RATE] ?? Number.NaN);
  return median(rates.map((rate, at) => rate / (others[at]?.[RATE] ?? Number.NaN)));
}

function rateOf(sample: Sample | undefined): string {
  return (sample?.[RATE] ?? Number.NaN).toFixed(0);
}
