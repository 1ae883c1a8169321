import { styleText } from 'node:util';

/** What a text is about; state is never said by colour alone. */
export type Tone = 'good' | 'bad' | 'busy' | 'faint' | 'strong' | 'plain';

const STYLES = {
  good: 'green',
  bad: 'red',
  busy: 'yellow',
  faint: 'dim',
  strong: 'bold',
} as const satisfies Record<Exclude<Tone, 'plain'>, string>;

export type Colour = (tone: Tone, text: string) => string;

/** Colours texts, or leaves them as they are. */
export function createColour(isColoured: boolean): Colour {
  return (tone, text) =>
    isColoured && tone !== 'plain' && text !== '' ? styleText(STYLES[tone], text) : text;
}

/** Whether a stream is to be coloured: only a terminal, and not against NO_COLOR (https://no-color.org). */
export function isColoured(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  wanted: boolean,
): boolean {
  return (
    wanted && stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  );
}

/** The tone of a progress state, of a build record's state or of a workflow step. */
export function toneOf(state: string): Tone {
  if (/^(?:COMPLETED|completed|1000)$/.test(state)) return 'good';
  if (/^(?:FAILED|failed|999)$/.test(state)) return 'bad';
  if (
    /^(?:STATUS|checking|uploading|accepting|building|collecting|dependency_wait|[2-5]00)$/.test(
      state,
    )
  )
    return 'busy';
  return 'plain';
}
