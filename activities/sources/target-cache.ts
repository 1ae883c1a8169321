import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import type { Signer } from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import type { Person } from '../../ppa/wire.ts';
import type { Target } from './upload-target.ts';

/** Builds of one PPA come in crowds. What lets one of them go on lets the others go on for so long. */
const CACHED_MS = 60_000;
const MAX_CACHED = 1_000;

/** An account of the PPA's, with the fingerprints of its keys. */
export type Account = { person: Person; keys: string[] };

/**
 * What the PPA has said a moment ago of where it takes uploads, and whose a key is. Only what lets a build go on is
 * kept: whoever has repaired what was missing need not wait until it is forgotten.
 */
export type TargetCache = {
  isKnown(target: Target): boolean;
  keep(target: Target): void;
  signerOf(ppa: Ppa, signer: Signer): Account | undefined;
  keepSigner(ppa: Ppa, signer: Signer, account: Account): void;
};

/** Who is asked whether a PPA takes an upload, and what keeps what was said. */
export type Asked = { ppaClient: PpaClient; targetCache: TargetCache; logger: Logger };

/** Makes a cache that is empty, and that forgets after a minute. */
export function createTargetCache(): TargetCache {
  const options = { max: MAX_CACHED, ttl: CACHED_MS };
  const targets = new LRUCache<string, true>(options);
  const signers = new LRUCache<string, Account>(options);
  const targetKey = ({ ppa, series }: Target) => `${ppaReference(ppa)} ${series}`;
  const signerKey = (ppa: Ppa, { key, email }: Signer) =>
    JSON.stringify([ppaReference(ppa), key, email]);
  return {
    isKnown: (target) => targets.has(targetKey(target)),
    keep: (target) => void targets.set(targetKey(target), true),
    signerOf: (ppa, signer) => signers.get(signerKey(ppa, signer)),
    keepSigner: (ppa, signer, account) => void signers.set(signerKey(ppa, signer), account),
  };
}
