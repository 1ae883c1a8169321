import type { RootCauseRule } from './rules.ts';

/** How much a line counts against the others of the step that failed. */
export const WEIGHTS = {
  /** Only names the step; the first of them. */
  step: 1,
  /** Most builds go on after it: a hint only where it is right above the line that says that the step failed. */
  tolerated: 2,
  /** May be the cause where nothing else is; the last one shortly before make gives up. */
  hint: 3,
  /** Is a cause where no line below it says more; the first of them. */
  likely: 4,
  /** Is a cause; the first of them. */
  cause: 5,
  /** A failing test, in a step that runs tests: there, what else looks like a cause may be what a test is to print. */
  test: 6,
  /** Ended the build whatever it was doing. */
  end: 7,
} as const;

export type Weight = keyof typeof WEIGHTS;

/** A kind of line by which a rule goes. */
export type Sign = {
  rule: RootCauseRule;
  weight: Weight;
  /** Anchored at the start of the line. */
  pattern: RegExp;
  /** Lines that fit `pattern` and say nothing. */
  except?: RegExp | undefined;
  /** The first word of its lines ends with a colon: a place, or the name of a program. */
  isLabelled: boolean;
};

export const sign = (
  rule: RootCauseRule,
  weight: Weight,
  pattern: RegExp,
  except?: RegExp,
): Sign => ({ rule, weight, pattern, except, isLabelled: false });

/** A sign of labelled lines alone. */
export const labelled = (...args: Parameters<typeof sign>): Sign => ({
  ...sign(...args),
  isLabelled: true,
});

/** A command that failed only because what it ran failed, which says why itself. */
export const ECHO =
  /returned (?:exit (?:code|status)|non-zero exit status)|subprocess (?:returned|failed|was killed)|failed with exit (?:code|status)|died with signal|missing files, aborting|cannot continue due to the error|linker command failed/;

/** What many builds complain of and go on after: a hint that is such a line is only `tolerated`. */
export const TOLERATED =
  /^(?:W|[Ww]arning|WARNING): |^fatal: not a git repository|: git: (?:(?:command )?not found|No such file or directory)$|^error: XDG_RUNTIME_DIR |^Use of uninitialized value /;
