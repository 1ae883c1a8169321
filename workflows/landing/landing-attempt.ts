import {
  CancellationScope,
  condition,
  patched,
  setCurrentDetails,
  upsertSearchAttributes,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { CANCEL_SIGNAL } from '../../domain/builds/build-workflow.ts';
import { attributeKey, keyword } from '../../domain/builds/build-labels.ts';
import { landingFailureOf, type LandingFailure } from '../../domain/landings/landing-failure.ts';
import { isOver, type LandingPhase } from '../../domain/landings/landing-phase.ts';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import {
  waitingPart,
  type Decision,
  type LandingAttemptName,
  type LandingInput,
  type LandingPart,
  type LandingReport,
  type LandingStatus,
  type LandingTests,
} from '../../domain/landings/landing.ts';
import type { BuildSourceWorkflow } from '../build-source.ts';
import { landingDetails } from './landing-details.ts';
import { LandingEnded } from './landing-ended.ts';
import { landingStubs } from './landing-stubs.ts';
import { Turns } from './turns.ts';

/**
 * The changes of the order of commands before the mark `landings-of-2026-11`, each by the mark that an earlier run may
 * have. A run without it goes on as older code did.
 */
type OlderChange =
  | 'pause'
  | 'pauses-cost-no-time'
  | 'rejections-count'
  | 'approvals-are-of-a-round'
  | 'judged-as-approval-begins'
  | 'await-testers'
  | 'work-waits-for-no-answer'
  | 'all-images-end'
  | 'all-builds-end'
  | 'build-under-way'
  | 'runs-wait-for-each-other'
  | 'target-checked-last'
  | 'shielded-publishing'
  | 'all-that-is-published';

/** One attempt of a landing: what its steps share. The steps are in modules of their own. */
export class LandingAttempt {
  /** As it is at present: what it continues as new with. */
  input: LandingInput;
  readonly activities = landingStubs;
  readonly parts: LandingPart[];
  decision: Decision | null = null;
  phase: LandingPhase = 'queued';
  /** How many reports were made; the next one's key is made of it. */
  reports: number;
  /** How the tests stand, once there are any. */
  tests: LandingTests | null = null;
  /** Copies may have been sent: it is too late to cancel. */
  isBeingPublished = false;
  /** Temporal's own cancellation comes too late as well, except in landings that older code published. */
  isShielded = false;
  /**
   * This run knows all changes until November 2026. Asked before the first activity: the result of a local one may come
   * before the marks of its workflow task are known, when it is replayed.
   */
  private readonly isSinceNovember2026 = patched('landings-of-2026-11');
  /** This run goes on otherwise than earlier ones where a service is away. Asked as early, for the same reason. */
  readonly heedsOutages = patched('heeds-outages');
  /** This run continues as new where the wait for an approval makes its history long. Asked as early, too. */
  readonly boundsApproval = patched('approvals-continue-as-new');
  /** This run watches all of its copies at once. Asked as early, too. */
  readonly watchesAllCopies = patched('watches-all-copies');
  /** This run waits on where all testers have the work of others. Asked as early, too. */
  readonly waitsForBusyTesters = patched('waits-for-busy-testers');
  /** This run is not blamed for what fails on a base image that is older than its builds. Asked as early, too. */
  readonly renewsOldBases = patched('renews-old-bases');
  /** This run is not tested in vain: it heeds what the target has as its tests are planned. Asked as early, too. */
  readonly heedsTarget = patched('heeds-target');
  /** This run is imaging until the index has what the target has, however long its history. Asked as early, too. */
  readonly awaitsIndexInImaging = patched('awaits-index-in-imaging');
  /** This run says that no tester takes its tests, as it does of its images. Asked as early, too. */
  readonly awaitsTestersOfTests = patched('awaits-testers-of-tests');
  /** This run makes one report after another: a later one is never older. Asked as early, too. */
  private readonly reportsInTurn = patched('reports-in-turn');
  private readonly turns = new Turns();
  /** The base images of the present round of tests, as far as they are made. */
  baseImageIds: number[] = [];
  private requestedBy: string | null = null;
  private pausedBy: string | null = null;
  /** Its attempt had ended before the latest report. */
  private hadEnded = false;
  /** Its row, or an override, has changed since the row was last read. */
  private isWoken = false;
  private readonly scopes = new Set<CancellationScope>();
  private readonly running = new Set<ChildWorkflowHandle<typeof BuildSourceWorkflow>>();

  constructor(input: LandingInput) {
    this.input = input;
    this.reports = input.resumed?.reports ?? 0;
    const { imaging, testing, approving } = input.resumed ?? {};
    this.parts = (approving ?? testing ?? imaging)?.parts ?? input.packages.map(waitingPart);
    if (approving) this.phase = 'approving';
    else if (testing) this.phase = 'testing';
    else if (imaging) this.phase = 'imaging';
    else if (input.resumed?.leasingAtMs !== undefined) this.phase = 'leasing';
  }

  /** Whether this run knows a change of the order of commands. */
  knows(change: OlderChange): boolean {
    return this.isSinceNovember2026 || patched(change);
  }

  /** What it lands. */
  packageVersions(): PackageVersion[] {
    return this.parts.map(({ source, version }) => ({ source, version }));
  }

  /** Names the attempt to the activities that change its row. */
  get name(): LandingAttemptName {
    const { landingId, attempt, attemptKey } = this.input;
    return { landingId, attempt, ...(attemptKey ? { attemptKey } : {}) };
  }

  /** Where it builds. @throws Error before it has a PPA */
  get ppa(): Ppa {
    const { ppa } = this.input;
    if (!ppa) throw new Error(`landing ${this.input.landingId} has no PPA yet`);
    return ppa;
  }

  /** Keeps the PPA of the pool that it has leased. */
  takePpa(ppa: Ppa): void {
    this.input = { ...this.input, ppa };
    upsertSearchAttributes([
      { key: attributeKey('AirlinePpa'), value: keyword(ppaReference(ppa)) },
    ]);
  }

  /** Asks to cancel it: what runs is stopped, and no step is begun any more. It is too late once copies are sent. */
  async cancel(requestedBy: string): Promise<void> {
    if (this.requestedBy !== null || this.isBeingPublished) return;
    this.requestedBy = requestedBy;
    for (const scope of this.scopes) scope.cancel();
    await Promise.all([...this.running].map((build) => this.stop(build)));
  }

  /** Keeps the handle of a build for as long as it runs: a cancellation of the landing is one of the build. */
  async follow<T>(
    build: ChildWorkflowHandle<typeof BuildSourceWorkflow>,
    result: Promise<T>,
  ): Promise<T> {
    this.running.add(build);
    if (this.requestedBy !== null) await this.stop(build);
    try {
      return await result;
    } finally {
      this.running.delete(build);
    }
  }

  private async stop(build: ChildWorkflowHandle<typeof BuildSourceWorkflow>): Promise<void> {
    const by = `landing ${this.input.landingId}, cancelled by ${this.requestedBy ?? ''}`;
    // One that has just ended takes no signal.
    await build.signal(CANCEL_SIGNAL, by).catch(() => undefined);
  }

  /**
   * Does something that a cancellation of the landing stops.
   *
   * @throws LandingEnded once a cancellation was asked for; else as `work`
   */
  async whileWanted<T>(work: () => Promise<T>): Promise<T> {
    this.assertWanted();
    const scope = new CancellationScope();
    this.scopes.add(scope);
    try {
      return await scope.run(work);
    } catch (error) {
      this.assertWanted();
      // What else it does goes no further.
      scope.cancel();
      throw error;
    } finally {
      this.scopes.delete(scope);
    }
  }

  /**
   * Waits, before a new step, for as long as somebody has paused the landing.
   *
   * @returns for how long, in milliseconds: a deadline that runs meanwhile is so much later
   * @throws LandingEnded where nobody resumes it in time, or it is cancelled
   */
  async proceed(): Promise<number> {
    const { landingId, limits, policy } = this.input;
    if (!policy || !this.knows('pause')) return 0;
    const beganAtMs = Date.now();
    const endsAtMs = beganAtMs + limits.approvalMs;
    let isOver = false;
    for (let wasPaused = false; ; wasPaused = true) {
      this.assertWanted();
      this.isWoken = false;
      const { pausedBy } = await this.activities.readPause(landingId);
      const hasChanged = pausedBy !== this.pausedBy;
      this.pausedBy = pausedBy;
      if (hasChanged) await this.report();
      if (pausedBy === null)
        return wasPaused && this.knows('pauses-cost-no-time') ? Date.now() - beganAtMs : 0;
      if (isOver) throw this.pauseTimedOut(pausedBy);
      isOver = !(await this.waitUntilWoken(endsAtMs - Date.now(), `${pausedBy}, who paused it`));
      if (isOver && !this.looksAgain) throw this.pauseTimedOut(pausedBy);
    }
  }

  /** As `proceed`, in line: older code went on there, whoever had paused it. */
  async proceedInLine(): Promise<number> {
    return this.isSinceNovember2026 ? this.proceed() : 0;
  }

  /**
   * Whether it looks into the database once more before it gives up: what was accepted in time is there, though the
   * signal that tells of it may be late. Older code gave up at once.
   */
  get looksAgain(): boolean {
    return this.isSinceNovember2026;
  }

  private pauseTimedOut(pausedBy: string): LandingEnded {
    return new LandingEnded(
      landingFailureOf(
        'pause_timed_out',
        this.phase,
        `${pausedBy} paused it, and nobody resumed it`,
      ),
    );
  }

  /** Takes the signal that its row, or an override, has changed. */
  wake(): void {
    this.isWoken = true;
  }

  /**
   * Waits until its row, or an override, has changed since the row was last read, or something else holds.
   *
   * @returns whether it has, or holds
   * @throws LandingEnded once a cancellation was asked for
   */
  waitUntilWoken(ms: number, summary: string, orElse = () => false): Promise<boolean> {
    return this.waitUntil(() => this.isWoken || orElse(), ms, summary);
  }

  /** Takes the signal that carries a decision: the first one counts. */
  decide(decision: Decision): void {
    const isLate = this.phase !== 'approving';
    // A late approval is of an earlier round: a signal may come late, and more than once. Older code took it. Both
    // changes are asked for in this order: histories have the mark of one, of the other or of both.
    const isOfOlderCode = isLate && !this.knows('approvals-are-of-a-round');
    const isRejection = isLate && decision.decision === 'reject' && this.knows('rejections-count');
    if (!isLate || isOfOlderCode || isRejection) this.decision ??= decision;
  }

  /** What is tested again has to be approved again. */
  forgetDecision(): void {
    this.decision = null;
  }

  /**
   * What is tested again is not judged yet.
   *
   * @param isRenewed whether that is on new base images before it is blamed
   * @returns what a report says of it; nothing in a first round
   */
  forgetVerdict(isRenewed: boolean): Pick<LandingReport, 'tests'> {
    // Older code said until then what was so before.
    if (!(this.tests || isRenewed) || !this.renewsOldBases) return {};
    // In the order of before: else what is judged would be reported where older code reported nothing.
    const tests: LandingTests = {
      ...(this.tests ?? { planned: 0, left: 0 }),
      finished: 0,
      verdict: 'waits',
      verdicts: {},
    };
    delete tests.renewed;
    if (isRenewed) tests.renewed = true;
    this.tests = tests;
    return { tests };
  }

  /** Reports how the tests stand, where that has changed. */
  async reportTests(tests: LandingTests): Promise<void> {
    const isKnown = JSON.stringify(tests) === JSON.stringify(this.tests);
    this.tests = tests;
    if (!isKnown) await this.report({ tests });
  }

  /** @throws LandingEnded once a cancellation was asked for */
  assertWanted(): void {
    if (this.requestedBy !== null) throw new LandingEnded(this.cancelled(this.requestedBy));
  }

  cancelled(requestedBy: string): LandingFailure {
    return landingFailureOf('cancelled', this.phase, `cancelled by ${requestedBy}`);
  }

  /**
   * Waits until something holds, for so long at most.
   *
   * @returns whether it holds
   * @throws LandingEnded once a cancellation was asked for
   */
  async waitUntil(holds: () => boolean, ms: number, summary: string): Promise<boolean> {
    setCurrentDetails(landingDetails(this, summary));
    const held = await condition(() => holds() || this.requestedBy !== null, Math.max(ms, 1));
    this.assertWanted();
    return held;
  }

  /**
   * Enters a phase and reports it.
   *
   * @returns as report
   * @throws LandingEnded where the attempt had ended before: an operator has reset its workflow. What is reported
   * within a phase may be said once more with the end, by a task that is done anew, and does not throw
   */
  async begin(
    phase: LandingPhase,
    more: Pick<
      LandingReport,
      'baseImageId' | 'failure' | 'targetMoved' | 'tests' | 'waitsFor'
    > = {},
  ): Promise<boolean> {
    this.phase = phase;
    upsertSearchAttributes([{ key: attributeKey('AirlineLandingPhase'), value: phase }]);
    const goesOn = await this.report(more);
    if (this.hadEnded && !isOver(phase)) throw new LandingEnded(this.endedBefore());
    return goesOn;
  }

  /** How it ends where the attempt had ended before. */
  endedBefore(): LandingFailure {
    return this.cancelled(this.requestedBy ?? 'nobody: it had ended before');
  }

  /** Reports where it stands. @returns whether it goes on: false where its row has ended, or is held back */
  async report(more: Partial<LandingReport> = {}): Promise<boolean> {
    this.reports += 1;
    setCurrentDetails(landingDetails(this));
    const report: LandingReport = {
      ...this.name,
      // A worker may die before Temporal has what it did; what is done instead may take another way, such as where the
      // landing was resumed meanwhile.
      key: [
        this.reports,
        this.phase,
        ...(this.pausedBy === null ? [] : ['paused']),
        ...(more.ahead ? ['ahead'] : []),
      ].join(' '),
      phase: this.phase,
      // As they are now: packages beside this one may change before its turn.
      parts: [...this.parts],
      ...more,
    };
    const tell = (waitedMs = 0) => this.activities.reportLanding(report, waitedMs);
    const told = this.reportsInTurn ? this.turns.take(tell) : tell();
    const { isEnded, hasEnded, decision } = await told;
    // A signal that came before a task that is done anew is met by the phase before.
    if (decision) this.decision ??= decision;
    this.hadEnded = hasEnded ?? false;
    return !isEnded;
  }

  /** Changes how a package stands, and reports it. @param more what the report says besides */
  async setPart(
    source: string,
    change: Partial<LandingPart>,
    more: Partial<LandingReport> = {},
  ): Promise<void> {
    const index = this.parts.findIndex((part) => part.source === source);
    const part = this.parts[index];
    if (!part) return;
    this.parts[index] = { ...part, ...change };
    await this.report(more);
  }

  status(): LandingStatus {
    return {
      phase: this.phase,
      parts: this.parts,
      ...(this.tests ? { tests: this.tests } : {}),
      ...(this.pausedBy === null ? {} : { paused_by: this.pausedBy }),
    };
  }
}
