import { Context } from '@temporalio/activity';
import { hasTests } from '../../domain/packages/archive-index.ts';
import type { LandingPolicy } from '../../domain/landings/landing-policy.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import { testsOf } from '../../domain/testing/test-plan.ts';
import { findLinkedSuites } from '../../models/tickets/linked-suites.ts';
import { findOrCreatePlan, keepTestSource } from '../../models/landings/planned-tests.ts';
import { knownImage } from '../known-rows.ts';
import { archiveIndexOf } from './archive/archive-index.ts';
import { changedFiles, readChangedSource, type ChangedSource } from './archive/changed-sources.ts';
import type { TestingDependencies } from './dependencies.ts';
import { fetchTestSources } from './archive/test-sources.ts';

/** What is planned: a landing's tests on one architecture. */
export type TestsToPlan = {
  landingId: number;
  attempt: number;
  architecture: string;
  /** With the landing's packages, and the one without them that it is made from. */
  imageId: number;
  baseImageId: number;
  packages: readonly PackageVersion[];
  tests: LandingPolicy['tests'];
  maxTestRuns: number;
};

/**
 * Decides which tests are run for a landing on an architecture, and gets their sources into the data store. The plan is
 * made once: a repeat gets what lacks of it. A source that cannot be had is a run that is `unavailable`.
 *
 * @returns `runIds` in the order of the plan, empty where nothing would be tested; `left`: how many more runs there
 * would be without `maxTestRuns`
 * @throws Error where the archive or the PPA cannot be asked now
 * @throws ApplicationFailure, which is not retried, where the database does not know an image
 */
export function planTests(deps: TestingDependencies) {
  const { database } = deps;
  return async (input: TestsToPlan): Promise<{ runIds: number[]; left: number }> => {
    const { landingId, attempt, imageId, baseImageId, architecture } = input;
    const signal = Context.current().cancellationSignal;
    const landing = await database.Landing.findByPk(landingId, { rejectOnEmpty: true });
    const image = await knownImage(database, imageId);
    const base = await knownImage(database, baseImageId);
    const built = { landingId, ppa: landing.acceptedPpa };
    const changed: { one: PackageVersion; read: ChangedSource }[] = [];
    for (const one of landing.packages)
      if (input.packages.some(({ source }) => source === one.source))
        changed.push({ one, read: await readChangedSource(deps, built, one, signal) });
    const index = await archiveIndexOf(deps, base, signal);
    const { tests, left } = testsOf(
      {
        sources: changed.map(({ one: { source, version }, read }) => ({
          source,
          version,
          // It may have some where nobody knows: its run says why.
          isTested: 'fault' in read || hasTests(read.control.testsuite),
          packages: 'fault' in read ? [] : read.control.binaries,
        })),
        binaries: image.binaries.map(({ name }) => name),
        architecture,
      },
      index,
      {
        suites: await findLinkedSuites(database.sequelize, landing.ticketId),
        withDependents: input.tests === 'reverse_dependencies',
        maxRuns: input.maxTestRuns,
      },
    );
    const place = { landingId, attempt, imageId, architecture };
    const runs = await findOrCreatePlan(database.TestRun, place, tests);
    const wanted = runs.filter(({ state, files }) => state === 'queued' && files.length === 0);
    for (const { one, read } of changed) {
      const run = wanted.find(
        ({ reason, source }) => reason === 'changed' && source === one.source,
      );
      if (!run) continue;
      const found = 'fault' in read ? read : await changedFiles(deps, built, read, signal);
      await keepTestSource(run, found);
    }
    const others = wanted.filter(({ reason }) => reason !== 'changed');
    await fetchTestSources(deps, { place: base, index }, others, {
      onSource: async ({ source }, found) => {
        const run = others.find((one) => one.source === source);
        if (run) await keepTestSource(run, found);
      },
      signal,
    });
    return { runIds: runs.map(({ id }) => id), left };
  };
}
