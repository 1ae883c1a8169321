import type { Failure } from '../api/contract.ts';
import type { Output } from './output.ts';
import { printable, printableLine } from './printable.ts';
import type { Rest } from './rest.ts';

const LINES_BEFORE = 4;
const LINES_AFTER = 6;
const LINE_CHARACTERS = 400;
/** Of a log, no more is read for the lines of a banner. */
const MOST_BYTES = 64 * 2 ** 20;
const LOG_LIMIT_MS = 10_000;

export type FailedBuild = { id: number; failure: Failure; logs: readonly string[] };

/** What a person needs to know of a failed build: what failed, where, the lines that say why, and what to do. */
export async function failureBanner(
  { rest, out }: { rest: Rest; out: Output },
  { id, failure, logs }: FailedBuild,
): Promise<string> {
  const { paint } = out;
  const log = logOf(failure, logs);
  const excerpt = await excerptLines(rest, failure, log);
  const facts: [string, string | undefined][] = [
    ['Package', failure.package],
    ['Architecture', failure.architecture],
    ['What to do', failure.hint],
    ['Log', log && (failure.line === undefined ? log : `${log} (line ${failure.line})`)],
    ['Retry', retryAdvice(id, failure)],
    ['Page', rest.page(`/build/${id}`)],
  ];
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  const line = ([name, text]: [string, string | undefined]) =>
    `  ${paint('faint', name.padEnd(width))}${printableLine(text ?? '')}`;
  const known = facts.filter(([, text]) => text !== undefined && text !== '');
  const [where, rest_] = [
    known.filter(([name]) => isPlace(name)),
    known.filter(([name]) => !isPlace(name)),
  ];
  return [
    paint('bad', `✗ Build ${id} failed: ${printableLine(failure.class)}`),
    `  ${printableLine(failure.message)}`,
    '',
    ...where.map(line),
    ...(excerpt.length > 0 ? ['', ...excerpt.map((one) => paint(one.tone, one.text)), ''] : []),
    ...rest_.map(line),
  ].join('\n');
}

function isPlace(name: string): boolean {
  return name === 'Package' || name === 'Architecture';
}

function retryAdvice(id: number, { retryable }: Failure): string {
  return retryable
    ? `can help: airline build retry ${id}`
    : 'does not help; correct the cause and request a new build';
}

/** The log that a failure is told of: that of its package and architecture. */
function logOf({ package: name, architecture, class: kind }: Failure, logs: readonly string[]) {
  const end = kind === 'publish_failed' ? '.upload.log' : '.build.log';
  const own = logs.find((url) => {
    const file = decodeURIComponent(url.split('/').at(-1) ?? '');
    return file.startsWith(`${name}_`) && file.endsWith(`_${architecture}${end}`);
  });
  return own ?? logs[0];
}

type ExcerptLine = { tone: 'bad' | 'plain'; text: string };

/** The lines of the stored log with their numbers; where that cannot be read, the excerpt as it came, without. */
async function excerptLines(
  rest: Rest,
  { excerpt, line }: Failure,
  log: string | undefined,
): Promise<ExcerptLine[]> {
  if (log !== undefined && line !== undefined) {
    const lines = await readLines(rest, log, line - LINES_BEFORE, line + LINES_AFTER);
    if (lines.some((one) => one.number === line)) {
      const width = String(line + LINES_AFTER).length;
      return lines.map(({ number, text }) => ({
        tone: number === line ? 'bad' : 'plain',
        text: `  ${number === line ? '>' : ' '} ${String(number).padStart(width)} │ ${text}`.trimEnd(),
      }));
    }
  }
  if (excerpt === undefined) return [];
  return excerpt.split('\n').map((text) => ({ tone: 'plain', text: `    │ ${printable(text)}` }));
}

/** Lines `from` to `to` of a log, from 1; none where it cannot be read in time. */
async function readLines(rest: Rest, url: string, from: number, to: number) {
  const lines: { number: number; text: string }[] = [];
  const signal = AbortSignal.timeout(LOG_LIMIT_MS);
  try {
    const response = await rest.open(url, { headers: { accept: '*/*' }, signal, tries: 1 });
    const decoder = new TextDecoder();
    let number = 1;
    let sizeBytes = 0;
    let started = '';
    const take = () => {
      if (number >= from && number <= to) lines.push({ number, text: shown(started) });
      number += 1;
      started = '';
    };
    for await (const chunk of response.body ?? []) {
      sizeBytes += (chunk as Uint8Array).length;
      const parts = decoder.decode(chunk as Uint8Array, { stream: true }).split('\n');
      for (const [at, part] of parts.entries()) {
        if (started.length < LINE_CHARACTERS) started += part.slice(0, LINE_CHARACTERS);
        if (at < parts.length - 1) take();
        if (number > to) return lines;
      }
      if (sizeBytes > MOST_BYTES) return lines;
    }
    if (started !== '') take();
    return lines;
  } catch {
    // The banner says where the log is; why it cannot be read is said to who opens it.
    return lines;
  }
}

function shown(line: string): string {
  const text = printable(line.replace(/\r+$/, '').replaceAll('\t', '    '));
  return text.length > LINE_CHARACTERS ? `${text.slice(0, LINE_CHARACTERS - 1)}…` : text;
}
