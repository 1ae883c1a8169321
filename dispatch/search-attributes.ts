import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type { BuildAttributes } from '../domain/build-labels.ts';
import { SEARCH_ATTRIBUTES } from '../domain/build-workflow.ts';

/** The search attributes of a build as Temporal's client takes them. */
export function typedSearchAttributes(of: BuildAttributes): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: key('AirlineTicket'), value: of.AirlineTicket },
    { key: key('AirlinePpa'), value: of.AirlinePpa },
    { key: key('AirlineSeries'), value: of.AirlineSeries },
    { key: key('AirlineSource'), value: of.AirlineSource },
    { key: key('AirlineBuildState'), value: of.AirlineBuildState },
  ]);
}

function key<Name extends keyof typeof SEARCH_ATTRIBUTES>(name: Name) {
  return defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name]);
}
