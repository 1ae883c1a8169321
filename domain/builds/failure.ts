/**
 * Why a build failed, as its final message says. `retryable`: a retry can help.
 */
export const FAILURE_CLASSES = {
  invalid_source: {
    retryable: false,
    hint: 'Correct the source package and request a new build.',
  },
  dependency_cycle: {
    retryable: false,
    hint: 'Break the cycle that the message names, or request the build without order.',
  },
  merge_failed: {
    retryable: false,
    hint: 'Make the proposed branch merge into its target, push it and request a new build.',
  },
  upload_failed: {
    retryable: true,
    hint: 'The upload server did not take the files: retry the build later.',
  },
  upload_rejected: {
    retryable: false,
    hint: 'The PPA never showed the upload. Likely causes, the most likely first: a signing key that the PPA does not know (Launchpad says nothing then), a version that is not higher than the one the PPA holds, a file that the PPA holds with other contents, an upstream tarball that is neither in the upload nor in the archive (build the .changes with -sa), a .dsc that is signed by a key of no account (sign it anew), a source for architectures that the PPA does not build for, a Section in debian/control that Launchpad does not have, a PPA that is disabled or was deleted meanwhile, a PPA that is full (Launchpad mails the signer).',
  },
  dependency_wait: {
    retryable: true,
    hint: 'Build dependencies are missing in the series and the PPA; provide them, then retry. Delete the source from the PPA if it is not to be built any more.',
  },
  build_failed: {
    retryable: false,
    hint: 'Read the build log, correct the package and request a new build.',
  },
  chroot_problem: {
    retryable: true,
    hint: 'The builder could not set up its chroot; retry later.',
  },
  publish_failed: {
    retryable: true,
    hint: 'The package was built, but the archive did not accept it. The upload log says why: settle that, then retry the build.',
  },
  superseded: {
    retryable: false,
    hint: 'A newer version was uploaded or the source was deleted; build that instead.',
  },
  cancelled: {
    retryable: true,
    hint: 'The build was cancelled: retry it if it is still wanted.',
  },
  timed_out: {
    retryable: true,
    hint: 'A time limit passed. Retry the build. Where the message names a setting, the operator can raise it.',
  },
  internal: {
    retryable: true,
    hint: "This is a fault of Airline itself: retry the build. The worker's log has the cause under the build's id.",
  },
} as const satisfies Record<string, { retryable: boolean; hint: string }>;

export type FailureClass = keyof typeof FAILURE_CLASSES;

/** The `failure` of a FAILED progress message. */
export type Failure = {
  class: FailureClass;
  /** The code of the catalogue, where the class has several reasons that a program may tell apart. */
  code?: string;
  retryable: boolean;
  /** What happened, in one sentence. */
  message: string;
  /** What to do about it. */
  hint: string;
  package?: string;
  architecture?: string;
  excerpt?: string;
  /** The line of the stored log that the excerpt begins with, from 1. */
  excerpt_line?: number;
  line?: number;
};

/** What a build's log says of why it failed. */
export type RootCause = {
  package: string;
  architecture: string;
  /** The rule that found it. */
  rule: string;
  /** A few lines of the log. */
  excerpt: string;
  /** The line of the stored log that the excerpt begins with, from 1. What was found before it was kept lacks it. */
  excerptLine?: number;
  /** The line of the stored log that says it, from 1. */
  line: number;
};

/** Of a class as Airline 0.2 stored it with failures. */
const FORMER_HINT = 'The build was cancelled; request it again if it is still wanted.';

/** The hint of a failure, where it says more than that of its class. */
export function ownHint({
  class: failureClass,
  hint,
}: Pick<Failure, 'class' | 'hint'>): string | undefined {
  return [FAILURE_CLASSES[failureClass].hint, FORMER_HINT].includes(hint) ? undefined : hint;
}

/** Makes the failure of a class; `where` narrows it to a package and an architecture. */
export function failureOf(
  failureClass: FailureClass,
  message: string,
  where: Pick<
    Failure,
    'code' | 'package' | 'architecture' | 'excerpt' | 'excerpt_line' | 'line'
  > & {
    hint?: string;
  } = {},
): Failure {
  return { class: failureClass, ...FAILURE_CLASSES[failureClass], message, ...where };
}
