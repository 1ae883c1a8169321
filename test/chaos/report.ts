import type { ChaosResult } from './chaos.ts';
import { describeBlow, type Blow } from './blow.ts';
import type { Plan } from './plan.ts';

const SHOWN_EVIDENCE = 2_000;
const PART = 'part';
const KINDS: Blow['kind'][] = [
  'kill',
  'pause',
  'cut',
  'mute',
  'deaf',
  'split',
  'lossy',
  'slow',
  'clock',
];

/** The plan as it is printed: what happens to the builds in sum, and each blow. */
export function describePlan({ seed, builds, landings, blows, deploysAtMs, clocks }: Plan): string {
  const lengthMs = blows.reduce((sum, { gapMs }) => sum + gapMs, 0);
  return [
    `seed ${seed}: ${builds.length} builds, ${landings.length} landings, ${blows.length} blows in at least ${Math.round(lengthMs / 1_000)} s, ${deploysAtMs.length} deploys`,
    ...(clocks === null || Object.keys(clocks).length === 0
      ? []
      : [`clocks, in seconds from the true time: ${describeClocks(clocks)}`]),
    ...blows.map(
      (blow, index) =>
        `  ${String(index + 1).padStart(4)}. after ${blow.gapMs} ms: ${describeBlow(blow)}` +
        `${blow.besideAnother ? ', beside another' : ''}${blow.whenUp ? '' : ', even while it starts'}`,
    ),
  ].join('\n');
}

function describeClocks(clocks: Readonly<Record<string, number>>): string {
  return Object.entries(clocks)
    .map(([machine, offsetS]) => `${machine} ${offsetS}`)
    .join(', ');
}

/** The result as people read it: what was done, the table of the audit, and every violation. */
export function describeResult(result: ChaosResult): string {
  const width = Math.max(...result.findings.map(({ promise }) => promise.length));
  const blows = Object.entries(result.blows).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const kinds = KINDS.filter((kind) => blows.some(([, count]) => count[kind] !== undefined));
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
    [PART.padEnd(12), ...kinds].join('  '),
    ...blows.map(([part, count]) =>
      [
        part.padEnd(12),
        ...kinds.map((kind) => String(count[kind] ?? 0).padStart(kind.length)),
      ].join('  '),
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
