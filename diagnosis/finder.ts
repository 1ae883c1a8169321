import { asSeen } from './as-seen.ts';
import { EXCERPT_LINES, excerptOf, LINES_BEFORE, type Passage } from './excerpt.ts';
import {
  AFTERWARDS,
  BEFORE_ERROR,
  CHROOT,
  CONFIGURE_LOG,
  DASHES,
  FAILED,
  GHC_MODULE,
  GHC_PLACE,
  GIVES_UP,
  HEADING,
  IGNORED,
  OVER,
  RUSTC_PLACE,
  STEP,
  SUCCEEDED,
  TESTS,
} from './log-structure.ts';
import { isNotable } from './notable-lines.ts';
import type { RootCauseRule } from './rules.ts';
import { TOLERATED, WEIGHTS, type Weight } from './sign.ts';
import { SIGNS } from './signs/all.ts';
import { withoutMiddle } from './without-middle.ts';

/** What a log says of why its build failed. */
export type CauseInLog = {
  rule: RootCauseRule;
  /** The line that says it, counted from 1. */
  line: number;
  /** That line and some around it, without control characters. */
  excerpt: string;
  /** The line that the excerpt begins with, counted from 1. */
  excerptLine: number;
};

/** A hint that is more lines above the one that says that the step failed is none: the build went on after it. */
const HINT_REACHES = 100;

type Candidate = Passage & { rule: RootCauseRule; weight: Weight };

/** What is known of the step that runs; all of it is forgotten when the next one starts. */
type Step = {
  runsTests: boolean;
  unpacksChroot: boolean;
  /** debhelper prints what a configure script has tried, mostly in vain. */
  printsConfigureLog: boolean;
  /** The outermost make that has given up, by its level. */
  gaveUpAt: number | undefined;
  /** The first of the heaviest causes. */
  cause: Candidate | undefined;
  /** The last hint before make gave up. */
  hint: Candidate | undefined;
  /** The last hint since then, mostly of commands that still ran. */
  laterHint: Candidate | undefined;
  /** The last complaint that most builds go on after. */
  tolerated: Candidate | undefined;
  /** The first line that says that the step failed. */
  failure: Candidate | undefined;
  /** Those whose excerpts the next lines belong to. */
  open: Candidate[];
};

/**
 * Takes a build log line by line, and knows at its end what made the build fail.
 *
 * The first cause of a failed build is the one that counts: of all that looks like a cause, the first in the step that
 * failed. What was printed in steps that went well, and what only repeats that something below failed, is no cause.
 *
 * It holds some lines and no more, however long the log is.
 */
export class RootCauseFinder {
  private readonly isNotable: (line: string) => boolean;
  private lineNumber = 0;
  /** The line and some before it. */
  private readonly recent: string[] = [];
  private step = startOf({ runsTests: false });
  /** The build has ended: what sbuild says from here on is in no excerpt. */
  private isOver = false;
  private hasFailed = false;
  private hasSucceeded = false;

  /** @param notable lines that it leaves out are only counted, and kept for an excerpt */
  constructor(notable: (line: string) => boolean = isNotable) {
    this.isNotable = notable;
  }

  /** Takes the next line, without its end; of a long one the start will do. */
  take(line: string): void {
    const previous = this.recent.at(-1) ?? '';
    const text = asSeen(line);
    this.lineNumber += 1;
    this.keep(text);
    const judged = withoutMiddle(text).replace(BEFORE_ERROR, '');
    if (this.isNotable(judged)) this.read(judged, previous);
  }

  /** The root cause, where the log tells of a failure and of a cause. */
  found(): CauseInLog | undefined {
    const { cause, hint, failure, gaveUpAt } = this.step;
    const shown = cause ?? hint ?? failure;
    const isFailure =
      this.hasFailed || this.isOver || gaveUpAt !== undefined || cause?.weight === 'end';
    if (!shown || this.hasSucceeded || !isFailure) return undefined;
    return { rule: shown.rule, line: shown.line, ...excerptOf(shown) };
  }

  private keep(text: string): void {
    const { step, recent } = this;
    recent.push(text);
    if (recent.length > LINES_BEFORE + 1) recent.shift();
    if (step.open.length === 0) return;
    for (const one of step.open) one.lines.push(text);
    step.open = step.open.filter(
      (one) =>
        one.lines.length < EXCERPT_LINES &&
        [step.cause, step.hint, step.laterHint, step.tolerated, step.failure].includes(one),
    );
  }

  private read(text: string, previous: string): void {
    const heading = DASHES.test(previous) ? HEADING.exec(text)?.[1] : undefined;
    if (heading !== undefined && AFTERWARDS.includes(heading)) return this.end();
    if (!this.isOver && (heading !== undefined || STEP.test(text))) {
      this.step = startOf({ runsTests: TESTS.test(text) });
      return;
    }
    const { step } = this;
    if (TESTS.test(text)) step.runsTests = true;
    if (CHROOT.test(text)) step.unpacksChroot = true;
    if (CONFIGURE_LOG.test(text)) step.printsConfigureLog = true;
    this.judge(text, previous);
    if (OVER.test(text)) this.end();
    const givesUp = levelOf(GIVES_UP, text);
    if (givesUp !== undefined && !this.isOver) this.giveUp(givesUp);
    const ignores = levelOf(IGNORED, text);
    // A make that gave up further in was part of what is ignored.
    if (ignores !== undefined && ignores < (step.gaveUpAt ?? Infinity)) this.step = startOf(step);
    if (FAILED.test(text)) this.hasFailed = true;
    if (SUCCEEDED.test(text)) this.hasSucceeded = true;
  }

  private giveUp(level: number): void {
    const { step } = this;
    const { gaveUpAt = level, laterHint, tolerated } = step;
    // Where its own command failed, the make further in that gave up before was run with `|| true`.
    if (level < gaveUpAt) {
      if (this.isRightAbove(laterHint)) step.hint = laterHint;
      if (this.isRightAbove(tolerated)) step.hint ??= tolerated;
    }
    step.gaveUpAt = Math.min(level, gaveUpAt);
  }

  private end(): void {
    this.isOver = true;
    this.step.open = [];
  }

  /** Goes by the first sign that fits the line. */
  private judge(text: string, previous: string): void {
    if (RUSTC_PLACE.test(text) && previous.startsWith('error: '))
      return this.consider('compiler_error', 'cause', 1);
    if (GHC_MODULE.test(text) && GHC_PLACE.test(previous)) {
      // The place alone counted as a compiler's error.
      if (this.isRightAbove(this.step.cause)) this.step.cause = undefined;
      return this.consider('missing_module', 'cause', 1);
    }
    const found = SIGNS.find(({ pattern, except }) => pattern.test(text) && !except?.test(text));
    if (!found) return;
    const weight = found.weight === 'hint' && TOLERATED.test(text) ? 'tolerated' : found.weight;
    const isOfChroot = this.step.unpacksChroot && found.rule === 'source_damaged';
    this.consider(isOfChroot ? 'chroot_setup' : found.rule, weight, 0);
  }

  private consider(rule: RootCauseRule, weight: Weight, linesBack: number): void {
    const { step } = this;
    if (this.isOver && weight !== 'end') return;
    if (step.printsConfigureLog && weight !== 'step') return;
    if (weight === 'step') {
      if (step.failure) return;
      if (step.hint && this.lineNumber - step.hint.line > HINT_REACHES) step.hint = undefined;
      if (this.isRightAbove(step.tolerated)) step.hint ??= step.tolerated;
      step.failure = this.candidate(step.runsTests ? 'failing_test' : rule, weight, linesBack);
    } else if (weight === 'tolerated') {
      step.tolerated = this.candidate(rule, weight, linesBack);
    } else if (weight === 'hint') {
      const here = step.gaveUpAt === undefined ? 'hint' : 'laterHint';
      step[here] = this.candidate(rule, weight, linesBack);
    } else {
      const here = weight === 'test' && !step.runsTests ? 'cause' : weight;
      if (!step.cause || WEIGHTS[here] > WEIGHTS[step.cause.weight])
        step.cause = this.candidate(rule, here, linesBack);
    }
  }

  private isRightAbove(one: Candidate | undefined): boolean {
    return one?.line === this.lineNumber - 1;
  }

  private candidate(rule: RootCauseRule, weight: Weight, linesBack: number): Candidate {
    const made = {
      rule,
      weight,
      line: this.lineNumber - linesBack,
      lines: [...this.recent],
      own: this.recent.length - 1 - linesBack,
    };
    this.step.open.push(made);
    return made;
  }
}

/** The level of the make that prints such a line, 0 of the outermost; undefined for another line. */
function levelOf(pattern: RegExp, text: string): number | undefined {
  const found = pattern.exec(text);
  return found ? Number(found[1] ?? 0) : undefined;
}

function startOf({ runsTests }: { runsTests: boolean }): Step {
  return {
    runsTests,
    unpacksChroot: false,
    printsConfigureLog: false,
    gaveUpAt: undefined,
    cause: undefined,
    hint: undefined,
    laterHint: undefined,
    tolerated: undefined,
    failure: undefined,
    open: [],
  };
}
