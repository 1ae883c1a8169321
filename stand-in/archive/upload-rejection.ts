/** Launchpad rejects an upload. Its signer gets an e-mail that says why; of a build's own upload, the log does. */
export class Rejection extends Error {}

/** @throws Rejection */
export function reject(why: string): never {
  throw new Rejection(why);
}
