import { Context } from '@temporalio/activity';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeRun, tookTooLong } from '../../domain/testing/autopkgtest.ts';
import { AirlineError } from '../../domain/errors.ts';
import type { TestRunEnd, TestRunState } from '../../domain/testing/test-run.ts';
import type { Image } from '../../models/landings/image.ts';
import type { TestRun } from '../../models/landings/test-run.ts';
import { whileHoldingLock } from '../../models/sql/hold-lock.ts';
import { knownRun } from '../known-rows.ts';
import { confirmAttempt } from '../temporal/confirm-attempt.ts';
import { whileHeartbeating } from '../temporal/heartbeat.ts';
import type { TestingDependencies } from './dependencies.ts';
import { fetchTestSource } from './archive/fetch-test-source.ts';
import { keepOutcome } from './keep-outcome.ts';
import { patiently } from './patiently.ts';
import { assertMayBegin, beginningsBefore, failureOfTry } from './run-beginnings.ts';
import { openTestLog, type TestLog } from './test-log.ts';
import type { TestOutcome } from './test-machine.ts';

/** What a workflow learns of a run: all else is in its row. */
export type RunResult = { state: TestRunState; exitCode: number | null };

/**
 * Runs the tests of one source in one image, and writes how they ended: the row, the log, the artifacts. A run that has
 * ended is not run again. What is the package's fault, or the test bed's, is a result; a fault of the service is
 * thrown, and another try follows: for some minutes where the tests have not begun, else until they were begun three
 * times. None follows where the image cannot be had at all, or the database does not know the run. What they have left
 * is stored patiently. One without a landing is made by one tester at a time: who is asked for it, too, waits for that
 * end.
 *
 * A cancellation ends the run as `cancelled`, but one without a landing is left to other landings that compare with it.
 * A tester that is told to stop leaves it to another, as if it had not begun the tests. Either breaks off the storing
 * of the artifacts, too.
 */
export function runTest(deps: TestingDependencies) {
  const { database, logger, machine, store } = deps;
  return ({ runId }: { runId: number }): Promise<RunResult> => {
    let logBytes = () => 0;
    let begun = beginningsBefore();
    const details = () => ({ runId, logBytes: logBytes(), begun });
    const begin = async () => {
      // Before Temporal is asked: a heartbeat that comes meanwhile would take it back.
      begun += 1;
      try {
        await confirmAttempt(details());
      } catch (error) {
        begun -= 1;
        throw error;
      }
    };
    const make = async (signal: AbortSignal): Promise<RunResult> => {
      const run = await knownRun(database, runId);
      if (run.hasEnded) return { state: run.state, exitCode: run.exitCode };
      // Before its log is opened anew: what the last tester has kept of it stays.
      assertMayBegin({ begun });
      const image = await database.Image.findByPk(run.imageId, { rejectOnEmpty: true });
      const folder = `tests/${runId}`;
      const name = `${run.source}_${run.version}_${run.architecture}`;
      const logKey = `${folder}/${name}.test.log`;
      await run.begin(machine.name, store.urlOf(logKey));
      const log = await openTestLog(deps, logKey);
      logBytes = log.bytes;
      const end = async (how: TestRunEnd, artifacts: string | null = null): Promise<RunResult> => {
        if (how.fault !== null) log.write(Buffer.from(`\nairline: ${how.fault}\n`));
        await patiently({ logger, signal }, async () => {
          await log.close();
          await keepOutcome(deps, run, { how, artifacts, folder, name });
          await run.reload();
        });
        return { state: run.state, exitCode: run.exitCode };
      };
      try {
        const outcome = await perform(run, image, { log, begin, cancelled: signal });
        // Another tester may have the run by now, whose files these would replace.
        signal.throwIfAborted();
        if ('state' in outcome) return await end(outcome);
        const { artifacts, ...output } = outcome;
        const how = judgeRun(output, run, image.binaries);
        if (artifacts === null) return await end(how);
        const artifactsKey = `${folder}/${name}.artifacts.tar.gz`;
        await patiently({ logger, signal }, () =>
          store.put(artifactsKey, createReadStream(artifacts, { signal })),
        );
        return await end(how, store.urlOf(artifactsKey));
      } catch (error) {
        const { workerShutdown, cancelRequested } = Context.current().cancellationDetails ?? {};
        // It is this tester that ends the tests, not they that end the tester.
        if (workerShutdown) begun = beginningsBefore();
        if (!cancelRequested) throw failureOfTry(error, { begun });
        if (run.landingId === null) await run.release();
        else await end(ended('cancelled', null));
        throw error;
      } finally {
        await log.abandon();
        await machine.removeFolder(log.directory);
      }
    };
    // To the end: another try would begin while this one stores what it has.
    return whileHeartbeating(details, async (signal) => {
      const { landingId } = await knownRun(database, runId);
      if (landingId !== null) return make(signal);
      // Each landing that compares with it asks for it.
      const { sequelize } = database;
      return whileHoldingLock(sequelize, `test run ${runId}`, signal, () => make(signal));
    });
  };

  async function perform(
    run: TestRun,
    image: Image,
    { log, begin, cancelled }: { log: TestLog; begin: () => Promise<void>; cancelled: AbortSignal },
  ): Promise<TestOutcome | TestRunEnd> {
    const { testMs } = deps.limits;
    const deadline = AbortSignal.timeout(testMs);
    const signal = AbortSignal.any([cancelled, deadline]);
    const { directory } = log;
    const source = join(directory, 'source');
    try {
      await mkdir(source);
      const dsc = await fetchTestSource(deps, run.files, source, signal);
      const landing =
        run.landingId === null ? null : await database.Landing.findByPk(run.landingId);
      return await machine.runTest(
        {
          runId: run.id,
          source: run.source,
          version: run.version,
          isBaseline: run.landingId === null,
          try: run.try,
          image,
          distribution: image.distribution,
          series: image.series,
          target: image.target,
          ppa: landing?.acceptedPpa,
          landed: image.binaries,
          directory,
          dsc: join(source, dsc),
        },
        { signal: cancelled, deadline, onOutput: log.write, begin },
      );
    } catch (error) {
      if (error instanceof AirlineError) return ended('unavailable', error.message);
      if (cancelled.aborted || !deadline.aborted) throw error;
      return ended('bed_failed', tookTooLong(testMs));
    }
  }
}

function ended(state: TestRunEnd['state'], fault: string | null): TestRunEnd {
  return { state, exitCode: null, results: [], exercised: [], fault };
}
