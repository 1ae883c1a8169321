import {
  CancellationScope,
  patched,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { attributeKey } from '../domain/builds/build-labels.ts';
import {
  isLongPhase,
  phaseInPpa,
  stateOfPhase,
  type BuildPhase,
} from '../domain/builds/build-phase.ts';
import { buildRecordState } from '../domain/builds/build-state.ts';
import {
  wholeBuildBeginsAtMs,
  type BuildSourceInput,
  type BuildStatus,
  type WatchState,
} from '../domain/builds/build-workflow.ts';
import type { Failure } from '../domain/builds/failure.ts';
import { sequenceOf } from '../domain/builds/build-sequence.ts';
import { isFinal, messageOfPhase, type ProgressReport } from '../domain/builds/progress.ts';
import { watchWorkflowId, type PpaNews } from '../domain/builds/ppa-watch.ts';
import type {
  CheckedPackage,
  DescribedPackage,
  PackageVersion,
} from '../domain/packages/source-file.ts';
import type { BuildActivities } from '../activities/index.ts';
import { activityStubs } from './activity-stubs.ts';
import { buildDetails } from './build-details.ts';

/** A report without what names its attempt. */
type PlainReport = Omit<ProgressReport, keyof AttemptName>;

type AttemptName = Pick<ProgressReport, 'buildId' | 'attemptKey'> & { attempt: number };

/** One attempt of a build: what its steps share. The steps are in modules of their own. */
export class BuildAttempt {
  readonly input: BuildSourceInput;
  readonly activities: ReturnType<typeof activityStubs>;
  /** The time for the whole build ends here. */
  readonly deadlineMs: number;
  /** What continue-as-new carries over. */
  readonly watched: WatchState;
  /**
   * Whether each phase is reported, and shown in Temporal. Workflows from before there were phases told of the
   * acceptance and of the end alone. Asked once, at the start: a run that began without stays without.
   */
  readonly tellsPhases: boolean;
  /**
   * Whether a cancellation stops what the PPA is asked to build again as well. Asked before the first activity: the
   * result of a local one may come before the marks of its workflow task are known, when it is replayed.
   */
  readonly stopsRetry: boolean;
  /** Every binary was published, as the last poll saw it. */
  isPublished = false;
  /** The packages that the PPA has without any build, where it has all, as the last poll saw it. */
  withoutBuilds: readonly string[] = [];
  /** All that a cancellation ends; what follows it runs outside. */
  private readonly work = new CancellationScope({
    cancellable: true,
    parent: CancellationScope.current(),
  });
  private phase: BuildPhase;
  private news: PpaNews | undefined;

  constructor(input: BuildSourceInput) {
    this.input = input;
    this.tellsPhases = input.limits.ppaWatch === true || patched('phases');
    this.stopsRetry = isRetriedInPpa(input) && patched('retry-stops-from-the-start');
    this.activities = activityStubs(input.limits);
    this.watched = input.resumed ?? {
      packages: [],
      sent: 0,
      accepted: false,
      records: [],
      polls: 0,
      startedAtMs: beginsAtMs(),
      uploadedAtMs: 0,
      dependencyWaitSinceMs: null,
      cancellation: null,
    };
    this.phase = input.resumed ? this.phaseInPpa() : 'queued';
    this.deadlineMs = this.watched.startedAtMs + input.limits.wholeBuildMs;
  }

  /** Counted from 1; what older versions requested does not tell. */
  get number(): number {
    return this.input.request.attempt ?? 1;
  }

  /** Names the attempt to the activities that change its row. */
  get name(): AttemptName {
    const { buildId, attemptKey } = this.input.request;
    return { buildId, attempt: this.number, ...(attemptKey ? { attemptKey } : {}) };
  }

  /** Runs the work that a cancellation ends, at once where one came before. */
  async runCancellable<T>(work: () => Promise<T>): Promise<T> {
    if (this.watched.cancellation) this.work.cancel();
    return this.work.run(work);
  }

  /** Keeps what the watch of the PPA tells until it is taken; the latest counts. */
  addNews(news: PpaNews): void {
    if (!this.isOutdated(news)) this.news = news;
  }

  hasNews(): boolean {
    return this.news !== undefined && !this.isOutdated(this.news);
  }

  /** Whether it tells of fewer packages than were sent: the verdict on a level says nothing of the next one. */
  private isOutdated(news: PpaNews): boolean {
    return !news.ask && news.packages !== undefined && news.packages < this.sentPackages().length;
  }

  takeNews(): PpaNews | undefined {
    const news = this.hasNews() ? this.news : undefined;
    this.news = undefined;
    return news;
  }

  cancel(requestedBy: string): void {
    this.noteCancellation(requestedBy);
    this.work.cancel();
  }

  /** The final message names the first caller that asked. */
  noteCancellation(requestedBy: string): void {
    this.watched.cancellation ??= { requestedBy, requestedAtMs: Date.now() };
  }

  /** Enters a phase and reports it, unless the attempt is in it. A cancellation comes after the report. */
  async begin(phase: BuildPhase): Promise<void> {
    const report = this.beginUnreported(phase);
    if (report)
      await CancellationScope.nonCancellable(() => this.activities.reportProgress(report));
  }

  /** Enters a phase. @returns the report of it, unless the attempt is in it already */
  beginUnreported(phase: BuildPhase): ProgressReport | undefined {
    const isNew = phase !== this.phase;
    this.enter(phase);
    const message = messageOfPhase(phase);
    if (!isNew || !message || !this.tellsPhases) return undefined;
    // Each level of a request with an order comes through the phases again.
    const key = this.watched.level ? `${phase}-${this.watched.level}` : phase;
    return this.withAttempt({ key, message, phase });
  }

  /** Enters a phase that somebody else reports; Temporal's UI says so at once. */
  enter(phase: BuildPhase, failure?: Failure): void {
    const isNew = phase !== this.phase;
    this.phase = phase;
    setCurrentDetails(
      buildDetails({
        ...this.watched,
        request: this.input.request,
        phase,
        ...(this.input.limits.ppaWatch ? { watchedBy: watchWorkflowId(this.input.ppa) } : {}),
        ...(failure ? { failure } : {}),
      }),
    );
    if (isNew && this.isSearchable(phase))
      upsertSearchAttributes([{ key: attributeKey('AirlineBuildState'), value: phase }]);
  }

  private isSearchable(phase: BuildPhase): boolean {
    if (this.input.tellsLongPhases) return isLongPhase(phase);
    return this.tellsPhases || isFinal(messageOfPhase(phase));
  }

  /** The phase that the PPA's last answer comes to. */
  phaseInPpa(): BuildPhase {
    const { accepted, records } = this.watched;
    if (!accepted) return 'accepting';
    return phaseInPpa(
      records.map(({ buildState }) => buildRecordState(buildState)),
      this.hasLater(),
    );
  }

  /** Whether packages are left that are to be uploaded once those that they need are published. */
  hasLater(): boolean {
    const { packages, sent } = this.watched;
    return (
      this.input.request.order !== undefined &&
      packages.some((_, place) => place >= sent && !this.isLeftOut(place))
    );
  }

  /** Whether a package is not uploaded, because another one that it needs was not built. */
  isLeftOut(place: number): boolean {
    return this.watched.notBuilt?.some((one) => one.place === place) ?? false;
  }

  /** Reports what it is told. Its result is undefined in older histories. */
  report(
    event: PlainReport,
  ): Promise<Awaited<ReturnType<BuildActivities['reportProgress']>> | undefined> {
    return this.activities.reportProgress(this.withAttempt(event));
  }

  private withAttempt(event: PlainReport): ProgressReport {
    const sequence = sequenceOf(this.watched, isFinal(event.message));
    return { ...this.name, ...event, ...(sequence ? { sequence } : {}) };
  }

  status(): BuildStatus {
    const { records, polls, cancellation } = this.watched;
    return { state: stateOfPhase(this.phase), phase: this.phase, records, polls, cancellation };
  }

  isUploading(): boolean {
    return this.phase === 'uploading';
  }

  /** The packages that were sent to the PPA, in whole or maybe. */
  sentPackages(): CheckedPackage[] {
    const { packages, sent } = this.watched;
    return packages.slice(0, sent).filter((_, place) => !this.isLeftOut(place));
  }

  /** Those of the packages that were sent last; all of them where the request has no order. */
  lastSentPackages(): CheckedPackage[] {
    return this.sentPackages().filter(({ place }) => place?.level === this.watched.level);
  }

  /** The packages that were sent, as the PPA is asked about them. */
  sentVersions(): PackageVersion[] {
    return this.sentPackages().map(({ source, version }) => ({ source, version }));
  }

  /** The packages whose contents in the PPA are compared with what was sent, once it shows them. */
  unverifiedPackages(): DescribedPackage[] {
    return this.watched.unverified ?? this.lastSentPackages();
  }

  /** Whether what is built has to be published before the attempt goes on. */
  awaitsPublication(): boolean {
    return this.hasLater() || (this.input.limits.awaitPublication ?? false);
  }

  /** Time until the deadline of the whole build; at least 1 ms, as a time limit has to be. */
  remainingMs(): number {
    return Math.max(this.deadlineMs - Date.now(), 1);
  }
}

/** Whether it has yet to ask the PPA to build again what failed: a run that continues one has asked. */
function isRetriedInPpa({ retry, resumed }: BuildSourceInput): boolean {
  return retry !== undefined && resumed === undefined;
}

/** When the time for the whole build begins, as the first task of its workflow comes. */
function beginsAtMs(): number {
  const takenAtMs = Date.now();
  const atMs = wholeBuildBeginsAtMs(workflowInfo().startTime.getTime(), takenAtMs);
  // Older code counted from here, however late it was.
  return atMs < takenAtMs && patched('time-begins-without-worker') ? atMs : takenAtMs;
}
