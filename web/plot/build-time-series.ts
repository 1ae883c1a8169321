import type { BuildRecord, HourOfBuilds } from '../server/api-types.ts';

/** What a plot draws: moments in seconds across, and for each series a value or none at each. */
export type PlotData = {
  atS: number[];
  series: {
    name: string;
    colour: PlotColour;
    values: (number | null)[];
    /** Among bars, a line over them that no bar stands on. */
    isLine?: boolean;
  }[];
};
type PlotColour = 'accent' | 'ok' | 'bad' | 'off' | 'second' | 'third' | 'fourth';

const CLASS_COLOURS: readonly PlotColour[] = ['bad', 'second', 'fourth', 'third'];
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

/** How the builds of each hour ended, and how many were requested in it. */
export function throughputSeries(hours: readonly HourOfBuilds[]): PlotData {
  return {
    atS: hours.map(hourOf),
    series: [
      { name: 'completed', colour: 'ok', values: hours.map(({ completed }) => completed) },
      { name: 'failed', colour: 'bad', values: hours.map(({ failed }) => failed) },
      { name: 'cancelled', colour: 'off', values: hours.map(({ cancelled }) => cancelled) },
      {
        name: 'requested',
        colour: 'accent',
        values: hours.map(({ accepted }) => accepted),
        isLine: true,
      },
    ],
  };
}

/** How long the builds of each hour took, or waited for a builder: the median and the 90th percentile. */
export function hourlyTimeSeries(hours: readonly HourOfBuilds[], of: 'build' | 'wait'): PlotData {
  return {
    atS: hours.map(hourOf),
    series: [
      {
        name: 'median',
        colour: 'accent',
        values: hours.map((hour) => (of === 'build' ? hour.median_build_ms : hour.median_wait_ms)),
      },
      {
        name: '90th percentile',
        colour: 'second',
        values: hours.map((hour) => (of === 'build' ? hour.p90_build_ms : hour.p90_wait_ms)),
      },
    ],
  };
}

/** How many builds of each hour failed with each class; the most frequent classes, and the others together. */
export function failureSeries(hours: readonly HourOfBuilds[]): PlotData {
  const totals = new Map<string, number>();
  for (const { failures } of hours)
    for (const [name, count] of Object.entries(failures))
      totals.set(name, (totals.get(name) ?? 0) + count);
  const names = [...totals].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  const shown = names.slice(0, CLASS_COLOURS.length);
  const others = names.slice(CLASS_COLOURS.length);
  const valuesOf = (of: readonly string[]) =>
    hours.map(({ failures }) => of.reduce((sum, name) => sum + (failures[name] ?? 0), 0));
  return {
    atS: hours.map(hourOf),
    series: [
      ...shown.map((name, index) => ({
        name,
        colour: CLASS_COLOURS[index] ?? 'bad',
        values: valuesOf([name]),
      })),
      ...(others.length > 0
        ? [{ name: 'others', colour: 'off' as const, values: valuesOf(others) }]
        : []),
    ],
  };
}

function hourOf({ from }: HourOfBuilds): number {
  return Date.parse(from) / 1_000;
}
