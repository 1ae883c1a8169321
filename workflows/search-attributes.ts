import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type { BuildAttributes } from '../domain/build-labels.ts';
import { SEARCH_ATTRIBUTES } from '../domain/build-workflow.ts';

/** The search attributes of a build as a child workflow takes them. */
export function typedSearchAttributes(of: BuildAttributes): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: attributeKey('AirlineTicket'), value: of.AirlineTicket },
    { key: attributeKey('AirlinePpa'), value: of.AirlinePpa },
    { key: attributeKey('AirlineSeries'), value: of.AirlineSeries },
    { key: attributeKey('AirlineSource'), value: of.AirlineSource },
    { key: attributeKey('AirlineBuildState'), value: of.AirlineBuildState },
  ]);
}

/** A search attribute of ours, with its type. */
export function attributeKey<Name extends keyof typeof SEARCH_ATTRIBUTES>(name: Name) {
  return defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name]);
}
