import { LISTEN_ADDRESS } from '../listen-address.ts';
import { bytes, count, milliseconds, onOrOff, optional, section, url } from '../setting.ts';

export const tester = section('The tester', {
  probes: {
    tester: optional(
      'address',
      'AIRLINE_TESTER_PROBE_ADDRESS',
      'Where a tester serves what a worker serves at AIRLINE_WORKER_PROBE_ADDRESS. Unset: nowhere.',
      LISTEN_ADDRESS,
    ),
  },
  tester: {
    slots: count(
      'AIRLINE_TEST_SLOTS',
      1,
      'Images and tests that a tester works on at once. 0: the embedded stack has no tester.',
      { min: 0, max: 1_000 },
    ),
    scriptPath: optional(
      'path',
      'AIRLINE_TEST_SCRIPT',
      'JSON script that says what comes of images and tests. Unset: real mmdebstrap and autopkgtest.',
    ),
    user: optional(
      'name',
      'AIRLINE_TEST_USER',
      "User that a tester, started as root, runs tests as: one of its own, since tests are strangers' code. Unset: the user that it runs as.",
    ),
    distribution: optional(
      'name',
      'AIRLINE_TEST_DISTRIBUTION',
      "Distribution whose packages a tester tests, such as ubuntu. Unset: the machine's own.",
    ),
    mirror: url(
      ['http:', 'https:'],
      'AIRLINE_TEST_MIRROR',
      "Mirror that images are made from, such as http://deb.debian.org/debian: of a series all components, with its -updates and, except of Debian, its -security. Unset: the machine's own apt sources.",
    ),
    squashfs: onOrOff(
      'AIRLINE_TEST_SQUASHFS',
      'off',
      "Whether a landing's image is kept as a squashfs file, too, beside the tar file that tests run in.",
    ),
    // Each try for a landing's image is ended after 2 hours, for tests after 12 (TESTER_TRY_MS of
    // domain/testing/tester-activities.ts), and what it has done is lost. What is fetched before and stored after has
    // to fit in, too. One for a base image, which may wait for that of another landing, has 6 hours: three times the
    // most, and an hour.
    imageMs: milliseconds(
      'AIRLINE_TEST_IMAGE_MS',
      1_800_000,
      'Time to make one image, 100 minutes at most.',
      { max: 100 * 60_000 },
    ),
    testMs: milliseconds(
      'AIRLINE_TEST_MS',
      10_800_000,
      'Time for the tests of one source package, the test bed included: 11 hours at most.',
      { max: 11 * 3_600_000 },
    ),
    memoryBytes: bytes(
      'AIRLINE_TEST_MEMORY_BYTES',
      4 * 2 ** 30,
      'Memory that all processes of a test run may take together; private memory of each process where the tester cannot have control groups.',
    ),
    diskBytes: bytes(
      'AIRLINE_TEST_DISK_BYTES',
      4 * 2 ** 30,
      'Disk space that has to be free before an image is made or a test run, and the largest file that either may write. Where half of it is left, all that runs is ended.',
    ),
    artifactsMaxBytes: bytes(
      'AIRLINE_TEST_ARTIFACTS_MAX_BYTES',
      256 * 2 ** 20,
      'Largest archive of what a test run leaves that is kept. Of a run that leaves more, nothing but its log is.',
    ),
    cacheBytes: bytes(
      'AIRLINE_TEST_CACHE_BYTES',
      4 * 2 ** 30,
      'Size of the images that a tester keeps on its own disk. Those used last stay.',
    ),
    logMaxBytes: bytes(
      'AIRLINE_TEST_LOG_MAX_BYTES',
      16 * 2 ** 20,
      'Largest log of a test run that is kept; the rest is cut off, and the log says so.',
    ),
  },
});
