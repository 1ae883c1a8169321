import { CancellationScope, setCurrentDetails } from '@temporalio/workflow';
import type { BuildState } from '../domain/build-request.ts';
import type { BuildSourceInput, BuildStatus, WatchState } from '../domain/build-workflow.ts';
import type { Failure } from '../domain/failure.ts';
import type { ProgressReport } from '../domain/progress.ts';
import type { CheckedPackage } from '../domain/source-file.ts';
import { activityStubs } from './activity-stubs.ts';
import { buildDetails } from './build-details.ts';

/** One attempt of a build: what its steps share. The steps are in modules of their own. */
export class BuildAttempt {
  readonly input: BuildSourceInput;
  readonly activities: ReturnType<typeof activityStubs>;
  /** The time for the whole build ends here. */
  readonly deadlineMs: number;
  /** What continue-as-new carries over. */
  readonly watched: WatchState;
  /** Every binary was published, as the last poll saw it. */
  isPublished = false;
  /** All that a cancellation ends; what follows it runs outside. */
  private readonly work = new CancellationScope({
    cancellable: true,
    parent: CancellationScope.current(),
  });
  private state: BuildState;

  constructor(input: BuildSourceInput) {
    this.input = input;
    this.activities = activityStubs(input.limits);
    this.state = input.resumed ? 'building' : 'queued';
    this.watched = input.resumed ?? {
      packages: [],
      sent: 0,
      accepted: false,
      records: [],
      polls: 0,
      startedAtMs: Date.now(),
      uploadedAtMs: 0,
      reportedAtMs: 0,
      dependencyWaitSinceMs: null,
      cancellation: null,
    };
    this.deadlineMs = this.watched.startedAtMs + input.limits.wholeBuildMs;
  }

  /** Runs the work that a cancellation ends, at once where one came before. */
  async runCancellable<T>(work: () => Promise<T>): Promise<T> {
    if (this.watched.cancellation) this.work.cancel();
    return this.work.run(work);
  }

  cancel(requestedBy: string): void {
    this.noteCancellation(requestedBy);
    this.work.cancel();
  }

  /** The final message names the first caller that asked. */
  noteCancellation(requestedBy: string): void {
    this.watched.cancellation ??= { requestedBy, requestedAtMs: Date.now() };
  }

  enter(state: BuildState, failure?: Failure): void {
    this.state = state;
    setCurrentDetails(
      buildDetails({
        ...this.watched,
        request: this.input.request,
        state,
        ...(failure ? { failure } : {}),
      }),
    );
  }

  report(event: Omit<ProgressReport, 'buildId' | 'attempt'>): Promise<{ isEnded: boolean }> {
    const { buildId, attempt = 1 } = this.input.request;
    return this.activities.reportProgress({ buildId, attempt, ...event });
  }

  status(): BuildStatus {
    const { records, polls, cancellation } = this.watched;
    return { state: this.state, records, polls, cancellation };
  }

  isUploading(): boolean {
    return this.state === 'uploading';
  }

  /** The packages that were sent to the PPA, in whole or maybe. */
  sentPackages(): CheckedPackage[] {
    return this.watched.packages.slice(0, this.watched.sent);
  }

  /** Time until the deadline of the whole build; at least 1 ms, as a time limit has to be. */
  remainingMs(): number {
    return Math.max(this.deadlineMs - Date.now(), 1);
  }
}
