import { useEffect, useRef, useState } from 'preact/hooks';
import { scheme } from '../components/theme-switch.tsx';
import { TableHead } from '../components/table-head.tsx';
import { exactTime, minuteTime } from '../format.ts';
import type { PlotData } from './build-time-series.ts';

type Given = PlotData & {
  /** What it shows, in words. */
  label: string;
  /** Bars stand on each other; points stand for themselves. */
  kind: 'bars' | 'points' | 'line';
  /** A value in words. */
  format: (value: number) => string;
};

/**
 * A plot, and the same as a table for people who cannot see it. The code that draws it is loaded when it is first
 * needed.
 */
export function Plot(given: Given) {
  const place = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  const [pointedAt, setPointedAt] = useState<number | null>(null);
  const { atS, series, label, kind, format } = given;
  const pointed = pointedAt === null ? undefined : atS[pointedAt];
  const drawn = JSON.stringify([atS, series, kind, scheme.value.name]);

  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let isGone = false;
    let erase = () => {};
    const draw = async () => {
      const { drawPlot } = await import('./draw-plot.ts');
      if (isGone) return;
      erase();
      erase = drawPlot(element, { ...given, onPoint: setPointedAt });
    };
    const drawAgain = () => void draw().catch(() => setMissing(true));
    drawAgain();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', drawAgain);
    return () => {
      isGone = true;
      dark.removeEventListener('change', drawAgain);
      erase();
    };
  }, [drawn]);

  return (
    <figure class="card plot">
      <ul class="legend">
        {series.map(({ name, colour, values }) => (
          <li key={name}>
            <span class={`swatch swatch-${colour}`} />
            {name}
            {pointed !== undefined && <b class="figure">{told(values[pointedAt ?? 0], format)}</b>}
          </li>
        ))}
        {pointed !== undefined && (
          <li class="legend-when figure">{minuteTime(new Date(pointed * 1_000).toISOString())}</li>
        )}
      </ul>
      <div ref={place} class="plot-place" role="img" aria-label={label} />
      {isMissing && <p class="muted">The plot could not be loaded; the table has the same.</p>}
      <details>
        <summary>As a table</summary>
        <PlotTable {...given} />
      </details>
    </figure>
  );
}

function told(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

function PlotTable({ atS, series, label, format }: Given) {
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label={`${label}, as a table`}>
      <table class="list">
        <caption class="visually-hidden">{label}</caption>
        <TableHead columns={['Time', ...series.map(({ name }) => name)]} />
        <tbody>
          {atS.map((second, index) => (
            <tr key={`${second} ${index}`}>
              <th scope="row">{exactTime(new Date(second * 1_000).toISOString())}</th>
              {series.map(({ name, values }) => (
                <td key={name} class="figure">
                  {told(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
