import { LANDING_FATE_WEIGHTS } from './landing-fates.ts';
import { makePlan, VICTIMS_OF_LANDINGS, type PlanOptions } from './plan.ts';

const OPTIONS: PlanOptions = {
  seed: 7,
  builds: 300,
  landings: 100,
  kills: 300,
  lengthMs: 600_000,
  pauseShare: 0.25,
  deploys: 3,
  machines: false,
};

it('is the same for the same seed, and another for another', () => {
  expect(makePlan(OPTIONS)).toEqual(makePlan(OPTIONS));
  expect(makePlan({ ...OPTIONS, seed: 8 })).not.toEqual(makePlan(OPTIONS));
});

it('has all that was asked for, spread over the time, and hits every part in both ways', () => {
  const { builds, landings, blows, deploysAtMs } = makePlan(OPTIONS);
  expect([builds.length, landings.length, blows.length]).toEqual([300, 100, 300]);
  expect(deploysAtMs).toEqual([150_000, 300_000, 450_000]);
  const after = builds.map(({ afterBlow }) => afterBlow);
  expect(after).toEqual(after.toSorted((one, other) => one - other));
  expect([after.at(0), after.at(-1)]).toEqual([0, 269]);
  for (const kind of ['kill', 'pause'] as const)
    expect(new Set(blows.filter((blow) => blow.kind === kind).map(({ victim }) => victim))).toEqual(
      new Set(Object.keys(VICTIMS_OF_LANDINGS)),
    );
});

it('cancels the builds that end in no other way, and no others', () => {
  const { builds } = makePlan(OPTIONS);
  const cancelled = builds.filter(({ cancelAfterMs }) => cancelAfterMs !== null);
  expect(new Set(cancelled.map(({ fate }) => fate))).toEqual(new Set(['cancelled', 'left']));
  expect(builds.filter(({ fate }) => fate === 'cancelled' || fate === 'left')).toEqual(cancelled);
});

it('hits no tester where nothing is landed', () => {
  const { landings, blows } = makePlan({ ...OPTIONS, landings: 0 });
  expect(landings).toEqual([]);
  expect(blows.filter(({ victim }) => victim.startsWith('tester'))).toEqual([]);
});

it('has landings of each fate and size, and cancels those that end in no other way', () => {
  const { landings } = makePlan(OPTIONS);
  expect(new Set(landings.map(({ fate }) => fate))).toEqual(
    new Set(Object.keys(LANDING_FATE_WEIGHTS)),
  );
  expect(new Set(landings.map(({ packages }) => packages))).toEqual(new Set([1, 2, 3]));
  expect(landings.filter(({ cancelAfterMs }) => cancelAfterMs !== null)).toEqual(
    landings.filter(({ fate }) => fate === 'cancelled'),
  );
});
