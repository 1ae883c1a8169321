import { useEffect, useRef, useState } from 'preact/hooks';
import { scheme } from '../components/theme-switch.tsx';
import { TableHead } from '../components/table-head.tsx';
import { exactTime } from '../format.ts';
import type { PlotData } from './build-time-series.ts';

type Given = PlotData & {
  /** What it shows, in words. */
  label: string;
  /** Bars stand on each other; points stand for themselves. */
  kind: 'bars' | 'points' | 'line';
  /** A value in words. */
  format: (value: number) => string;
};

/** A plot, and the same as a table for people who cannot see it. The code that draws it is loaded when it is first needed. */
export function Plot(given: Given) {
  const place = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  const { atS, series, label, kind } = given;
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
      erase = drawPlot(element, given);
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
        {series.map(({ name, colour }) => (
          <li key={name}>
            <span class={`swatch swatch-${colour}`} />
            {name}
          </li>
        ))}
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
              {series.map(({ name, values }) => {
                const value = values[index];
                return (
                  <td key={name} class="figure">
                    {value === null || value === undefined ? '–' : format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
