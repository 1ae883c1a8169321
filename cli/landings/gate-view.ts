import type { Gate } from '../../domain/landings/gate.ts';
import { printableLine } from '../../domain/text/printable.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Tone } from '../output/colours.ts';
import type { Output } from '../output/output.ts';
import { estimateText } from './landing-texts.ts';

type Criterion = Gate['criteria'][number];

const VERDICT = {
  passes: ['good', 'passes', EXIT.done],
  waits: ['busy', 'waits', EXIT.waiting],
  needs_approval: ['busy', 'needs an approval', EXIT.needsApproval],
  blocked: ['bad', 'is blocked', EXIT.failed],
  cannot_tell: ['bad', 'is blocked: its tests could not be run', EXIT.failed],
} as const satisfies Record<Gate['verdict'], readonly [Tone, string, ExitCode]>;

const STATE = {
  not_met: ['bad', '✗'],
  waiting: ['busy', '…'],
  overridden: ['busy', '!'],
  met: ['good', '✓'],
  not_needed: ['faint', '-'],
} as const satisfies Record<Criterion['state'], readonly [Tone, string]>;

/** What a command ends with that has shown a gate. */
export function exitOfGate({ verdict }: Gate): ExitCode {
  return VERDICT[verdict][2];
}

/** Whether a landing may be published, criterion by criterion, and the tests that do not pass. */
export function describeGate(out: Output, gate: Gate): string {
  const [tone, verdict] = VERDICT[gate.verdict];
  const width = Math.max(...gate.criteria.map(({ name }) => name.length));
  const expected = estimateText(gate.estimate, out.now());
  const lines = [
    out.colour(tone, `Landing ${gate.landing_id} ${verdict}.`),
    ...(expected === undefined ? [] : [`  Expected: ${expected}`]),
    ...gate.criteria.map((one) => {
      const [tone, mark] = STATE[one.state];
      const state = one.state.replaceAll('_', ' ').padEnd('not needed'.length);
      return `  ${out.colour(tone, `${mark} ${one.name.padEnd(width)}  ${state}`)}  ${printableLine(one.why)}`;
    }),
  ];
  if (gate.excuses.length === 0) return lines.join('\n');
  const excuses = out.table(
    gate.excuses,
    [
      { head: 'SOURCE PACKAGE', cell: ({ source }) => source },
      { head: 'ARCHITECTURE', cell: ({ architecture }) => architecture },
      { head: 'TEST', cell: ({ test }) => (test === '*' ? 'all' : test), isFlexible: true },
      { head: 'VERDICT', cell: ({ verdict: said }) => said.replaceAll('_', ' ') },
      { head: 'WHY', cell: ({ why }) => why, isFlexible: true },
      { head: 'LOG', cell: ({ log_url: log }) => log, isWide: true },
    ],
    '',
  );
  return `${lines.join('\n')}\n\n${excuses}`;
}
