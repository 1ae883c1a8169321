import { CancelledFailure } from '@temporalio/activity';
import type { MockActivityEnvironment } from '@temporalio/testing';
import { pino } from 'pino';
import { retryBuilds } from '../../activities/retry-builds.ts';
import { LAUNCHPAD_BUILD_STATES } from '../../domain/builds/build-state.ts';
import { CALLER_GONE } from '../../domain/builds/build-workflow.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { PpaAnswerError } from '../../ppa/web-service.ts';
import type { Build, SourcePublication } from '../../ppa/wire.ts';
import { codeOf, runActivity } from './activity.ts';
import { startFileServer } from './file-server.ts';
import { TEST_SOURCES } from '../support/test-sources.ts';

const PPA = { owner: 'me', distribution: 'debian', name: 'test' };
const FAILED = {
  self_link: 'https://api.example.com/build/1',
  source_package_name: 'hello',
  source_package_version: '1.0',
  arch_tag: 'amd64',
  buildstate: 'Failed to build',
  can_be_retried: true,
} as Build;

/** Retries the builds of a package at a PPA that answers a retry so. */
const retryWhere = (
  retry: PpaClient['retry'],
  builds = [FAILED],
  more: {
    cancelUrl?: string;
    prepare?: (environment: MockActivityEnvironment) => void;
    ofEarlierRequests?: true;
    /** Addresses of those builds that another request waits for. */
    shownToOthers?: string[];
    series?: string;
    /** Each has the builds of its own address; a single one has all of them. */
    publications?: SourcePublication[];
  } = {},
) => {
  const { cancelUrl, prepare, ofEarlierRequests, shownToOthers = [], series } = more;
  const { publications = [{ self_link: 'x' } as SourcePublication] } = more;
  const ppaClient = {
    getPublishedSources: async () => publications,
    getBuilds: async (link: string) =>
      publications.length === 1 ? builds : builds.filter(({ self_link }) => self_link === link),
    getPublishedBinaries: async () => [],
    retry,
  } as unknown as PpaClient;
  const activity = retryBuilds({
    ppaClient,
    sources: TEST_SOURCES,
    cancelUrlTimeoutMs: 60_000,
    shownToOthers: async () => new Map(shownToOthers.map((link) => [link, 8])),
    logger: pino({ level: 'silent' }),
  });
  const packages = [{ source: 'hello', version: '1.0' }];
  const input = {
    buildId: 7,
    ppa: PPA,
    packages,
    ...(series ? { series } : {}),
    ...(cancelUrl ? { cancelUrl } : {}),
    ...(ofEarlierRequests ? { ofEarlierRequests } : {}),
  };
  return runActivity(activity, input, prepare ? { prepare } : {});
};
const answers = (status: number) => async () => {
  throw new PpaAnswerError(status, `POST ${FAILED.self_link}: ${status} said`);
};

it('counts what the PPA builds again, and what it builds already', async () => {
  const building = {
    ...FAILED,
    self_link: 'building',
    buildstate: 'Currently building',
    can_be_retried: false,
  } as Build;
  const built = { ...building, self_link: 'built', buildstate: 'Successfully built' };
  expect(await retryWhere(async () => true, [FAILED, building, built])).toEqual({ retried: 2 });
  expect(await retryWhere(async () => false)).toEqual({ retried: 0 });
});

it('retries the builds of its own series alone, where that has any', async () => {
  const inSeries = (series: string) =>
    ({
      self_link: series,
      distro_series_link: `https://lp.example/devel/debian/${series}`,
    }) as SourcePublication;
  const publications = [inSeries('trixie'), inSeries('bookworm')];
  const of = (series: string) => ({ ...FAILED, self_link: series });
  const retriedFor = async (series: string, builds: Build[]) => {
    const asked: string[] = [];
    const retry = async (link: string) => asked.push(link) > 0;
    await retryWhere(retry, builds, { series, publications });
    return asked;
  };
  expect(await retriedFor('trixie', [of('trixie'), of('bookworm')])).toEqual(['trixie']);
  expect(await retriedFor('trixie', [of('bookworm')])).toEqual(['bookworm']);
});

it.each([401, 403])('ends for good where our account may not retry: %i', async (status) => {
  const outcome = retryWhere(answers(status));
  await expect(outcome).rejects.toThrow(
    `~me/debian/test does not let our account retry hello 1.0 on amd64: POST ${FAILED.self_link}: ${status} said`,
  );
  expect(await codeOf(outcome)).toBe('retry_not_allowed');
});

it('leaves another answer of the PPA for a later try', async () => {
  await expect(retryWhere(answers(404))).rejects.toBeInstanceOf(PpaAnswerError);
});

it.each([
  ['has nothing built again for a caller who is gone', false, 0],
  ['has built again what a caller waits for', true, 1],
])('%s', async (_does, building, times) => {
  const caller = await startFileServer();
  try {
    const cancelUrl = caller.answer('caller.json', JSON.stringify({ building }));
    const asked: string[] = [];
    const retry = async (link: string) => asked.push(link) > 0;
    const outcome = retryWhere(retry, [FAILED], { cancelUrl });
    if (building) expect(await outcome).toEqual({ retried: 1 });
    else await expect(outcome).rejects.toMatchObject({ type: CALLER_GONE, nonRetryable: true });
    expect(asked).toHaveLength(times);
  } finally {
    await caller.stop();
  }
});

it('has no more built again once it is cancelled', async () => {
  let cancel = () => {};
  const asked: string[] = [];
  const retry = async (link: string) => {
    cancel();
    return asked.push(link) > 0;
  };
  const outcome = retryWhere(retry, [FAILED, { ...FAILED, self_link: 'another' }], {
    prepare: (environment) => (cancel = () => environment.cancel('CANCELLED')),
  });
  await expect(outcome).rejects.toBeInstanceOf(CancelledFailure);
  expect(asked).toEqual([FAILED.self_link]);
});

it('leaves what is being cancelled to a later try, once it has asked for the others', async () => {
  const cancelling = { ...FAILED, self_link: 'first', buildstate: 'Cancelling build' };
  const asked: string[] = [];
  const retry = async (link: string) => asked.push(link) > 0;
  await expect(retryWhere(retry, [cancelling, FAILED])).rejects.toThrow(
    'hello 1.0 on amd64 is being cancelled in the PPA; it can be retried after that',
  );
  expect(asked).toEqual([FAILED.self_link]);
});

describe('of builds that an earlier request has left', () => {
  const builds = LAUNCHPAD_BUILD_STATES.filter((state) => state !== 'Cancelling build').map(
    (buildstate) => ({ ...FAILED, self_link: buildstate, buildstate }),
  );
  const ofEarlierRequests = true;
  /** Those that the PPA is asked to retry. */
  async function askedWhere(shownToOthers: string[]) {
    const asked: string[] = [];
    const retry = async (link: string) => asked.push(link) > 0;
    await retryWhere(retry, builds, { ofEarlierRequests, shownToOthers });
    return asked;
  }

  it('retries what says nothing of the source', async () => {
    expect(await askedWhere([])).toEqual([
      'Dependency wait',
      'Chroot problem',
      'Failed to upload',
      'Cancelled build',
    ]);
  });

  it('leaves what another request waits for', async () => {
    expect(await askedWhere(['Chroot problem', 'Cancelled build'])).toEqual([
      'Dependency wait',
      'Failed to upload',
    ]);
  });

  it.each([401, 403])('leaves what our account may not retry: %i', async (status) => {
    // Those that are waiting or building.
    expect(await retryWhere(answers(status), builds, { ofEarlierRequests })).toEqual({
      retried: 4,
    });
  });
});
