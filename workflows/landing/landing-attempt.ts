import {
  condition,
  setCurrentDetails,
  upsertSearchAttributes,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { CANCEL_SIGNAL, SEARCH_ATTRIBUTES } from '../../domain/build-workflow.ts';
import { keyword } from '../../domain/build-labels.ts';
import { landingFailureOf, type LandingFailure } from '../../domain/landing-failure.ts';
import type { LandingPhase } from '../../domain/landing-phase.ts';
import { ppaReference, type Ppa } from '../../domain/ppa.ts';
import {
  waitingPart,
  type Decision,
  type LandingAhead,
  type LandingInput,
  type LandingPart,
  type LandingStatus,
} from '../../domain/landing.ts';
import type { BuildSourceWorkflow } from '../build-source.ts';
import { landingDetails } from './landing-details.ts';
import { LandingEnded } from './landing-ended.ts';
import { landingStubs } from './landing-stubs.ts';

const ppaKey = defineSearchAttributeKey('AirlinePpa', SEARCH_ATTRIBUTES.AirlinePpa);
const phaseKey = defineSearchAttributeKey('AirlineLandingPhase', SearchAttributeType.KEYWORD);

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
  /** Copies may have been sent: it is too late to cancel. */
  isBeingPublished = false;
  private requestedBy: string | null = null;
  private readonly running = new Set<ChildWorkflowHandle<typeof BuildSourceWorkflow>>();

  constructor(input: LandingInput) {
    this.input = input;
    this.reports = input.resumed?.reports ?? 0;
    this.parts = input.packages.map(waitingPart);
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
    upsertSearchAttributes([{ key: ppaKey, value: keyword(ppaReference(ppa)) }]);
  }

  /** Asks to cancel it: what runs is stopped, and no step is begun any more. It is too late once copies are sent. */
  async cancel(requestedBy: string): Promise<void> {
    if (this.requestedBy !== null || this.isBeingPublished) return;
    this.requestedBy = requestedBy;
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

  /** Enters a phase and reports it. */
  async begin(phase: LandingPhase, more: { failure?: LandingFailure } = {}): Promise<boolean> {
    this.phase = phase;
    upsertSearchAttributes([{ key: phaseKey, value: phase }]);
    return this.report(more);
  }

  /** Reports where it stands. @returns whether the attempt goes on: false where its row has ended */
  async report(
    more: { ahead?: LandingAhead[]; waitsFor?: string; failure?: LandingFailure } = {},
  ): Promise<boolean> {
    const { landingId, attempt } = this.input;
    this.reports += 1;
    setCurrentDetails(landingDetails(this));
    const { isEnded } = await this.activities.reportLanding({
      landingId,
      attempt,
      key: String(this.reports),
      phase: this.phase,
      parts: this.parts,
      ...more,
    });
    return !isEnded;
  }

  /** Changes how a package stands, and reports it. */
  async setPart(source: string, change: Partial<LandingPart>): Promise<void> {
    const index = this.parts.findIndex((part) => part.source === source);
    const part = this.parts[index];
    if (!part) return;
    this.parts[index] = { ...part, ...change };
    await this.report();
  }

  status(): LandingStatus {
    return { phase: this.phase, parts: this.parts };
  }
}
