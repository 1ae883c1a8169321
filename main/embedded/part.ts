import type { Command } from './child-process.ts';

/** The names of the stack's parts. */
export type PartName =
  | 'postgresql'
  | 'migrations'
  | 'epmd'
  | 'rabbitmq'
  | 'temporal-cli'
  | 'temporal'
  | 'workflow-bundle'
  | 'stand-in'
  | 'api'
  | 'worker'
  | 'tester';

/** What a part can do while it starts. */
export type StartContext = {
  /** Aborted when the start is given up. */
  signal: AbortSignal;
  /** Runs a program to its end; its output goes to the part's log. */
  run: (command: Command, timeoutMs: number) => Promise<void>;
  /** Says something about this part on the way. */
  note: (text: string) => void;
};

/** A part that runs until the stack is stopped. */
export type Service<Name extends string = string> = {
  kind: 'service';
  name: Name;
  /** Parts that must be ready first; those that are not in the stack are not waited for. */
  needs: readonly Name[];
  /** What must be done before its program can run. */
  prepare?: (context: StartContext) => Promise<void>;
  command: () => Command;
  /** Answers true once the part does its work; a throw counts as not yet. */
  isReady: () => Promise<boolean>;
  /** Time from the start of its program until it is ready. */
  startTimeoutMs: number;
  /** What may be wrong where its program ends instead, and what to do then. */
  advice?: () => string | undefined;
  /** What must be done once it is ready, before others may use it. */
  complete?: (context: StartContext) => Promise<void>;
  /** Asks the program to end in order. */
  stopSignal: NodeJS.Signals;
  /** Time for that; then it is killed. */
  stopTimeoutMs: number;
  /** What the progress line says of it. */
  summary: () => string;
  /** Its log has pino's JSON lines, of which warnings and errors are shown. */
  logsJson?: boolean;
};

/** A part that is done once: it ends before those that need it start. */
export type Step<Name extends string = string> = {
  kind: 'step';
  name: Name;
  needs: readonly Name[];
  /** Does it, and answers what the progress line says of it. */
  perform: (context: StartContext) => Promise<string>;
};

export type Part<Name extends string = string> = Service<Name> | Step<Name>;

/** What the supervisor tells its owner as it happens. */
export type Progress = {
  part: string;
  kind: 'note' | 'ready' | 'stopped' | 'warning';
  text: string;
  /** Since the stack's start or, for `stopped`, since its stop began. */
  elapsedMs: number;
};
