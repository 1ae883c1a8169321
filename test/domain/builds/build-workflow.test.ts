import {
  buildIdOfWorkflow,
  buildWorkflowId,
  DATABASE_AWAY_MS,
  executionTimeoutMs,
  wholeBuildBeginsAtMs,
} from '../../../domain/builds/build-workflow.ts';
import { BUILD_LIMITS } from '../../support/build-limits.ts';

const store = (name: string) => `http://127.0.0.1:8080/store/uploads/${name}`;

describe('the workflow id of a build', () => {
  test.each([
    ['one package', ['hello_2.10-3.dsc', 'hello_2.10-3_source.changes'], 'build-42-ticket-7-hello'],
    [
      'three packages',
      ['bb_1_source.changes', 'aa_1_source.changes', 'cc_1_source.changes'],
      'build-42-ticket-7-bb-and-2-more',
    ],
    ['a name that is no source package name', ['%3Cb%3E_1_source.changes'], 'build-42-ticket-7'],
    ['a name that is not well encoded', ['%E0%A4%A_1_source.changes'], 'build-42-ticket-7'],
  ])('%s', (_, names, id) => {
    const build = { buildId: 42, ticketId: 7, sourcePackages: names.map(store), attempt: 1 };
    expect(buildWorkflowId(build)).toBe(id);
    expect(buildIdOfWorkflow(id)).toBe(42);
  });

  test('a later attempt has an id of its own', () => {
    const build = { buildId: 4, ticketId: 7, sourcePackages: [store('bb_1_source.changes')] };
    expect(buildWorkflowId({ ...build, attempt: 2 })).toBe('build-4-ticket-7-bb-attempt-2');
    expect(buildIdOfWorkflow('build-4-ticket-7-bb-attempt-2')).toBe(4);
  });

  test.each(['', 'build-x-ticket-1', 'build-1-ticket-1hello', 'other-1-ticket-1'])(
    '%j is none',
    (id) => {
      expect(buildIdOfWorkflow(id)).toBeUndefined();
    },
  );
});

describe('the time for a whole build', () => {
  const MINUTE_MS = 60_000;
  const DAY_MS = 24 * 60 * MINUTE_MS;
  const limits = { ...BUILD_LIMITS, wholeBuildMs: DAY_MS };

  test.each([
    ['at once', 0],
    ['after ten minutes', 10 * MINUTE_MS],
  ])('begins when a worker takes it %s', (_, takenAtMs) => {
    expect(wholeBuildBeginsAtMs(0, takenAtMs)).toBe(takenAtMs);
  });

  test.each([
    ['at once', 0],
    ['after an hour', 60 * MINUTE_MS],
    ['after three hours', 180 * MINUTE_MS],
    ['after a day', DAY_MS],
  ])('leaves that to stop it in the PPA where a worker takes it %s', (_, takenAtMs) => {
    const endsAtMs = wholeBuildBeginsAtMs(0, takenAtMs) + limits.wholeBuildMs;
    const leftMs = executionTimeoutMs(limits) - endsAtMs;
    const stopMs = limits.cancellationMs + limits.logCollectionMs;
    expect(leftMs).toBeGreaterThan(stopMs + DATABASE_AWAY_MS + 10 * MINUTE_MS);
  });
});
