import { describeSubject, type Divergence } from './divergence.ts';
import type { Replayed } from './replay-histories.ts';
import type { Step } from './step.ts';

const TODO = [
  'What to do: undo the change, or keep the old way for builds that are under way: put the new way into',
  "`if (patched('what-changed'))` and leave the old one in its else (docs/replay.md). Never record over the history.",
];

const NOTHING = 'nothing there; it waits, has gone another way, or has ended already';
const SHIFTED = ', but as another number: a step before it is new, or gone';

/** What came of a history, in lines for people: one, and more where it diverges. */
export function describeReplayed(replayed: Replayed): string {
  const { name, events } = replayed;
  switch (replayed.outcome) {
    case 'ok':
      return `ok        ${name} (${events} events)`;
    case 'skipped':
      return `skipped   ${name}: ${replayed.reason}`;
    case 'diverges':
      return [`diverges  ${name}`, ...describeDivergence(replayed.divergence)].join('\n');
  }
}

function describeDivergence(divergence: Divergence): string[] {
  const { eventId, recorded, wanted, around, message } = divergence;
  const isShifted = recorded?.kind === wanted?.kind && recorded?.name === wanted?.name;
  const width = Math.max(0, ...around.map(({ type }) => type.length));
  const shown = around.map(({ id, type, about }) =>
    `  ${id === eventId ? '>' : ' '} ${String(id).padStart(5)}  ${type.padEnd(width)}  ${about}`.trimEnd(),
  );
  return [
    ...(recorded
      ? [
          `  at event ${eventId}`,
          `    the history has:  ${describeStep(recorded)}`,
          `    the code wants:   ${wanted ? describeStep(wanted) : NOTHING}${isShifted ? SHIFTED : ''}`,
        ]
      : eventId === undefined
        ? ['  the workflow code failed, or stopped, where the history goes on']
        : [`  at event ${eventId}`]),
    ...shown,
    `  Temporal: ${message}`,
    ...TODO.map((line) => `  ${line}`),
  ];
}

function describeStep(step: Step): string {
  return `${step.kind} ${describeSubject(step)}`.trimEnd();
}

/** The last line. */
export function summarize(replayed: readonly Replayed[]): string {
  const count = (outcome: Replayed['outcome']) =>
    replayed.filter((one) => one.outcome === outcome).length;
  const skipped = count('skipped');
  const tried = replayed.length - skipped;
  const diverging = count('diverges');
  const left = skipped > 0 ? `; ${skipped} skipped` : '';
  if (tried === 0) return `Replayed no history${left}.`;
  const result = diverging === 0 ? 'all replay' : `${diverging} of them diverge`;
  return `Replayed ${tried} ${tried === 1 ? 'history' : 'histories'}: ${result}${left}.`;
}
