import { isPpa, parseArchive } from './archive.ts';
import { AirlineError } from './errors.ts';
import { LAUNCHPAD_NAME, ppaReference, readPpa, type Ppa } from './ppa.ts';

/** Where callers may build, publish, and have their messages sent. */
export type TargetRule = {
  /** References of PPAs, `~owner/distribution/name`; one that ends in `*` is the beginning of any. Empty: all PPAs. */
  ppas: readonly string[];
  /** What the names of queues begin with. */
  queuePrefix: string;
};

/** Where a request builds and publishes, and the queue that it names. */
export type Targets = { ppas: readonly Ppa[]; queue?: string | null | undefined };

/** An entry of the list of PPAs: `~owner/distribution/name`, `~owner/distribution/*` or `~owner/*`. */
export const PPA_ENTRY = new RegExp(
  `^~${LAUNCHPAD_NAME}/(?:\\*|${LAUNCHPAD_NAME}/(?:\\*|${LAUNCHPAD_NAME}))$`,
);

/**
 * Asserts that a request may use its PPAs and its queue. Airline signs and uploads by its own account, and its broker may
 * have queues of other applications.
 *
 * @throws AirlineError `target_not_allowed`
 */
export function assertTargetsAllowed(
  { ppas: allowed, queuePrefix }: TargetRule,
  { ppas, queue }: Targets,
): void {
  const isAllowed = (reference: string) =>
    allowed.some((entry) =>
      entry.endsWith('*') ? reference.startsWith(entry.slice(0, -1)) : reference === entry,
    );
  const refused = allowed.length > 0 && ppas.map(ppaReference).find((one) => !isAllowed(one));
  if (refused) throw new AirlineError('target_not_allowed', `Nothing goes to ${refused} here.`);
  if (queue && !queue.startsWith(queuePrefix))
    throw new AirlineError(
      'target_not_allowed',
      `The name of the queue ${queue} does not begin with ${queuePrefix}.`,
    );
}

/** The targets of a build that is requested, or requested again. */
export function targetsOfBuild(build: {
  ppa: string;
  archive: string;
  progressTrigger: string | null;
}): Targets {
  const ppa = readPpa(build.ppa, build.archive);
  return { ppas: ppa ? [ppa] : [], queue: build.progressTrigger };
}

/**
 * The targets of a landing.
 *
 * @param landing.ppa null where it takes a PPA of the pool, which is for all
 * @param landing.target a PPA, or a primary archive, for which its policy is asked
 */
export function targetsOfLanding(landing: {
  ppa: string | null;
  archive: string;
  target: string;
  queue: string | null | undefined;
}): Targets {
  const ppa = landing.ppa === null ? undefined : readPpa(landing.ppa, landing.archive);
  const target = parseArchive(landing.target);
  return {
    ppas: [...(ppa ? [ppa] : []), ...(target && isPpa(target) ? [target] : [])],
    queue: landing.queue,
  };
}
