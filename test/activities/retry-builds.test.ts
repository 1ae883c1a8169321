import { CancelledFailure } from '@temporalio/activity';
import type { MockActivityEnvironment } from '@temporalio/testing';
import { pino } from 'pino';
import { retryBuilds } from '../../activities/retry-builds.ts';
import { CALLER_GONE } from '../../domain/builds/build-workflow.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { PpaAnswerError } from '../../ppa/web-service.ts';
import type { Build, SourcePublication } from '../../ppa/wire.ts';
import { codeOf, runActivity } from './activity.ts';
import { startFileServer } from './file-server.ts';

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
  more: { cancelUrl?: string; prepare?: (environment: MockActivityEnvironment) => void } = {},
) => {
  const { cancelUrl, prepare } = more;
  const ppaClient = {
    getPublishedSources: async () => [{ self_link: 'x' } as SourcePublication],
    getBuilds: async () => builds,
    retry,
  } as unknown as PpaClient;
  const activity = retryBuilds({
    ppaClient,
    sources: {
      rule: { hosts: ['127.0.0.1'], refusedPorts: [1], storeUrl: 'http://127.0.0.1:1/store' },
      maxBytes: 1,
      idleTimeoutMs: 60_000,
    },
    cancelUrlTimeoutMs: 60_000,
    logger: pino({ level: 'silent' }),
  });
  const packages = [{ source: 'hello', version: '1.0' }];
  const input = { ppa: PPA, packages, ...(cancelUrl ? { cancelUrl } : {}) };
  return runActivity(activity, input, prepare ? { prepare } : {});
};
const answers = (status: number) => async () => {
  throw new PpaAnswerError(status, `POST ${FAILED.self_link}: ${status} said`);
};

it('counts what the PPA builds again, and what it builds already', async () => {
  const building = { ...FAILED, buildstate: 'Currently building', can_be_retried: false } as Build;
  const built = { ...building, buildstate: 'Successfully built' };
  expect(await retryWhere(async () => true, [FAILED, building, built])).toEqual({ retried: 2 });
  expect(await retryWhere(async () => false)).toEqual({ retried: 0 });
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
