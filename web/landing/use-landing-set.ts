import type { Landing, Page } from '../server/api-types.ts';
import { useResource, type Resource } from '../server/use-resource.ts';

/** Landings by their ids, live; none is asked for where there is no id. */
export function useLandingSet(ids: readonly number[]): Resource<Page<Landing>> {
  return useResource<Page<Landing>>(
    ids.length === 0 ? null : `/api/v1/landing/set/${ids.join(';')}/`,
    ({ landing }) => landing.some((id) => ids.includes(id)),
  );
}
