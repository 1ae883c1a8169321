import { AirlineError } from '../../domain/errors.ts';

/** Launchpad rejects an upload. Its signer gets an e-mail that says why; of a build's own upload, the log does. */
export class Rejection extends Error {}

/** Whether an error is about what was uploaded or built, not about the machine. */
export function isRejection(error: unknown): error is Error {
  return (
    error instanceof Rejection ||
    (error instanceof AirlineError && error.code === 'malformed_control_file')
  );
}

/** @throws Rejection */
export function reject(why: string): never {
  throw new Rejection(why);
}
