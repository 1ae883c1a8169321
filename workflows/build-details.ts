import { phaseWords, type BuildPhase } from '../domain/builds/build-phase.ts';
import type { BuildRequest } from '../domain/builds/build-request.ts';
import type { Cancellation } from '../domain/builds/build-workflow.ts';
import type { BuildRecord } from '../domain/builds/build-state.ts';
import type { Failure } from '../domain/builds/failure.ts';
import { isFinal, messageOfPhase } from '../domain/builds/progress.ts';
import { printable } from '../domain/text/printable.ts';

/** Marks that Markdown leaves alone within words; they are in every name, version and address. */
const WORD_MARKS = '.,:;+-/=?%&\'"';

/** The state of a build, in Markdown for Temporal's UI. */
export function buildDetails(build: {
  request: BuildRequest;
  phase: BuildPhase;
  records: readonly BuildRecord[];
  polls: number;
  cancellation: Cancellation | null;
  /** The workflow that polls the PPA for this one, and tells it only of what it has to act on. */
  watchedBy?: string;
  failure?: Failure;
}): string {
  const { request, phase, records, polls, cancellation, watchedBy, failure } = build;
  const lines = [
    `**${phaseWords(phase)}** · build ${request.buildId} of ticket ${request.ticketId} · \`${request.ppa}\` ${request.series} · ${polls} polls of the PPA`,
  ];
  if (cancellation)
    lines.push('', `Cancellation asked for by ${asText(cancellation.requestedBy)}.`);
  if (failure) lines.push('', `**${failure.class}**: ${asText(failure.message)}`, '', failure.hint);
  if (watchedBy && !isFinal(messageOfPhase(phase)))
    lines.push(
      '',
      `\`${watchedBy}\` polls the PPA. What follows is what it told last; the build's page has what it saw last.`,
    );
  if (records.length > 0) {
    lines.push('', '| package | version | architecture | state |', '|---|---|---|---|');
    for (const record of records)
      lines.push(
        `| ${[record.package, record.version, record.architecture].map(asText).join(' | ')} | [${asText(record.buildState)}](${asTarget(record.webLink)}) |`,
      );
  }
  return lines.join('\n');
}

/**
 * What a PPA, a log or a caller said, on one line, without anything that Markdown reads as its own (CommonMark 2.4).
 */
function asText(text: string): string {
  return printable(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[!-/:-@[-`{-~]/g, (character) =>
      WORD_MARKS.includes(character) ? character : `\\${character}`,
    );
}

/** The target of a link; nothing but an address of the web is one. */
function asTarget(url: string): string {
  return /^https?:\/\/[^\s<>()\\]+$/.test(url) ? `<${url}>` : '<about:blank>';
}
