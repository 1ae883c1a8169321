import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import type { LandingInput, LandingPart } from '../../domain/landings/landing.ts';

/** The state of a landing, in Markdown for Temporal's UI. All texts are names and versions that were checked. */
export function landingDetails(
  {
    input,
    phase,
    parts,
  }: { input: LandingInput; phase: LandingPhase; parts: readonly LandingPart[] },
  waitsFor?: string,
): string {
  const { landingId, ticketId, target } = input;
  return [
    `**${phase}** · landing ${landingId} of ticket ${ticketId} · to \`${target.archive}\` ${target.series} ${target.pocket}`,
    ...(waitsFor === undefined ? [] : ['', `Waits for ${waitsFor}.`]),
    '',
    '| package | version | state | build |',
    '|---|---|---|---|',
    ...parts.map(
      ({ source, version, state, build_id: build }) =>
        `| ${source} | ${version} | ${state.replaceAll('_', ' ')} | ${build ?? ''} |`,
    ),
  ].join('\n');
}
