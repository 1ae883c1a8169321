import type { Landing, Testrun } from '../../api/openapi/contract.generated.ts';
import { isOpenRun, TEST_STATUSES } from '../../domain/testing/test-run.ts';
import { MAX_LIMIT } from '../../domain/service/page-limit.ts';
import type { ApiClient, Page } from '../server/api-client.ts';
import type { Tone } from '../output/colours.ts';
import type { Column } from '../output/table.ts';
import { landingPath } from './watch-landing.ts';

/** The attempt of a landing whose tests are shown: the one that is asked for, else the latest. */
export async function shownAttempt(
  api: Pick<ApiClient, 'get'>,
  landingId: number,
  asked: number | undefined,
): Promise<number> {
  return asked ?? (await api.get<Landing>(landingPath(landingId))).attempt;
}

/** Test runs of an attempt of a landing, all that match, in the order of its plan. */
export async function landingTestRuns(
  api: Pick<ApiClient, 'get'>,
  landingId: number,
  filters: { attempt: number; source?: string; architecture?: string | undefined },
): Promise<Testrun[]> {
  const runs: Testrun[] = [];
  for (let isMore = true; isMore;) {
    const { meta, objects } = await api.get<Page<Testrun>>('/api/v1/testrun/', {
      landing_id: landingId,
      ...filters,
      order_by: 'id',
      limit: MAX_LIMIT,
      offset: runs.length,
    });
    runs.push(...objects);
    isMore = objects.length > 0 && meta.next !== null;
  }
  return runs;
}

/** Whether a run has a test that failed, or could not be made. One is cancelled where its image is made anew, too. */
export function hasFailed({ state, results }: Testrun): boolean {
  const isWithoutResults = state !== 'finished' && state !== 'cancelled' && !isOpenRun(state);
  return isWithoutResults || results.some(({ status }) => status === 'FAIL');
}

/** The columns of a list of test runs. */
export function testRunColumns(): Column<Testrun>[] {
  return [
    { head: 'SOURCE', cell: ({ source }) => source, isFlexible: true },
    { head: 'VERSION', cell: ({ version }) => version, isFlexible: true },
    { head: 'ARCHITECTURE', cell: ({ architecture }) => architecture },
    { head: 'STATE', cell: ({ state }) => state.replaceAll('_', ' '), tone: toneOfRun },
    { head: 'TESTS', cell: resultText, tone: toneOfRun, isFlexible: true },
    { head: 'WHY', cell: ({ why }) => why, isFlexible: true },
    { head: 'TRY', cell: ({ try: number }) => number, isWide: true },
    { head: 'RUN', cell: ({ id }) => id, isWide: true },
    { head: 'TESTER', cell: ({ tester }) => tester, isWide: true },
    { head: 'LOG', cell: ({ log_url: url }) => url, isWide: true },
  ];
}

/** `2 pass, 1 fail`, or why there are no results. */
function resultText({ results, fault }: Testrun): string | null {
  const counts = TEST_STATUSES.flatMap((wanted) => {
    const count = results.filter(({ status }) => status === wanted).length;
    return count > 0 ? [`${count} ${wanted.toLowerCase()}`] : [];
  });
  return counts.length > 0 ? counts.join(', ') : fault;
}

function toneOfRun(run: Testrun): Tone {
  if (hasFailed(run)) return 'bad';
  if (run.state === 'cancelled') return 'faint';
  return run.state === 'finished' ? 'good' : 'busy';
}
