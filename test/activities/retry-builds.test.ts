import { pino } from 'pino';
import { retryBuilds } from '../../activities/retry-builds.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { PpaAnswerError } from '../../ppa/web-service.ts';
import type { Build, SourcePublication } from '../../ppa/wire.ts';
import { codeOf } from './activity.ts';

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
const retryWhere = (retry: PpaClient['retry'], builds = [FAILED]) => {
  const ppaClient = {
    getPublishedSources: async () => [{ self_link: 'x' } as SourcePublication],
    getBuilds: async () => builds,
    retry,
  } as unknown as PpaClient;
  const packages = [{ source: 'hello', version: '1.0' }];
  return retryBuilds({ ppaClient, logger: pino({ level: 'silent' }) })({ ppa: PPA, packages });
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
