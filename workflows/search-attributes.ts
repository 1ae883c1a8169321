import {
  defineSearchAttributeKey,
  TypedSearchAttributes,
  type SearchAttributePair,
} from '@temporalio/common';
import { BUILD_ATTRIBUTES, type BuildAttributes } from '../domain/builds/build-labels.ts';
import { SEARCH_ATTRIBUTES } from '../domain/builds/build-workflow.ts';

/** The search attributes of a build as a child workflow takes them. */
export function typedSearchAttributes(of: BuildAttributes): TypedSearchAttributes {
  return new TypedSearchAttributes(
    BUILD_ATTRIBUTES.map(
      (name) => ({ key: attributeKey(name), value: of[name] }) as SearchAttributePair,
    ),
  );
}

/** A search attribute of ours, with its type. */
export function attributeKey<Name extends keyof typeof SEARCH_ATTRIBUTES>(name: Name) {
  return defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name]);
}
