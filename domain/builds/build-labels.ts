import type { BuildRequest } from './build-request.ts';
import { CANCEL_SIGNAL, SEARCH_ATTRIBUTES } from './build-workflow.ts';
import { ppaReference, type Ppa } from '../packages/ppa.ts';
import { namedSources, shownPackage } from '../packages/source-file.ts';
import { shownUrl } from '../access/source-url.ts';
import { listed } from '../text/listed.ts';
import { summaryText } from './workflow-summary.ts';

// Temporal's limits: 255 characters for a keyword that SQL visibility indexes, 2 KiB for all of an attribute
// (limit.searchAttributesSizeOfValue).
const MAX_KEYWORD_LENGTH = 255;
const MAX_ATTRIBUTE_BYTES = 2_048;
const MAX_SHOWN_SOURCES = 20;

/** The search attributes of a build. Their order stays as the histories of landings have it. */
const BUILD_ATTRIBUTES = [
  'AirlineTicket',
  'AirlinePpa',
  'AirlineSeries',
  'AirlineSource',
  'AirlineBuildState',
] as const satisfies readonly (keyof typeof SEARCH_ATTRIBUTES)[];

type ValueOf = { INT: number; KEYWORD: string; KEYWORD_LIST: string[] };

/** The search attributes of a build's workflow, as they are when it starts. */
export type BuildAttributes = {
  [Name in (typeof BUILD_ATTRIBUTES)[number]]: ValueOf[(typeof SEARCH_ATTRIBUTES)[Name]];
};

/** A search attribute and its value, as Temporal's SDK takes both. */
type AttributePair = {
  [Type in keyof ValueOf]: { key: { name: string; type: Type }; value: ValueOf[Type] };
}[keyof ValueOf];

/** The search attributes of a build as Temporal's SDK takes them, for a start of its own and as a child. */
export function attributePairs(of: BuildAttributes): AttributePair[] {
  return BUILD_ATTRIBUTES.map(
    (name) => ({ key: attributeKey(name), value: of[name] }) as AttributePair,
  );
}

/** A search attribute of ours with its type, as Temporal's SDK takes it as a key. */
export function attributeKey<Name extends keyof typeof SEARCH_ATTRIBUTES>(name: Name) {
  return { name, type: SEARCH_ATTRIBUTES[name] };
}

export type BuildLabels = ReturnType<typeof labelsOf>;

/**
 * What an operator finds and reads of a build's workflow in Temporal's UI: search attributes, memo, summary and
 * details.
 */
export function labelsOf({
  request,
  ppa,
  requestId,
}: {
  request: BuildRequest;
  ppa: Ppa;
  requestId: string | null;
}) {
  const sources = namedSources(request.sourcePackages).map(shownPackage).map(keyword);
  const reference = ppaReference(ppa);
  return {
    searchAttributes: searchAttributes(request, reference, sources),
    memo: {
      build: `/api/v1/build/${request.buildId}/`,
      ticket: `/api/v1/ticket/${request.ticketId}/`,
      ppa: reference,
      series: request.series,
      sources: sources.slice(0, MAX_SHOWN_SOURCES),
      progressTrigger: request.progressTrigger ?? '',
      requestId: requestId ?? '',
    },
    staticSummary: summary(request, sources),
    staticDetails: details(request, reference, sources, requestId),
  };
}

function searchAttributes(
  request: BuildRequest,
  ppa: string,
  sources: readonly string[],
): BuildAttributes {
  return {
    AirlineTicket: request.ticketId,
    AirlinePpa: keyword(ppa),
    AirlineSeries: keyword(request.series),
    AirlineSource: upToAttributeSize(sources),
    AirlineBuildState: 'queued',
  };
}

/** A text as Temporal takes it as a keyword. */
export function keyword(text: string): string {
  return text.slice(0, MAX_KEYWORD_LENGTH);
}

/** The first of the names, as many as Temporal takes as one attribute. */
export function upToAttributeSize(sources: readonly string[]): string[] {
  const names: string[] = [];
  for (const source of sources.slice(0, MAX_SHOWN_SOURCES)) {
    if (Buffer.byteLength(JSON.stringify([...names, source])) > MAX_ATTRIBUTE_BYTES) break;
    names.push(source);
  }
  return names;
}

function summary(request: BuildRequest, sources: readonly string[]): string {
  return summaryText(
    `Build ${sources.join(', ')} for ${request.series} in ${request.ppa}, ticket ${request.ticketId}`,
  );
}

/** A URL without its secrets, as code in Markdown. */
function markdownUrl(url: string): string {
  return shownUrl(url).slice(0, 500).replaceAll('`', '%60');
}

/** What an operator who has never seen this build reads first in Temporal's UI. */
function details(
  request: BuildRequest,
  ppa: string,
  sources: readonly string[],
  requestId: string | null,
): string {
  return [
    `Build **${request.buildId}** of ticket **${request.ticketId}**: ${listed(sources, MAX_SHOWN_SOURCES)}.`,
    '',
    `- goes to \`${ppa}\`, series \`${request.series}\``,
    request.progressTrigger === null
      ? '- reports to a webhook, and to no queue'
      : `- reports to the queue \`${request.progressTrigger}\``,
    `- ${request.cancelUrl ? `is cancelled when \`${markdownUrl(request.cancelUrl)}\` says \`building: false\`` : 'has no cancel URL'}`,
    `- was asked for by the request \`${requestId ?? 'unknown'}\`, which the logs name`,
    '',
    `To cancel it: \`POST /api/v1/build/${request.buildId}/cancel/\`, or the signal \`${CANCEL_SIGNAL}\` here. Terminating it leaves what runs in the PPA running.`,
  ].join('\n');
}
