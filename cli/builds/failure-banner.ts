import type { Failure } from '../../api/openapi/contract.generated.ts';
import { builtLater } from '../../domain/builds/built-later.ts';
import { ownHint } from '../../domain/builds/failure.ts';
import { failureLog } from '../../domain/builds/failure-log.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import type { Output } from '../output/output.ts';
import { printable, printableLine } from '../../domain/text/printable.ts';
import type { ApiClient } from '../server/api-client.ts';

export type FailedBuild = {
  id: number;
  failure: Failure;
  logs: readonly string[];
  builds: readonly ArchitectureBuild[];
};

/** What a person needs to know of a failed build: what failed, where, the lines that say why, and what to do. */
export function failureBanner(
  { api, out }: { api: Pick<ApiClient, 'page'>; out: Pick<Output, 'colour'> },
  { id, failure, logs, builds }: FailedBuild,
): string {
  const { colour } = out;
  const log = failureLog(failure, logs);
  const excerpt = excerptLines(failure);
  // What somebody has cancelled is no alarm, and mostly needs no advice but how it is taken up again.
  const isCancelled = failure.class === 'cancelled';
  const facts: [string, string | undefined][] = [
    ['Package', failure.package],
    ['Architecture', failure.architecture],
    ['What to do', isCancelled ? ownHint(failure) : failure.hint],
    ['Log', log && (failure.line === undefined ? log : `${log} (line ${failure.line})`)],
    ['Retry', retryAdvice(id, failure)],
    ...builtLater(builds).map((one): [string, string] => [
      'Delete',
      `${one.package} in the PPA, or it is built later: ${one.url}`,
    ]),
    ['Page', api.page(`/build/${id}`)],
  ];
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  const line = ([name, text]: [string, string | undefined]) =>
    `  ${colour('faint', name.padEnd(width))}${printableLine(text ?? '')}`;
  const known = facts.filter(([, text]) => text !== undefined && text !== '');
  const where = known.filter(([name]) => isPlace(name));
  const advice = known.filter(([name]) => !isPlace(name));
  return [
    isCancelled
      ? colour('strong', `Build ${id} was cancelled.`)
      : colour('bad', `✗ Build ${id} failed: ${printableLine(codeOf(failure))}`),
    `  ${printableLine(failure.message)}`,
    '',
    ...where.map(line),
    ...(excerpt.length > 0 ? ['', ...excerpt.map((one) => colour(one.tone, one.text)), ''] : []),
    ...advice.map(line),
  ].join('\n');
}

/** Its class, and what tells it apart from others of the class. */
function codeOf({ class: failureClass, code }: Failure): string {
  return code === undefined ? failureClass : `${failureClass} (${code})`;
}

function isPlace(name: string): boolean {
  return name === 'Package' || name === 'Architecture';
}

function retryAdvice(id: number, { class: failureClass, retryable }: Failure): string {
  if (failureClass === 'cancelled') return `if it is still wanted: airline build retry ${id}`;
  return retryable
    ? `can help: airline build retry ${id}`
    : 'does not help; correct the cause and request a new build';
}

type ExcerptLine = { tone: 'bad' | 'plain'; text: string };

/** The lines of the excerpt, with their numbers in the stored log where those are known. */
function excerptLines({ excerpt, excerpt_line: first, line }: Failure): ExcerptLine[] {
  if (excerpt === undefined) return [];
  const lines = excerpt.split('\n').map(printable);
  if (first === undefined) return lines.map((text) => ({ tone: 'plain', text: `    │ ${text}` }));
  const width = String(first + lines.length).length;
  return lines.map((text, at) => {
    const isCause = first + at === line;
    const number = String(first + at).padStart(width);
    return {
      tone: isCause ? 'bad' : 'plain',
      text: `  ${isCause ? '>' : ' '} ${number} │ ${text}`.trimEnd(),
    };
  });
}
