import { ANY_DISTRIBUTION, ppaPattern, type Ppa } from '../../domain/packages/ppa.ts';
import type { Condition } from '../sql/conditions.ts';

/** Builds that are the latest of their tickets. */
export const latestOfTicket: Condition = {
  sql: `NOT EXISTS (SELECT FROM build later WHERE later.ticket_id = build.ticket_id AND later.id > build.id)`,
};

/** Builds whose latest attempt has a failure of one of these classes. */
export function ofFailureClass(classes: readonly string[]): Condition {
  return { sqlWith: (placeholderOf) => `failure ->> 'class' = ANY(${placeholderOf(classes)})` };
}

/**
 * Builds in a PPA, however their requests wrote it. The texts are those of all builds, of which there are far fewer:
 * each is found in the index by the one before it.
 */
export function inPpa(ppa: Ppa): Condition {
  return {
    sqlWith: (placeholderOf) =>
      [
        `build.ppa = ANY(ARRAY(
          WITH RECURSIVE written AS (
            SELECT min(ppa) AS ppa FROM build
            UNION ALL
            SELECT (SELECT min(later.ppa) FROM build later WHERE later.ppa > written.ppa)
            FROM written WHERE written.ppa IS NOT NULL
          )
          SELECT ppa FROM written WHERE ppa ~* ${placeholderOf(ppaPattern(ppa))}
        ))`,
        ...(ppa.distribution === ANY_DISTRIBUTION
          ? []
          : [`build.archive = ${placeholderOf(ppa.distribution)}`]),
      ].join(' AND '),
  };
}
