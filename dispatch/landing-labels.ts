import { TypedSearchAttributes } from '@temporalio/common';
import { attributeKey, keyword, upToAttributeSize } from '../domain/builds/build-labels.ts';
import type { LandingInput } from '../domain/landings/landing.ts';
import { ppaReference } from '../domain/packages/ppa.ts';
import { shownPackage } from '../domain/packages/source-file.ts';
import { summaryText } from '../domain/builds/workflow-summary.ts';

/** What an operator finds and reads of a landing's workflow in Temporal's UI. */
export function landingLabels({
  landingId,
  ticketId,
  packages,
  ppa,
  target,
}: Pick<LandingInput, 'landingId' | 'ticketId' | 'packages' | 'ppa' | 'target'>) {
  const sources = packages.map(shownPackage).map(keyword);
  return {
    typedSearchAttributes: new TypedSearchAttributes([
      { key: attributeKey('AirlineTicket'), value: ticketId },
      ...(ppa ? [{ key: attributeKey('AirlinePpa'), value: keyword(ppaReference(ppa)) }] : []),
      { key: attributeKey('AirlineSeries'), value: keyword(target.series) },
      { key: attributeKey('AirlineSource'), value: upToAttributeSize(sources) },
      { key: attributeKey('AirlineLandingPhase'), value: 'queued' },
    ]),
    memo: {
      landing: `/api/v1/landing/${landingId}/`,
      ticket: `/api/v1/ticket/${ticketId}/`,
      target: target.archive,
    },
    staticSummary: summaryText(
      `Land ${sources.join(', ')} of ticket ${ticketId} in ${target.archive} ${target.series}`,
    ),
  };
}
