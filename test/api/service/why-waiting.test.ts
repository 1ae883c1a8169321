import { whyWaiting } from '../../../api/service/why-waiting.ts';
import type { ArchitectureBuild } from '../../../domain/builds/progress.ts';
import type { WorkerQueue } from '../../../domain/service/worker-queue.ts';
import type { WaitingBuild } from '../../../models/builds/waiting-builds.ts';

const since = new Date('2026-11-21T12:00:00.000Z');
const waiting: WaitingBuild = {
  id: 7,
  ticket_id: 1,
  ppa: 'ppa:airline/landing',
  package_names: ['hello'],
  state: 'queued',
  phase: 'queued',
  since,
  cancel_requested_at: null,
  dispatched_at: since,
  last_error: null,
  architecture_builds: [],
};
const queue = (pollers: number, backlog: number, polling = true): WorkerQueue => ({
  name: 'build-source',
  kind: 'workflow',
  pollers: Array.from({ length: pollers }, () => ({
    identity: 'w',
    last_access_at: null,
    polling,
  })),
  backlog,
  backlog_age_ms: null,
});
const blocked: ArchitectureBuild = {
  package: 'hello',
  version: '1',
  architecture: 'amd64',
  buildstate: 'Dependency wait',
  state: 'dependency_wait',
  web_link: '',
};

describe('why a build waits', () => {
  test.each<[string, Partial<WaitingBuild>, WorkerQueue[] | undefined, string]>([
    [
      'a step that fails',
      { last_error: { step: 'watchBuilds', message: '503', tries: 4, since: since.toISOString() } },
      [queue(1, 0)],
      `The poll of the PPA fails, 4 tries since ${since.toISOString()}: 503`,
    ],
    [
      'a step that has failed once',
      {
        last_error: { step: 'uploadSource', message: '421', tries: 1, since: since.toISOString() },
      },
      [queue(1, 0)],
      `The upload fails, 1 try since ${since.toISOString()}: 421`,
    ],
    [
      'a dependency',
      { state: 'building', phase: 'dependency_wait', architecture_builds: [blocked] },
      [queue(1, 0)],
      'hello on amd64 waits for build dependencies',
    ],
    [
      'a dependency that the PPA names',
      {
        state: 'building',
        phase: 'building',
        architecture_builds: [{ ...blocked, dependencies: 'libmissing-dev (>= 2)' }],
      },
      [queue(1, 0)],
      'hello on amd64 waits for libmissing-dev (>= 2)',
    ],
    [
      'the publication of what others need',
      { state: 'building', phase: 'prerequisite_wait' },
      undefined,
      'the PPA has not published yet what its other packages need',
    ],
    [
      'the acceptance',
      { state: 'accepting', phase: 'accepting' },
      undefined,
      'the PPA has not shown the upload yet',
    ],
    [
      'a builder',
      { state: 'building', phase: 'waiting_for_builder' },
      [queue(1, 0)],
      'no builder of the PPA has taken it yet',
    ],
    [
      'no Temporal',
      { dispatched_at: null },
      undefined,
      'Temporal does not answer; its workflow goes on when it does',
    ],
    [
      'no workflow yet',
      { dispatched_at: null },
      [queue(1, 0)],
      'its workflow is about to be started',
    ],
    [
      'a worker, for its next attempt, where the one before waited for a dependency',
      { architecture_builds: [blocked] },
      [queue(0, 5)],
      'no worker polls the queue; start one',
    ],
    ['no worker', {}, [queue(0, 5)], 'no worker polls the queue; start one'],
    ['a frozen worker', {}, [queue(1, 5, false)], 'no worker polls the queue; start one'],
    ['busy workers', {}, [queue(2, 5), queue(2, 3)], 'the workers are busy: 8 tasks wait for them'],
    ['workers with one task', {}, [queue(2, 1)], 'the workers are busy: 1 task waits for them'],
    ['workers with nothing before it', {}, [queue(2, 0)], 'no worker has taken it yet'],
  ])('%s', (_, build, queues, why) => {
    expect(whyWaiting({ ...waiting, ...build }, queues)).toBe(why);
  });
});
