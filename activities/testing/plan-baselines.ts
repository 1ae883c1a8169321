import { Context } from '@temporalio/activity';
import { createBaseline, findOpenBaseline } from '../../models/landings/planned-tests.ts';
import type { TestRun } from '../../models/landings/test-run.ts';
import { knownImage, knownRun } from '../known-rows.ts';
import { archiveIndexOf } from './archive/archive-index.ts';
import type { TestingDependencies } from './dependencies.ts';
import { fetchTestSources } from './archive/test-sources.ts';

/**
 * Adds, for runs of changed sources, those that they are compared with: of the archive's own version, with the
 * archive's tests, in the base image. Where the archive has no tests of that name, the run is `unavailable`; where they
 * cannot be fetched, it is `bed_failed`, and the next call adds another. Safe to repeat.
 *
 * @returns `runIds` in the order of the runs that were asked for
 * @throws Error where the archive cannot be read now
 * @throws ApplicationFailure, which is not retried, where the database does not know the base image, or a run
 */
export function planBaselines(deps: TestingDependencies) {
  const { database } = deps;
  const { TestRun: Runs } = database;
  return async (input: {
    baseImageId: number;
    runIds: readonly number[];
  }): Promise<{ runIds: number[] }> => {
    const signal = Context.current().cancellationSignal;
    const base = await knownImage(database, input.baseImageId);
    const index = await archiveIndexOf(deps, base, signal);
    const baselines: TestRun[] = [];
    for (const id of input.runIds) {
      const { createdAt, source, version, architecture, reason, why } = await knownRun(
        database,
        id,
      );
      const archived = index.sources.find(({ name }) => name === source)?.version;
      const of = {
        imageId: base.id,
        source,
        version: archived ?? version,
        architecture,
        reason,
        why,
        files: [],
      };
      const add = (end: Partial<Pick<TestRun, 'files' | 'state' | 'fault'>>) =>
        createBaseline(Runs, { ...of, ...end, ...(end.state ? { endedAt: new Date() } : {}) });
      let baseline = await findOpenBaseline(Runs, { ...of, since: createdAt });
      if (!baseline && archived === undefined)
        baseline = await add({
          state: 'unavailable',
          fault: `The archive has no tests of ${source}.`,
        });
      if (!baseline)
        await fetchTestSources(deps, { place: base, index }, [of], {
          onSource: async (_, found) => {
            baseline = await add('files' in found ? found : { ...found, state: 'bed_failed' });
          },
          signal,
        });
      if (!baseline) throw new Error(`The archive says nothing of ${source} ${of.version}.`);
      baselines.push(baseline);
    }
    return { runIds: baselines.map(({ id }) => id) };
  };
}
