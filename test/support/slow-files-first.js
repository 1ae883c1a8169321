import Sequencer from '@jest/test-sequencer';

/**
 * The files that run longest, the longest first: those with machines of their own. `npm run test:times` says which
 * they are. A file that is missing here costs time, nothing else.
 */
const SLOW = [
  'test/end-to-end/demo.test.ts',
  'test/end-to-end/sbuild-failures.test.ts',
  'test/workflows/build-source.test.ts',
  'test/activities/testing/autopkgtest.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/end-to-end/watch-killed.test.ts',
  'test/web/pages.test.ts',
  'test/end-to-end/verdicts-deadlines.test.ts',
  'test/end-to-end/build.test.ts',
  'test/activities/upload-source.test.ts',
  'test/chaos/chaos.test.ts',
  'test/workflows/tested-landing.test.ts',
  'test/main/embedded/stack.test.ts',
  'test/web/live.test.ts',
  'test/cli/submit.test.ts',
  'test/end-to-end/regular-messages.test.ts',
  'test/end-to-end/landing.test.ts',
  'test/end-to-end/secrets.test.ts',
  'test/api/service/status.test.ts',
  'test/end-to-end/verdicts.test.ts',
  'test/web/many.test.ts',
  'test/web/work.test.ts',
  'test/activities/merge-proposal.test.ts',
  'test/progress/own-broker.test.ts',
  'test/test-run.test.ts',
  'test/stand-in/builders/sbuild.test.ts',
  'test/histories/replay.test.ts',
  'test/end-to-end/tested-landing.test.ts',
  'test/end-to-end/retry.test.ts',
  'test/api/http/concurrency.test.ts',
  'test/dispatch/diverging-bundle.test.ts',
  'test/web/status.test.ts',
  'test/web/builds.test.ts',
];

/**
 * Starts the slow files first: one that begins last leaves the other processors idle. Where jest has not seen a file
 * run, as in a fresh clone, it goes by its size, and the slowest are the smallest.
 */
export default class SlowFilesFirst extends Sequencer {
  async sort(tests) {
    const place = ({ path }) => {
      const at = SLOW.findIndex((name) => path.endsWith(`/${name}`));
      return at === -1 ? SLOW.length : at;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own method, no array's
    const usual = await super.sort(tests);
    return usual.toSorted((one, other) => place(one) - place(other));
  }
}
