import type { ChaosResult } from './chaos.ts';
import type { Plan } from './plan.ts';

const SHOWN_EVIDENCE = 2_000;

/** The plan as it is printed: what happens to the builds in sum, and each blow. */
export function describePlan({ seed, builds, landings, blows, deploysAtMs }: Plan): string {
  const lengthMs = blows.reduce((sum, { gapMs }) => sum + gapMs, 0);
  return [
    `seed ${seed}: ${builds.length} builds, ${landings.length} landings, ${blows.length} blows in at least ${Math.round(lengthMs / 1_000)} s, ${deploysAtMs.length} deploys`,
    ...blows.map(
      ({ gapMs, victim, kind, downMs, besideAnother, whenUp }, index) =>
        `  ${String(index + 1).padStart(4)}. after ${gapMs} ms: ${kind} ${victim} for ${downMs} ms` +
        `${besideAnother ? ', beside another' : ''}${whenUp ? '' : ', even while it starts'}`,
    ),
  ].join('\n');
}

/** The result as people read it: what was done, the table of the audit, and every violation. */
export function describeResult(result: ChaosResult): string {
  const width = Math.max(...result.findings.map(({ promise }) => promise.length));
  const blows = Object.entries(result.blows).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const violations = result.findings.flatMap(({ promise, violations }) =>
    violations.map(({ build, what, evidence }) =>
      [
        `VIOLATION of "${promise.trim()}": ${build}: ${what}`,
        `  ${JSON.stringify(evidence)?.slice(0, SHOWN_EVIDENCE) ?? ''}`,
      ].join('\n'),
    ),
  );
  return [
    `builds: ${counts(result.builds)}`,
    `landings: ${counts(result.landings) || 'none'}`,
    `their ends: ${counts(result.landingEnds) || 'none'}`,
    `verdicts: ${counts(result.verdicts)}`,
    `requests repeated because of: ${counts(result.hardships) || 'nothing'}`,
    `messages: ${result.deliveries.all}, ${result.deliveries.repeated} of them repetitions; the lander connected ${result.deliveries.connects} times`,
    `deploys: ${result.deploys}`,
    `ended by themselves: ${counts(countParts(result)) || 'none'}`,
    '',
    `${'part'.padEnd(12)}  kills  pauses`,
    ...blows.map(
      ([part, { kills, pauses }]) =>
        `${part.padEnd(12)}  ${String(kills).padStart(5)}  ${String(pauses).padStart(6)}`,
    ),
    '',
    `${'promise'.padEnd(width)}  checked  violations`,
    ...result.findings.map(
      ({ promise, checked, violations: found }) =>
        `${promise.padEnd(width)}  ${String(checked).padStart(7)}  ${String(found.length).padStart(10)}`,
    ),
    '',
    ...violations,
    ...(result.keptDirectory === null ? [] : [`state and logs: ${result.keptDirectory}`]),
    `${violations.length === 0 ? 'all holds' : `${violations.length} violations`}, ${Math.round(result.durationMs / 1_000)} s`,
  ].join('\n');
}

function countParts({ unaskedEnds }: ChaosResult): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { part, how } of unaskedEnds)
    ends[`${part} ${how}`] = (ends[`${part} ${how}`] ?? 0) + 1;
  return ends;
}

function counts(named: Readonly<Record<string, number>>): string {
  return Object.entries(named)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ');
}
