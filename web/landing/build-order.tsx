import { buildAddress } from '../addresses.ts';
import { useStableHeight } from '../components/use-stable-height.ts';
import { StateBadge } from '../components/state-badge.tsx';
import type { Landing } from '../server/api-types.ts';
import { partLabel } from './labels.ts';

type Part = Landing['parts'][number];

/** Which packages of a landing are built first, and how each stands. */
export function BuildOrder({ landing }: { landing: Landing }) {
  const levels = levelsOf(landing.parts);
  const list = useStableHeight<HTMLOListElement>(levels.length, 'minHeight');
  return (
    <section aria-labelledby="order">
      <h2 id="order">Build order</h2>
      <ol ref={list} class="levels">
        {levels.map((parts, level) => (
          <li key={level} class="level">
            <h3>{headOf(level, levels)}</h3>
            <ul>
              {parts.map((part) => (
                <li key={part.subticket_id} class="card level-part">
                  <span class="level-name breakable">
                    {part.build_id === null ? (
                      part.source
                    ) : (
                      <a href={buildAddress(part.build_id)}>{part.source}</a>
                    )}{' '}
                    <span class="muted">{part.version}</span>
                  </span>
                  <StateBadge label={partLabel(part.state)} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The packages of each level; all in one while their order is not known. */
function levelsOf(parts: readonly Part[]): Part[][] {
  const levels: Part[][] = [];
  for (const part of parts) (levels[part.level ?? 0] ??= []).push(part);
  return levels.filter((level) => level.length > 0);
}

function headOf(level: number, levels: readonly Part[][]): string {
  if (levels[level]?.some((part) => part.level === undefined)) return 'The order is not known yet';
  if (levels.length === 1) return 'Side by side';
  return level === 0 ? 'First' : 'Then, using the packages above';
}
