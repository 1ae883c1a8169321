import type { BuildRequest, BuildState, Cancellation } from '../domain/build-source.ts';
import type { BuildRecord } from '../domain/build-state.ts';
import type { Failure } from '../domain/failure.ts';

/** Where a build stands, in Markdown for Temporal's UI. */
export function buildDetails(build: {
  request: BuildRequest;
  state: BuildState;
  records: readonly BuildRecord[];
  polls: number;
  cancellation: Cancellation | null;
  failure?: Failure;
}): string {
  const { request, state, records, polls, cancellation, failure } = build;
  const lines = [
    `**${state}** · build ${request.buildId} of ticket ${request.ticketId} · \`${request.ppa}\` ${request.series} · ${polls} looks at the PPA`,
  ];
  if (cancellation) lines.push('', `Cancellation asked for by ${cancellation.requestedBy}.`);
  if (failure) lines.push('', `**${failure.class}**: ${failure.message}`, '', failure.hint);
  if (records.length > 0) {
    lines.push('', '| package | version | architecture | state |', '|---|---|---|---|');
    for (const record of records)
      lines.push(
        `| ${record.package} | ${record.version} | ${record.architecture} | [${record.buildState}](${record.webLink}) |`,
      );
  }
  return lines.join('\n');
}
