import { EXIT, type ExitCode } from './exit-code.ts';

/** What a person is told when a command cannot do what it was asked. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** A word for programs; those of the API are its own (docs/errors.md). */
  readonly code: string;
  readonly exit: ExitCode;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** What is wrong in detail, one line each. */
  readonly details: readonly string[];

  constructor(
    message: string,
    options: ErrorOptions & {
      code: string;
      exit: ExitCode;
      hint?: string | undefined;
      details?: readonly string[];
    },
  ) {
    super(message, options);
    this.code = options.code;
    this.exit = options.exit;
    this.hint = options.hint;
    this.details = options.details ?? [];
  }
}

/**
 * An error in other words, with what it means for the whole command.
 *
 * @param told.details more of them, after its own
 * @param told.next what to do, after its own hint
 */
export function retold(
  error: CommandError,
  told: { message: string; details?: readonly string[]; next: string },
): CommandError {
  const { code, exit, details, hint } = error;
  return new CommandError(told.message, {
    code,
    exit,
    details: [...details, ...(told.details ?? [])],
    hint: hint === undefined ? told.next : `${hint} ${told.next}`,
    cause: error,
  });
}

/** The call is wrong: what was given, and what would be right. */
export function usageError(message: string, hint?: string) {
  return new CommandError(message, { code: 'usage', exit: EXIT.usage, hint });
}

/** Ctrl-C, or another signal. `hint` says what goes on without the command and how to come back to it. */
export class Interrupted extends CommandError {
  constructor(hint?: string, exit: ExitCode = EXIT.interrupted) {
    super('Interrupted.', { code: 'interrupted', exit, hint });
  }
}
