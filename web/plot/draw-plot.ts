import uPlot from 'uplot';
import { hourTime } from '../format.ts';
import type { PlotData } from './build-time-series.ts';

const HEIGHT = 220;
const BAR_SHARE = 0.7;
const MAX_BAR_PX = 28;
const DAY_S = 86_400;

/** Draws a plot into an element. @returns what takes it away */
export function drawPlot(
  place: HTMLElement,
  given: PlotData & {
    kind: 'bars' | 'points' | 'line';
    format: (value: number) => string;
    /** Told which moment is pointed at, by its place among them; null where none is. */
    onPoint: (at: number | null) => void;
  },
): () => void {
  const { kind, format, series } = given;
  const colour = (name: string) => resolvedColour(place, name);
  const data = kind === 'bars' ? stacked(given) : given;
  const isBar = (index: number) => kind === 'bars' && !series[index]?.isLine;
  const all = series.map((_, index) => index);
  // The tallest stack is drawn first, and the others over it.
  const order = [...all.filter(isBar).toReversed(), ...all.filter((index) => !isBar(index))];
  const axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(place).fontFamily}`,
  };
  const bars = uPlot.paths.bars?.({ size: [BAR_SHARE, MAX_BAR_PX] });
  const spanS = (given.atS.at(-1) ?? 0) - (given.atS[0] ?? 0);
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      hooks: { setCursor: [({ cursor }) => given.onPoint(cursor.idx ?? null)] },
      scales: {
        x: { time: true, range: (_, min, max) => padded(min, max, kind) },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 60,
          values: (_, moments) =>
            moments.map((second) => {
              const at = new Date(second * 1_000);
              return spanS > 2 * DAY_S
                ? at.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })
                : hourTime(at.toISOString());
            }),
        },
        {
          ...axis,
          size: 70,
          values: (_, values) =>
            values.map((value) => (Number.isInteger(value) ? format(value) : '')),
          ...(kind === 'bars' ? {} : { incrs: TIMES_MS }),
        },
      ],
      series: [
        {},
        ...order.map((index) => {
          const shown = colour(`plot-${series[index]?.colour ?? 'accent'}`);
          return {
            stroke: shown,
            width: kind === 'points' || isBar(index) ? 0 : 2,
            // Points of several series share their moments: what they have none of is no gap.
            spanGaps: kind === 'points',
            points: { show: !isBar(index), size: 7, fill: shown, stroke: shown },
            ...(isBar(index) ? { fill: shown, ...(bars ? { paths: bars } : {}) } : {}),
            ...(kind === 'points' ? { paths: () => null } : {}),
          } satisfies uPlot.Series;
        }),
      ],
    },
    [data.atS, ...order.map((index) => data.series[index]?.values ?? [])],
    place,
  );
  const watcher = new ResizeObserver(() =>
    plot.setSize({ width: place.clientWidth, height: HEIGHT }),
  );
  watcher.observe(place);
  return () => {
    watcher.disconnect();
    plot.destroy();
  };
}

const SECOND_MS = 1_000;
/** The steps that an axis of times goes in. */
const TIMES_MS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400,
].map((seconds) => seconds * SECOND_MS);

/** Each series of bars on top of those before it. */
function stacked({ atS, series }: PlotData): PlotData {
  const sums = atS.map(() => 0);
  return {
    atS,
    series: series.map((one) => ({
      ...one,
      values: one.values.map((value, index) => {
        if (one.isLine) return value;
        sums[index] = (sums[index] ?? 0) + (value ?? 0);
        return sums[index];
      }),
    })),
  };
}

function padded(min: number, max: number, kind: string): [number, number] {
  const spare = kind === 'bars' ? 1_800 : Math.max(60, (max - min) * 0.03);
  return [min - spare, max + spare];
}

/** A colour of the page as a canvas takes it: what a custom property holds may depend on the scheme. */
function resolvedColour(place: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
