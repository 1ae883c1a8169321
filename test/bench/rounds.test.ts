import {
  listRounds,
  RATE,
  runRounds,
  shareOf,
  summariseRounds,
  type Rounds,
} from '../../bench/rounds.ts';

/** Rounds of a machine that has half its speed in the second one. */
const rounds: Rounds = new Map([
  ['peer', [{ [RATE]: 1_000 }, { [RATE]: 500 }, { [RATE]: 1_000 }]],
  [
    'ours',
    [
      { [RATE]: 600, MiB: 1 },
      { [RATE]: 300, MiB: 9 },
      { [RATE]: 400, MiB: 2 },
    ],
  ],
]);

describe('rounds', () => {
  it('measure every contender once, every second time backwards', async () => {
    const order: string[] = [];
    const lines: string[] = [];
    const contender = (title: string) => async (round: number) => {
      order.push(`${title} ${round}`);
      return Promise.resolve({ [title]: { [RATE]: round } });
    };

    const measured = await runRounds([contender('a'), contender('b')], {
      rounds: 3,
      what: 'POST, ',
      signal: new AbortController().signal,
      say: (line) => lines.push(line),
    });

    expect(order).toEqual(['a 1', 'b 1', 'b 2', 'a 2', 'a 3', 'b 3']);
    expect([...measured]).toEqual(
      ['a', 'b'].map((title) => [title, [1, 2, 3].map((rate) => ({ [RATE]: rate }))]),
    );
    expect(lines[1]).toBe('POST, round 2 of 3: a 2, b 2');
  });

  it('end when they are stopped', async () => {
    const options = { rounds: 1, signal: AbortSignal.abort(new Error('stopped')), say: () => 0 };

    await expect(runRounds([() => Promise.resolve({})], options)).rejects.toThrow('stopped');
  });

  it('are summarised by medians, and by the median of the shares of each round', () => {
    expect(summariseRounds(rounds)).toEqual([
      { '': 'peer', [RATE]: 1_000, 'share of the first': 1 },
      { '': 'ours', [RATE]: 400, MiB: 2, 'share of the first': expect.closeTo(0.6) as number },
    ]);
    expect(shareOf(rounds, 'peer', 'ours')).toBeCloseTo(1 / 0.6);
  });

  it('are listed one by one', () => {
    expect(listRounds(rounds).slice(0, 2)).toEqual([
      { round: 1, '': 'peer', [RATE]: 1_000 },
      { round: 1, '': 'ours', [RATE]: 600, MiB: 1 },
    ]);
  });
});
