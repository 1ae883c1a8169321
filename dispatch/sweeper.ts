import { failureOf, type Failure } from '../domain/builds/failure.ts';
import { PAUSED_STEP, WORKFLOW_STEP } from '../domain/builds/step-words.ts';
import type { Build } from '../models/builds/build.ts';
import { BATCH_SIZE, type DispatchContext } from './dispatch-context.ts';
import { sweepLandings } from './dispatch-landings.ts';
import { sweepCleanings } from './dispatch-pool.ts';
import { endBuild } from './end-build.ts';
import { askAfterWorkflow } from './ask-after-workflow.ts';
import { askUnlessWatched, askUnwatched } from './ask-unwatched.ts';
import { cancellerOf } from './canceller.ts';
import { LOST_BUILD } from './lost-result.ts';
import { forEachPart, forEachRow } from './row-faults.ts';

/** What is noted here as the last error of a build, and taken back once it is over. */
const NOTED_STEPS = [WORKFLOW_STEP, PAUSED_STEP];
/** The part of the wait between sweeps in which further batches of silent builds are begun. */
const SILENT_SHARE = 1 / 10;

/**
 * Ends builds, landings and cleanings whose workflow ended without a result: one that was terminated, or that a fault
 * ended, reports nothing, and its caller would wait for ever. Builds whose PPA no watch polls are told to poll it by
 * themselves.
 */
export class Sweeper {
  private readonly context: DispatchContext;
  private readonly intervalMs: number;
  private readonly silenceMs: number;
  private readonly unwatchedMs: number;
  private readonly ppaWatch: boolean;
  /** By a clock that nobody sets. */
  private dueMs = 0;
  /** The silent build that was asked after last; 0 where a round of all begins. */
  private silentId = 0;
  /** When a build was told of its cancellation or to poll, by its id: of those within the last time of silence. */
  private readonly toldAtMs = new Map<number, number>();

  /**
   * @param options.sweepIntervalMs wait between sweeps
   * @param options.silenceMs Temporal is asked after the workflow of a build, landing or cleaning that was silent for
   * so long
   * @param options.unwatchedMs a build polls its PPA by itself where nobody did for so long
   * @param options.ppaWatch whether PPAs are watched for all of their builds
   */
  constructor(
    context: DispatchContext,
    {
      sweepIntervalMs,
      silenceMs,
      unwatchedMs,
      ppaWatch,
    }: { sweepIntervalMs: number; silenceMs: number; unwatchedMs: number; ppaWatch: boolean },
  ) {
    this.context = context;
    this.intervalMs = sweepIntervalMs;
    this.silenceMs = silenceMs;
    this.unwatchedMs = unwatchedMs;
    this.ppaWatch = ppaWatch;
  }

  /**
   * Sweeps where it is time to. A sweep that Temporal or the database kept from its end is repeated in the next round.
   */
  async sweepWhenDue(signal: AbortSignal): Promise<void> {
    const nowMs = performance.now();
    if (nowMs < this.dueMs) return;
    const silentSince = new Date(Date.now() - this.silenceMs);
    const faults = await forEachPart([
      () => this.sweepEndedBuilds(signal),
      () => this.askAfterSilentBuilds(silentSince, signal),
      () => askUnwatched(this.context, this.unwatchedMs, signal),
      () => sweepLandings(this.context, silentSince, signal),
      () => sweepCleanings(this.context, silentSince, signal),
    ]);
    this.dueMs = nowMs + this.intervalMs;
    if (faults) throw faults;
  }

  private async sweepEndedBuilds(signal: AbortSignal): Promise<void> {
    const { database, workflows } = this.context;
    const oldest = await database.Build.oldestUnfinished();
    if (!oldest) return;
    const ended = await workflows.endedWithoutResult(oldest);
    const unfinished = await database.Build.unfinishedOf(ended);
    await forEachRow('build', unfinished, signal, (build) =>
      this.endUnlessRunning(build, 'was terminated, timed out or failed'),
    );
  }

  /**
   * What Temporal has lost is in no list of what has ended. Each is told at most once in the time after which a build
   * is silent: each time is an event in its history, and one that knows it does nothing about it.
   */
  private async askAfterSilentBuilds(since: Date, signal: AbortSignal): Promise<void> {
    const nowMs = performance.now();
    const endMs = nowMs + this.intervalMs * SILENT_SHARE;
    for (const [id, toldMs] of this.toldAtMs)
      if (nowMs >= toldMs + this.silenceMs) this.toldAtMs.delete(id);
    do {
      const silent = await this.context.database.Build.silentSince(
        since,
        this.silentId,
        BATCH_SIZE,
      );
      this.silentId = silent.length === BATCH_SIZE ? (silent.at(-1)?.id ?? 0) : 0;
      await forEachRow('build', silent, signal, (build) =>
        this.endUnlessRunning(build, 'has ended'),
      );
    } while (this.silentId > 0 && !signal.aborted && performance.now() < endMs);
  }

  /**
   * A workflow that an operator has reset runs again under its id, behind a run that was terminated. One that runs and
   * cannot get on, or of which an activity is paused, is noted as the last error of its build, since it reports nothing
   * itself.
   */
  private async endUnlessRunning(build: Build, how: string): Promise<void> {
    const { database } = this.context;
    const status = await askAfterWorkflow(this.context, build.workflowId);
    if (status.state === 'stuck') {
      const { tries, message } = status;
      await database.Build.recordLastError(build.id, { step: WORKFLOW_STEP, message, tries });
      return;
    }
    if (status.state === 'running') {
      const { paused } = status;
      if (paused) await database.Build.recordLastError(build.id, { step: PAUSED_STEP, ...paused });
      else if (NOTED_STEPS.includes(build.lastError?.step ?? ''))
        await database.Build.clearLastError(build.id);
      if (!this.toldAtMs.has(build.id) && (await this.tell(build, status.isIdle ?? false)))
        this.toldAtMs.set(build.id, performance.now());
      return;
    }
    const what = status.state === 'ended' ? how : 'is unknown to Temporal';
    const failure = status.state === 'completed' ? LOST_BUILD : withoutResult(what);
    await endBuild(this.context, build, failure);
  }

  /**
   * Tells a build's workflow again of its cancellation, which it may have lost, as where an operator has reset it
   * without its signals; else has one that is idle poll its PPA where no watch does.
   *
   * @returns whether it was told anything
   */
  private async tell(build: Build, isIdle: boolean): Promise<boolean> {
    if (build.cancelRequestedAt) {
      await this.context.workflows.signalCancel(build.workflowId, cancellerOf(build));
      return true;
    }
    return isIdle && this.ppaWatch && askUnlessWatched(this.context, build);
  }
}

function withoutResult(what: string): Failure {
  return failureOf(
    'internal',
    `its workflow ${what} without a result; its uploads may still be built in the PPA`,
  );
}
