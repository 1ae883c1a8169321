import { isPpa, parseArchive } from '../packages/archive.ts';
import { AirlineError } from '../errors.ts';
import { acceptedPpa, LAUNCHPAD_NAME, ppaReference, type Ppa } from '../packages/ppa.ts';

/** Where callers may build, publish, and have their messages sent. */
export type TargetRule = {
  /** References of PPAs, `~owner/distribution/name`; one that ends in `*` is the beginning of any. Empty: all PPAs. */
  ppas: readonly string[];
  /** What the names of queues begin with, each of them one way. Empty: all queues. */
  queuePrefixes: readonly string[];
};

/** All PPAs and all queues. */
export const ALL_TARGETS: TargetRule = { ppas: [], queuePrefixes: [] };

/** Where a request builds and publishes, and the queue that it names. */
export type Targets = { ppas: readonly Ppa[]; queue?: string | null | undefined };

/** An entry of the list of PPAs: `~owner/distribution/name`, `~owner/distribution/*` or `~owner/*`. */
export const PPA_ENTRY = new RegExp(
  `^~${LAUNCHPAD_NAME}/(?:\\*|${LAUNCHPAD_NAME}/(?:\\*|${LAUNCHPAD_NAME}))$`,
);

/** What the name of a queue may begin with. */
export const QUEUE_PREFIX = /^[A-Za-z0-9._:-]{1,255}$/;

/** Most entries of each list of a token. */
export const MAX_TOKEN_TARGETS = 100;

/** Who makes a request. */
type Caller = { readonly name: string; readonly targets: TargetRule };

/**
 * Asserts that a request may use its PPAs and its queue: both the server's rule and that of the caller's token allow
 * them. Airline signs and uploads by its own account, and its broker may have queues of other applications.
 *
 * @throws AirlineError `target_not_allowed`
 */
export function assertTargetsAllowed(rule: TargetRule, caller: Caller, targets: Targets): void {
  assertAllowed(rule, 'This server', targets);
  assertAllowed(caller.targets, `The token ${caller.name}`, targets);
}

/** Whether both allow a queue. */
export function isQueueAllowed(rule: TargetRule, caller: Caller, queue: string): boolean {
  return takesQueue(rule, queue) && takesQueue(caller.targets, queue);
}

function takesQueue({ queuePrefixes }: TargetRule, queue: string): boolean {
  return queuePrefixes.length === 0 || queuePrefixes.some((prefix) => queue.startsWith(prefix));
}

function assertAllowed(rule: TargetRule, whose: string, { ppas, queue }: Targets): void {
  const isAllowed = (reference: string) =>
    rule.ppas.some((entry) =>
      entry.endsWith('*') ? reference.startsWith(entry.slice(0, -1)) : reference === entry,
    );
  const refused = rule.ppas.length > 0 && ppas.map(ppaReference).find((one) => !isAllowed(one));
  if (refused)
    throw new AirlineError('target_not_allowed', `${whose} does not allow the PPA ${refused}.`);
  if (queue && !takesQueue(rule, queue))
    throw new AirlineError(
      'target_not_allowed',
      `${whose} does not allow the queue ${queue}: its name has to begin with ${rule.queuePrefixes.join(' or ')}.`,
    );
}

/** The targets of a build that is requested, or requested again. @throws Error where its PPA is none */
export function targetsOfBuild(build: {
  ppa: string;
  archive: string;
  progressTrigger: string | null;
}): Targets {
  return { ppas: [acceptedPpa(build)], queue: build.progressTrigger };
}

/**
 * The targets of a landing.
 *
 * @param landing.ppa null where it takes a PPA of the pool, which is for all
 * @param landing.target a PPA, or a primary archive, for which its policy is asked
 * @throws Error where its PPA is none
 */
export function targetsOfLanding(landing: {
  ppa: string | null;
  archive: string;
  target: string;
  queue: string | null | undefined;
}): Targets {
  const { ppa, archive } = landing;
  const target = parseArchive(landing.target);
  return {
    ppas: [
      ...(ppa === null ? [] : [acceptedPpa({ ppa, archive })]),
      ...(target && isPpa(target) ? [target] : []),
    ],
    queue: landing.queue,
  };
}
