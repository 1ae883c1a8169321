import type { FailureClass } from '../../domain/builds/failure.ts';

/**
 * How each failure class is brought about by a stand-in that builds with the real sbuild, in
 * `test/end-to-end/sbuild-failures.test.ts`; or why it is not.
 */
export const SEEN_WITH_SBUILD: Readonly<
  Record<FailureClass, { how: string; whyNot?: undefined } | { how?: undefined; whyNot: string }>
> = {
  invalid_source: { how: 'A source package that nobody has signed' },
  dependency_cycle: { whyNot: 'Nothing reaches the PPA' },
  merge_failed: { whyNot: 'There is no source package for sbuild to build yet' },
  upload_failed: { whyNot: 'The upload server is at fault, and sbuild never sees the package' },
  upload_rejected: { how: 'A source package signed by a key that the PPA does not know' },
  dependency_wait: { how: 'A build dependency that is in no archive' },
  build_failed: { how: 'A file that the compiler refuses' },
  chroot_problem: { how: 'A chroot whose tarball is not a tarball' },
  publish_failed: { how: 'A build that goes well, with a damaged package among what it made' },
  superseded: { how: 'A newer version, uploaded while the build waits for a dependency' },
  cancelled: { how: 'A cancellation while sbuild is at work' },
  timed_out: { how: 'A build that sleeps past its deadline' },
  internal: { whyNot: 'A fault of Airline itself, whoever builds' },
};
