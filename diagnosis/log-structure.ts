// The lines of an sbuild log that say where in a build it is, whatever went wrong there.

/** A line of rustc, below its `error: …`, that says where. */
export const RUSTC_PLACE = /^\s+--> \S+:\d+:\d+$/;
/** A line of GHC that ends with where an error is, and the one below it where a module is missing. */
export const GHC_PLACE = /^\S+\.l?hs:\d+:\d+: error:(?: \[GHC-\d+\])?$/;
export const GHC_MODULE = /^\s+Could not find module [‘`]/;
/** A step starts, so that the one before it went well: of debhelper, of dpkg-buildpackage, of sbuild. */
export const STEP =
  /^(?: {3}(?:dh_\w+|debian\/rules \w+)|dh_\w+(?: |$)| (?:fakeroot )?(?:debian\/rules |dpkg-(?:source|buildpackage|genbuildinfo|genchanges) )|(?:Unpack source|Check disk space|User Environment|dpkg-buildpackage)$)/;
/** sbuild unpacks its chroot: what is damaged then is no source. */
export const CHROOT = /^Unpacking \S+ to \S+\.\.\.$/;
/** A step that runs tests. */
export const TESTS =
  /^\s*(?:dh_auto_test\b|debian\/rules \w*dh_auto_test\b|g?make\b.* (?:check|test)\b)/;
/** make goes on where a command failed; which make, counted from the outermost. */
export const IGNORED = /^g?make(?:\[(\d+)\])?: \[.*\] Error \d+ \(ignored\)$/;
/** make gives up, maybe while other commands of it still run; which make, as above. */
export const GIVES_UP = /^g?make(?:\[(\d+)\])?: \*{3} /;
/**
 * What stands before an error on its line: what configure was about to check when it gave up, or the task by which Ant
 * runs a compiler or a test.
 */
export const BEFORE_ERROR =
  /^(?:checking .*\.\.\. (?=configure: error: )| {2,}\[(?:javac|javadoc|junit)\] )/;
/** debhelper prints the log of a configure script that has failed, with all that was tried in vain. */
export const CONFIGURE_LOG = /^\t.*\btail -v -n \\?\+0 /;
/** The build has failed; what follows is sbuild's cleaning up. */
export const OVER =
  /^(?:dpkg-buildpackage: error: |Build finished at |E: (?:Build failure|FAILED \[|Package installation failed))/;
/** A heading of sbuild, between two lines of dashes. */
export const HEADING = /^\| (.*\S) +\|$/;
export const DASHES = /^\+[-=]{78}\+$/;
/** The headings of what sbuild does after a failure. */
export const AFTERWARDS = ['Post Build', 'Cleanup', 'Summary'];
/** sbuild says that it was not to be. */
export const FAILED =
  /^(?:Status: (?:attempted|failed|given-back|skipped)|Fail-Stage: |E: |There is no chroot)/;
export const SUCCEEDED = /^Status: successful$/;
