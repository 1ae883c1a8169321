import { makePlan } from '../plan.ts';
import { MACHINES_OF_LANDINGS } from './machine-blows.ts';

const OPTIONS = {
  seed: 7,
  builds: 300,
  landings: 0,
  kills: 600,
  lengthMs: 600_000,
  pauseShare: 0.25,
  deploys: 0,
  machines: true,
};
const { blows, clocks } = makePlan(OPTIONS);
const withLandings = makePlan({ ...OPTIONS, landings: 20 });

it('is the same for the same seed', () => {
  expect(makePlan(OPTIONS)).toEqual({ ...makePlan(OPTIONS), blows, clocks });
});

it('does everything to machines, and hits each of them', () => {
  expect(new Set(blows.map(({ kind }) => kind))).toEqual(
    new Set(['kill', 'pause', 'cut', 'mute', 'deaf', 'split', 'lossy', 'slow', 'clock']),
  );
  expect(new Set(withLandings.blows.map(({ victim }) => victim))).toEqual(
    new Set(Object.keys(MACHINES_OF_LANDINGS)),
  );
});

it('leaves all clocks true where something is landed', () => {
  expect(withLandings.clocks).toEqual({});
  expect(withLandings.blows.map(({ kind }) => kind)).not.toContain('clock');
});

it('splits with others beside the victim, and never while another machine is down', () => {
  const splits = blows.flatMap((blow) => (blow.kind === 'split' ? [blow] : []));
  expect(splits.filter(({ others, victim }) => others.includes(victim))).toEqual([]);
  expect(splits.filter(({ besideAnother }) => besideAnother)).toEqual([]);
  expect(Math.max(...splits.map(({ others }) => others.length))).toBeGreaterThan(4);
});

it('has clocks up to five minutes apart from the true time, save those of programs that ask the kernel', () => {
  const set = blows.flatMap((blow) => (blow.kind === 'clock' ? [blow] : []));
  const offsets = [...set.map(({ offsetS }) => offsetS), ...Object.values(clocks ?? {})];
  expect([Math.min(...offsets), Math.max(...offsets)]).toEqual([-300, 300]);
  for (const name of ['temporal', 's3']) {
    expect(clocks).not.toHaveProperty(name);
    expect(set.map(({ victim }) => victim)).not.toContain(name);
  }
});

it('hits no tester where nothing is landed', () => {
  const named = blows.flatMap((blow) =>
    blow.kind === 'split' ? [blow.victim, ...blow.others] : [blow.victim],
  );
  expect(
    [...named, ...Object.keys(clocks ?? {})].filter((name) => name.startsWith('tester')),
  ).toEqual([]);
});
