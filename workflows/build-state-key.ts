import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** The search attribute that says where a build stands. */
export const buildStateKey = defineSearchAttributeKey(
  'AirlineBuildState',
  SearchAttributeType.KEYWORD,
);
