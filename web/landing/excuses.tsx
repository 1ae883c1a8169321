import { MAX_LIMIT } from '../../domain/service/page-limit.ts';
import { isOverridable } from '../../domain/testing/test-verdict.ts';
import { readClock } from '../server/api-clock.ts';
import { MissingScopes } from '../components/missing-scopes.tsx';
import { ErrorNote } from '../components/notes.tsx';
import { Ago } from '../components/relative-time.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { exactTime } from '../format.ts';
import { may } from '../server/session.ts';
import type { Landing, Page, Testoverride } from '../server/api-types.ts';
import { useResource, type Resource } from '../server/use-resource.ts';
import { testLabel } from './labels.ts';
import { testName, type Excuse } from './override-dialog.tsx';
import { testLogAddress } from './test-log.tsx';

/** What persons have said of the tests that stop a landing. */
export function useOverrides(
  landing: Landing,
  excuses: readonly Excuse[],
): Resource<Page<Testoverride>> {
  const sources = [...new Set(stopping(landing, excuses).map(({ source }) => source))].toSorted();
  const query = new URLSearchParams({
    source__in: sources.join(','),
    order_by: '-valid_until',
    limit: String(MAX_LIMIT),
  });
  return useResource<Page<Testoverride>>(
    sources.length === 0 ? null : `/api/v1/testoverride/?${query}`,
    (change) => change.landing.includes(landing.id),
  );
}

/**
 * The tests that do not pass, with the run that says so and the one that it is compared with, and whether they count.
 *
 * @param given.ask what begins to say that one does not count
 */
export function Excuses({
  excuses,
  landing,
  overrides: { data, error, reload },
  ask,
}: {
  excuses: readonly Excuse[];
  landing: Landing;
  overrides: Resource<Page<Testoverride>>;
  ask: (excuse: Excuse) => void;
}) {
  const inTheWay = stopping(landing, excuses);
  return (
    <>
      <ol class="card excuses" aria-label="Tests that do not pass">
        {excuses.map((one) => (
          <li key={`${one.source} ${one.architecture} ${one.test}`}>
            <StateBadge isPlain label={testLabel(one.verdict)} />
            <span class="breakable">
              <b>{testName(one)}</b> on {one.architecture}
            </span>
            <span class="breakable">{one.why}</span>
            <span class="excuse-links">
              {one.run_id !== null && one.log_url !== null && (
                <a href={testLogAddress(landing, one.run_id)}>Its log</a>
              )}
              {one.baseline_run_id !== null && (
                <a href={testLogAddress(landing, one.baseline_run_id)}>Without the landing</a>
              )}
            </span>
            {inTheWay.includes(one) && (
              <Word
                excuse={one}
                override={data?.objects.find((word) => covers(word, one))}
                ask={() => ask(one)}
              />
            )}
          </li>
        ))}
      </ol>
      {error && <ErrorNote what="Who overrode which test" error={error} retry={reload} />}
      {inTheWay.length > 0 && (
        <MissingScopes
          wishes={[{ to: 'say that a test does not count', needs: 'landing:approve' }]}
        />
      )}
    </>
  );
}

/** A person's word on a test; where there is none, what gives it. */
function Word({
  excuse,
  override,
  ask,
}: {
  excuse: Excuse;
  override: Testoverride | undefined;
  ask: () => void;
}) {
  if (override)
    return (
      <span class="excuse-word breakable">
        <b>{override.overridden_by}</b> said <Ago at={override.created_at} /> that it does not count
        until {exactTime(override.valid_until)}: “{override.reason}”
      </span>
    );
  if (!may('landing:approve')) return null;
  return (
    <span class="excuse-word">
      <button type="button" class="button" onClick={ask}>
        Does not count
        <span class="visually-hidden">
          : {testName(excuse)} on {excuse.architecture}
        </span>
      </button>
    </span>
  );
}

/** The tests that a person may say of that they do not count, so that the landing can go on. */
function stopping({ phase }: Landing, excuses: readonly Excuse[]): readonly Excuse[] {
  return phase === 'complete' ? [] : excuses.filter(({ verdict }) => isOverridable(verdict));
}

function covers(override: Testoverride, { source, architecture, test }: Excuse): boolean {
  return (
    override.source === source &&
    (override.architecture === null || override.architecture === architecture) &&
    (override.test === null || override.test === test) &&
    Date.parse(override.valid_until) > readClock()
  );
}
