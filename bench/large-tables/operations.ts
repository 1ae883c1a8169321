import type { Database } from '../../models/database.ts';
import { countUnpublished } from '../../models/events/publish-events.ts';
import { readWaitingBuilds } from '../../models/builds/waiting-builds.ts';

/** Something that is measured on both databases. */
export type Operation = {
  title: string;
  /** Whether it has to be as quick on the large database. */
  hasGoal: boolean;
  /** Does it once: a request to the API, or what a part of the service asks of its database. */
  run: (of: { api: string; database: Database; round: number }) => Promise<void>;
};

const request = (title: string, path: (round: number) => string, hasGoal = true): Operation => ({
  title,
  hasGoal,
  async run({ api, round }) {
    const response = await fetch(api + path(round));
    const text = await response.text();
    if (response.status !== 200)
      throw new Error(`${title}: ${response.status} ${text.slice(0, 200)}`);
  },
});
const statements = (title: string, run: (database: Database) => Promise<unknown>): Operation => ({
  title,
  hasGoal: true,
  async run({ database }) {
    await run(database);
  },
});

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export const OPERATIONS: readonly Operation[] = [
  request('list of open tickets', () => '/api/v1/ticket/'),
  request('list of all tickets', () => '/api/v1/ticketstatus/'),
  request('list of Complete tickets', () => '/api/v1/ticket/?current_workflow_step=1000'),
  request(
    "list of an owner's tickets",
    (round) => `/api/v1/ticket/?owner=developer${round % 200}@example.com`,
  ),
  request(
    'search of tickets for a bug',
    (round) => `/api/v1/ticket/?q=${1_000_100 + (round % 1_000)}&current_workflow_step=1000`,
    false,
  ),
  request('list of builds', () => '/api/v1/build/'),
  request('list of builds that failed', () => '/api/v1/build/?state=failed'),
  request('list of builds of a PPA', (round) => `/api/v1/build/?ppa=ppa:team/${round % 10}`),
  request(
    'list of builds of a package',
    (round) => `/api/v1/build/?package=package-${round % 100}`,
  ),
  request('list of packages', () => '/api/v1/packagestatistics/'),
  request('a package', (round) => `/api/v1/packagestatistics/package-${round % 3_000}/`, false),
  request('what came of builds, by the hour', () => '/api/v1/status/history/'),
  ...Object.entries({
    '': 'order_by=-id',
    ' that wait': `phase__in=queued,accepting,waiting_for_builder,dependency_wait&order_by=-id`,
    ' that failed last': 'phase=failed&order_by=-finished_at',
    ' that need somebody':
      'latest_of=ticket&phase=failed&ticket__current_workflow_step__lt=999&order_by=-finished_at',
    ' with a frequent failure': 'failure_class=build_failed&order_by=-id',
    ' with a rare failure': 'failure_class=chroot_problem&order_by=-id',
    ' for a series': 'series=noble&order_by=-id',
    ' of a part of a PPA': 'ppa__icontains=team/77&order_by=-id',
    ' of an owner': 'ticket__owner=developer77@example.com&order_by=-id',
    ' of a part of an owner': 'ticket__owner__icontains=developer77@&order_by=-id',
    ' of the last hour': `requested_at__gte=${ago(1)}&order_by=-id`,
    ' of long ago': `requested_at__lt=${ago(24)}&order_by=-id`,
    ' by the oldest request': 'order_by=requested_at',
  }).map(([which, query]) =>
    request(`page of builds${which}`, () => `/api/v1/buildsummary/?limit=50&${query}`),
  ),
  ...Object.entries({
    ' of a target': 'target=~team/debian/rare&order_by=-id',
    ' that failed last': 'phase=failed&order_by=-finished_at',
  }).map(([which, query]) =>
    request(`page of landings${which}`, () => `/api/v1/landing/?limit=50&${query}`),
  ),
  request('search for a package', (round) => `/api/v1/search/?q=package-${round % 3_000}`),
  request('search for a version', (round) => `/api/v1/search/?q=1.0-${1 + (round % 1_000)}`),
  request('search for a number', (round) => `/api/v1/search/?q=%23${1 + (round % 1_000)}`),
  ...Object.entries({
    '': '',
    ' of a person': 'actor=lander-7',
    ' of a person who did nothing': 'actor=nobody',
    ' of a ticket': 'ticket=4711',
    ' of one kind': 'kind=cancellation',
    ' of an early time': `until=${ago(24)}`,
  }).map(([which, query]) =>
    request(`history${which}`, () => `/api/v1/ticketevent/?limit=50&${query}`),
  ),
  request('metrics', () => '/metrics'),
  statements('status: its statements', async (database) =>
    Promise.all([
      database.Build.countByState(),
      database.Build.backlog(),
      countUnpublished(database),
      database.Build.countTaken(),
      readWaitingBuilds(database.sequelize, 20),
    ]),
  ),
  statements('publisher: the next build of 20', async ({ ProgressEvent }) =>
    ProgressEvent.publishNextBuild(() => Promise.reject(new Error('not now'))),
  ),
  statements('dispatcher: a start', async ({ Build }) =>
    Build.dispatchOldest(1, async () => ({ waitMs: 0, message: 'not now' }), {
      since: new Date(0),
      dueBy: new Date(),
    }),
  ),
  statements('dispatcher: what else a round looks for', async ({ Build }) =>
    Promise.all([
      Build.backlog(),
      Build.unstartedFor(Date.now(), 100),
      Build.undeliveredCancellations(100),
    ]),
  ),
  statements('dispatcher: a sweep', async ({ Build }) =>
    Promise.all([
      Build.oldestUnfinished(),
      Build.silentSince(new Date(Date.now() + 60_000), 0, 100),
    ]),
  ),
];
