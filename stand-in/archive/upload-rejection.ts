/** Launchpad rejects the upload, and its signer gets an e-mail that says why. */
export class Rejection extends Error {}

/** @throws Rejection */
export function reject(why: string): never {
  throw new Rejection(why);
}
