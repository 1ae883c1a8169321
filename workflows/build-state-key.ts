import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** The search attribute with the state of a build. */
export const buildStateKey = defineSearchAttributeKey(
  'AirlineBuildState',
  SearchAttributeType.KEYWORD,
);
