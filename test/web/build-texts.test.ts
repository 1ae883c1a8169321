import { BUILD_PHASES } from '../../domain/builds/build-phase.ts';
import { failureOf } from '../../domain/builds/failure.ts';
import {
  cancelledText,
  sentenceOf,
  toCancelText,
  toRetryText,
} from '../../web/build/build-texts.ts';
import type { Build } from '../../web/server/api-types.ts';

const build = (of: Partial<Build>): Build =>
  ({ builds: [], sequence: [], cancel_requested_at: null, finished_at: null, ...of }) as Build;

const UNFINISHED = BUILD_PHASES.filter(
  (phase) => !['completed', 'failed', 'cancelled'].includes(phase),
);

it.each(UNFINISHED)('counts no builds of one that is %s while the PPA has none', (phase) => {
  expect(sentenceOf(build({ phase }))).not.toContain('0 of 0');
});

it('says how a build that was cancelled is taken up again, and what else that takes', () => {
  const failure = failureOf('cancelled', 'cancelled by the cancel URL');
  const text = (more: Partial<Build>) =>
    cancelledText(build({ cancel_requested_by: null, ...more }));
  expect(text({ failure, cancel_requested_by: 'ann' })).toBe(
    'ann cancelled it. It can be retried.',
  );
  const former = 'The build was cancelled; request it again if it is still wanted.';
  expect(text({ failure: { ...failure, hint: former } })).toBe(
    'cancelled by the cancel URL. It can be retried.',
  );
  expect(text({ failure: { ...failure, hint: 'Ask the lander first.' } })).toBe(
    'cancelled by the cancel URL. Ask the lander first.',
  );
});

it('says that the branches of a merge proposal are merged', () => {
  expect(sentenceOf(build({ phase: 'merging' }))).toBe(
    'The branches of the merge proposal are merged, and the source package is made of them.',
  );
});

describe('what is left of several packages', () => {
  const of = (state: 'building' | 'failed' | 'completed', architecture: string) =>
    ({ state, architecture }) as Build['builds'][number];

  it('is counted by the architectures that are not done yet', () => {
    const builds = [of('building', 'amd64'), of('building', 'amd64'), of('building', 'arm64')];
    expect(toCancelText(build({ builds }))).toMatch(/^2 architectures are not done yet;/);
  });

  it('is counted by the architectures that failed', () => {
    const builds = [of('failed', 'amd64'), of('failed', 'amd64'), of('completed', 'arm64')];
    expect(toRetryText(build({ builds }))).toMatch(/^1 architecture that failed is built again;/);
  });

  it('starts over where nothing of it was built or failed', () => {
    expect(toRetryText(build({}))).toBe('The build starts over.');
    expect(toCancelText(build({}))).toBe('It stops at its next step.');
  });
});
