import { percentage } from '../../domain/text/percentage.ts';
import type { PackageStatistics } from '../server/api-types.ts';

/** How many of a package's builds went well, as words and a bar. */
export function SuccessRate({
  of,
}: {
  of: Pick<PackageStatistics, 'success_rate' | 'succeeded' | 'failed'>;
}) {
  const { success_rate: rate, succeeded, failed } = of;
  if (rate === null) return <span class="muted">–</span>;
  return (
    <span class="rate" title={`${succeeded} went well, ${failed} failed`}>
      <span class="figure">{percentage(rate)}</span>
      <progress class="bar bar-rate" max={1} value={rate} aria-label="Builds that went well" />
    </span>
  );
}
