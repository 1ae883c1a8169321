import type { BuildRecord, HourOfBuilds } from '../server/api-types.ts';

/** What a plot draws: moments in seconds across, and for each series a value or none at each. */
export type PlotData = {
  atS: number[];
  series: { name: string; colour: PlotColour; values: (number | null)[] }[];
};
type PlotColour = 'accent' | 'ok' | 'bad' | 'off' | 'second' | 'third' | 'fourth';

const COLOURS: readonly PlotColour[] = ['accent', 'second', 'third', 'fourth'];

/** The time of each good build of a package, by architecture; of the failed ones together. */
export function buildTimeSeries(history: readonly BuildRecord[]): PlotData {
  const ended = history
    .filter(({ duration_ms: ms }) => ms !== null)
    .toSorted((one, other) => Date.parse(one.finished_at) - Date.parse(other.finished_at));
  const architectures = [...new Set(ended.map(({ architecture }) => architecture))].toSorted();
  const valuesOf = (belongs: (one: BuildRecord) => boolean) =>
    ended.map((one) => (belongs(one) ? one.duration_ms : null));
  const good = architectures.map((architecture, index) => ({
    name: architecture,
    colour: COLOURS[index % COLOURS.length] ?? 'accent',
    values: valuesOf((one) => one.state === 'completed' && one.architecture === architecture),
  }));
  const failed = valuesOf(({ state }) => state === 'failed');
  return {
    atS: ended.map(({ finished_at: at }) => Date.parse(at) / 1_000),
    series: failed.some((value) => value !== null)
      ? [...good, { name: 'failed', colour: 'bad', values: failed }]
      : good,
  };
}

/** How the builds of each hour ended. */
export function throughputSeries(hours: readonly HourOfBuilds[]): PlotData {
  return {
    atS: hours.map(hourOf),
    series: [
      { name: 'completed', colour: 'ok', values: hours.map(({ completed }) => completed) },
      { name: 'failed', colour: 'bad', values: hours.map(({ failed }) => failed) },
      { name: 'cancelled', colour: 'off', values: hours.map(({ cancelled }) => cancelled) },
    ],
  };
}

/** The median time of the builds of each hour. */
export function hourlyTimeSeries(hours: readonly HourOfBuilds[]): PlotData {
  return {
    atS: hours.map(hourOf),
    series: [
      { name: 'median', colour: 'accent', values: hours.map(({ median_build_ms: ms }) => ms) },
    ],
  };
}

function hourOf({ from }: HourOfBuilds): number {
  return Date.parse(from) / 1_000;
}
