import { inspect, styleText } from 'node:util';
import type { BuildPhase } from '../../domain/builds/build-phase.ts';
import { CANCELLED_BUILD, type BuildRecordState } from '../../domain/builds/build-state.ts';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import type { LandingPart } from '../../domain/landings/landing.ts';
import type { ProgressState } from '../../domain/builds/progress.ts';
import type { StepValue } from '../../domain/tickets/ticket.ts';
import { printable } from '../../domain/text/printable.ts';

/** What a text is about; state is never said by colour alone. */
export type Tone = 'good' | 'bad' | 'busy' | 'faint' | 'strong' | 'plain';

const STYLES = {
  good: 'green',
  bad: 'red',
  busy: 'yellow',
  faint: 'dim',
  strong: 'bold',
} as const satisfies Record<Exclude<Tone, 'plain'>, string>;

/** The codes that begin and end them on a terminal; a split keeps these. */
const STYLE_CODE = new RegExp(
  `(\\u001B\\[(?:${Object.values(STYLES)
    .flatMap((style) => inspect.colors[style] ?? [])
    .join('|')})m)`,
);

export type Colour = (tone: Tone, text: string) => string;

/** Colours texts, or leaves them as they are. */
export function createColour(isColoured: boolean): Colour {
  return (tone, text) =>
    // Node's own look at the stream and the environment knows no CLICOLOR_FORCE.
    isColoured && tone !== 'plain' && text !== ''
      ? styleText(STYLES[tone], text, { validateStream: false })
      : text;
}

/**
 * A text with colours of `createColour` that does nothing else on a terminal: all but those is `printable`. Whose they
 * are is not seen here, so what is likely to come with colours, such as a log, is made printable before it is coloured.
 */
export function printableInColour(text: string): string {
  return text
    .split(STYLE_CODE)
    .map((part, at) => (at % 2 === 0 ? printable(part) : part))
    .join('');
}

/**
 * Whether a stream is to be coloured: only a terminal, or where FORCE_COLOR or CLICOLOR_FORCE says so, and not against
 * NO_COLOR (https://no-color.org, https://force-color.org, https://bixense.com/clicolors).
 */
export function isColoured(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  wanted: boolean,
): boolean {
  if (!wanted || (env['NO_COLOR'] ?? '') !== '') return false;
  const isForced = ['FORCE_COLOR', 'CLICOLOR_FORCE'].some((name) => !/^0?$/.test(env[name] ?? ''));
  return isForced || (stream.isTTY === true && env['TERM'] !== 'dumb');
}

type State =
  BuildPhase | BuildRecordState | LandingPart['state'] | LandingPhase | ProgressState | StepValue;

/** The tone of a state, a phase or a step. */
export function toneOf(state: State): Tone {
  switch (state) {
    case 'COMPLETED':
    case 'completed':
    case 'complete':
    case 'built':
    case 'published':
    case '1000':
      return 'good';
    case 'FAILED':
    case 'failed':
    case '999':
      return 'bad';
    case 'STATUS':
    case 'checking':
    case 'uploading':
    case 'accepting':
    case 'building':
    case 'collecting':
    case 'dependency_wait':
    case 'prerequisite_wait':
    case 'approving':
    case 'publishing':
    case '200':
    case '300':
    case '400':
    case '500':
      return 'busy';
    default:
      return 'plain';
  }
}

/** The tone of what the PPA builds. */
export function toneOfRecord({
  state,
  buildstate,
}: {
  state: BuildRecordState;
  buildstate: string;
}): Tone {
  return buildstate === CANCELLED_BUILD ? 'plain' : toneOf(state);
}
