import {
  judgeTests,
  verdictOfTests,
  type JudgeRules,
  type TestOverrideWord,
} from '../../../domain/testing/judge-tests.ts';
import type { TestedRun } from '../../../domain/testing/test-run-history.ts';
import type { TestStatus } from '../../../domain/testing/test-run.ts';
import type { TestsVerdict, TestVerdict } from '../../../domain/testing/test-verdict.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const RULES: JudgeRules = { overrides: [], testBedTries: 3, now: NOW };
const LANDING = 2;
const BASE = 1;

/** A run; `tests` as `smoke PASS` or `smoke FAIL non-zero exit status 1`. */
function run(
  id: number,
  tests: string[] | TestedRun['state'],
  more: Partial<TestedRun> = {},
): TestedRun {
  const results = typeof tests === 'string' ? [] : tests;
  return {
    id,
    imageId: LANDING,
    source: 'mksh',
    version: '59c-28',
    architecture: 'amd64',
    reason: 'depends',
    why: 'depends on ed',
    try: 1,
    state: typeof tests === 'string' ? tests : 'finished',
    results: results.map((line) => {
      const [name = '', status = '', ...detail] = line.split(' ');
      return { name, status: status as TestStatus, detail: detail.join(' ') };
    }),
    exercised: [{ name: 'ed', version: '1.20-1' }],
    fault: null,
    ...more,
  };
}
const base = (id: number, tests: string[] | TestedRun['state'], more: Partial<TestedRun> = {}) =>
  run(id, tests, { imageId: BASE, exercised: [], ...more });
const second = (id: number, tests: string[] | TestedRun['state'], more: Partial<TestedRun> = {}) =>
  run(id, tests, { try: 2, ...more });
const word = (more: Partial<TestOverrideWord> = {}): TestOverrideWord => ({
  source: 'mksh',
  architecture: null,
  test: null,
  reason: 'known upstream',
  overriddenBy: 'ann',
  validUntil: new Date('2026-11-23T12:00:00Z'),
  ...more,
});

type Case = {
  name: string;
  runs: TestedRun[];
  baselines?: TestedRun[];
  overrides?: TestOverrideWord[];
  /** `test verdict` */
  are: string[];
  /** A part of the first sentence. */
  why?: string;
  needed?: string[];
};

const CHANGED = { reason: 'changed' as const, why: 'is landed' };
const FAILED = ['smoke FAIL non-zero exit status 1'];
const SKIPPED_ITSELF = 'smoke SKIP exit status 77 and marked as skippable';
const OVERTIME = ['smoke FAIL exit 1', '* FAIL not done after 900 ms'];

/** As autopkgtest tells, before any test is run, of a test that is for other architectures. */
const NOT_HERE =
  "smoke SKIP Test lists explicitly supported architectures, but the current architecture amd64 isn't listed.";

const CASES: Case[] = [
  {
    name: 'a failure of all tests, after which each passes in the same image',
    runs: [run(1, ['* FAIL badpkg']), second(2, ['smoke PASS', 'gui SKIP no display'])],
    baselines: [base(3, ['smoke PASS'])],
    are: ['* flaky'],
  },
  {
    name: 'a failure of all tests, after which one fails',
    runs: [run(1, ['* FAIL badpkg']), second(2, ['smoke PASS', 'unit FAIL exit 1'])],
    baselines: [base(3, ['smoke PASS'])],
    are: ['* regression'],
  },
  {
    name: 'a failure of all tests, after which one fails that fails without the packages, too',
    runs: [run(1, ['* FAIL badpkg']), second(2, ['smoke PASS', 'unit FAIL exit 1'])],
    baselines: [base(3, ['smoke PASS', 'unit FAIL exit 1'])],
    are: ['* always_failed'],
    why: 'never passed without the packages',
  },
  {
    name: 'a failure of all tests, after which one fails that is no worse, and one that is',
    runs: [run(1, ['* FAIL badpkg']), second(2, ['smoke FAIL exit 1', 'unit FAIL exit 1'])],
    baselines: [base(3, ['smoke PASS', 'unit FAIL exit 1'])],
    are: ['* regression'],
  },
  {
    name: 'a failure of all tests, twice, of which one fails without the packages',
    runs: [run(1, ['* FAIL badpkg']), second(2, ['* FAIL badpkg'])],
    baselines: [base(3, ['smoke PASS', 'unit FAIL exit 1'])],
    are: ['* regression'],
    why: 'It fails (badpkg), and can be run without the packages of the landing.',
  },
  {
    name: 'a test that always fails before the time of both runs is over',
    runs: [run(1, OVERTIME), second(2, OVERTIME)],
    baselines: [base(3, ['smoke FAIL exit 1', 'slow PASS'])],
    are: ['smoke always_failed', '* cannot_tell'],
  },
  {
    name: 'a test that fails before the time of both runs is over, and passes without the packages',
    runs: [run(1, OVERTIME), second(2, OVERTIME)],
    baselines: [base(3, ['smoke PASS', 'slow PASS'])],
    are: ['smoke regression', '* cannot_tell'],
    why: 'and passes without the packages',
  },
  {
    name: 'a failure that the second run came to, when the time of the first was over before',
    runs: [run(1, OVERTIME), second(2, ['smoke FAIL exit 1', 'slow FAIL exit 1'])],
    baselines: [base(3, ['smoke FAIL exit 1', 'slow PASS'])],
    are: ['smoke always_failed', '* regression'],
  },
  {
    name: "a changed source's test that fails before the time of both runs is over, and is new",
    runs: [run(1, OVERTIME, CHANGED), second(2, OVERTIME, CHANGED)],
    baselines: [base(3, ['other PASS'], CHANGED)],
    are: ['smoke regression', '* cannot_tell'],
  },
  {
    name: "a failure of all of a changed source's tests, twice",
    runs: [run(1, ['* FAIL badpkg'], CHANGED), run(2, ['* FAIL badpkg'], { ...CHANGED, try: 2 })],
    baselines: [base(3, ['smoke PASS'], CHANGED)],
    are: ['* regression'],
    why: 'It fails (badpkg), and can be run without the packages of the landing.',
  },
  {
    name: 'a failure, twice, of a test that is not there without the packages',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [base(3, ['other FAIL exit 1'])],
    are: ['smoke regression'],
    why: 'and is not there without the packages of the landing',
  },
  { name: 'a pass', runs: [run(1, ['smoke PASS'])], are: ['smoke pass'], why: 'depends on ed' },
  {
    name: 'a pass of what fails without the packages',
    runs: [run(1, ['smoke PASS'])],
    baselines: [base(2, FAILED)],
    are: ['smoke improvement'],
  },
  {
    name: 'a pass of what fails and is flaky without the packages',
    runs: [run(1, ['smoke PASS'])],
    baselines: [base(2, ['smoke FLAKY non-zero exit status 1'])],
    are: ['smoke improvement'],
  },
  {
    name: 'a pass in which none of the packages was installed',
    runs: [run(1, ['smoke PASS'], { exercised: [] })],
    are: ['smoke not_exercised'],
  },
  {
    name: 'a superficial pass',
    runs: [run(1, ['smoke PASS superficial'])],
    are: ['smoke neutral'],
  },
  {
    name: 'a failed test that is flaky by its own word',
    runs: [run(1, ['smoke FLAKY non-zero exit status 1'])],
    are: ['smoke neutral'],
    why: 'its source says that it is flaky',
  },
  {
    name: 'a skipped test',
    runs: [run(1, [SKIPPED_ITSELF])],
    are: ['smoke neutral'],
  },
  {
    name: 'a test that needs a machine',
    runs: [
      run(1, [
        'smoke SKIP Test requires machine-level isolation but testbed does not provide that',
      ]),
    ],
    are: ['smoke skipped'],
  },
  {
    name: 'a source without tests',
    runs: [run(1, ['* SKIP no tests in this package'])],
    are: ['* neutral'],
  },
  { name: 'a run that names no test', runs: [run(1, [])], are: ['* neutral'] },
  { name: 'a run that is queued', runs: [run(1, 'queued')], are: ['* waiting'] },
  { name: 'a run that runs', runs: [run(1, 'running')], are: ['* waiting'] },
  {
    name: 'a run that was stopped',
    runs: [run(1, 'cancelled')],
    are: ['* waiting'],
    needed: ['again 1'],
  },
  {
    name: 'a first failure',
    runs: [run(1, FAILED)],
    are: ['smoke waiting'],
    needed: ['again 1', 'baseline 1'],
  },
  {
    name: 'two tests that fail ask for the same runs',
    runs: [run(1, ['one FAIL', 'two FAIL', 'three PASS'])],
    are: ['one waiting', 'two waiting', 'three pass'],
    needed: ['again 1', 'baseline 1'],
  },
  {
    name: 'a first failure whose second run and comparison are on the way',
    runs: [run(1, FAILED), second(2, 'queued')],
    baselines: [base(3, 'running')],
    are: ['smoke waiting'],
  },
  {
    name: 'a failure with a known one without the packages is not run again',
    runs: [run(1, FAILED)],
    baselines: [base(2, FAILED)],
    are: ['smoke always_failed'],
    why: 'without the packages of the landing, too',
  },
  {
    name: 'a failure and a pass in the same image',
    runs: [run(1, FAILED), second(2, ['smoke PASS'])],
    baselines: [base(3, ['smoke PASS'])],
    are: ['smoke flaky'],
  },
  {
    name: 'a failure, and a pass of what fails without the packages',
    runs: [run(1, FAILED), second(2, ['smoke PASS'])],
    baselines: [base(3, FAILED)],
    are: ['smoke flaky'],
  },
  {
    name: 'a failure, and a pass in which none of the packages was installed',
    runs: [run(1, FAILED), second(2, ['smoke PASS'], { exercised: [] })],
    are: ['smoke not_exercised'],
    why: 'It failed at first. It passes, but none of the packages of the landing was installed.',
  },
  {
    name: 'a failure without the packages, and a pass with them',
    runs: [run(1, FAILED, { exercised: [] }), second(2, ['smoke PASS'])],
    are: ['smoke flaky'],
  },
  {
    name: 'a failure, and a superficial pass',
    runs: [run(1, FAILED), second(2, ['smoke PASS superficial'])],
    are: ['smoke neutral'],
  },
  {
    name: 'a failure of all tests, after which none but a superficial one passes',
    runs: [run(1, ['* FAIL badpkg']), second(2, ['smoke PASS superficial', 'gui FLAKY exit 1'])],
    are: ['* neutral'],
  },
  {
    name: 'a failure of all tests, after which one passes and one is superficial',
    runs: [run(1, ['* FAIL badpkg']), second(2, ['smoke PASS superficial', 'unit PASS'])],
    are: ['* flaky'],
  },
  {
    name: 'a failure of all tests, after which they pass, and none of the packages was installed',
    runs: [
      run(1, ['* FAIL badpkg']),
      second(2, ['smoke PASS superficial', 'unit PASS'], { exercised: [] }),
    ],
    are: ['* not_exercised'],
  },
  {
    name: 'a failure, twice, of what passes without the packages',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [base(3, ['smoke PASS'])],
    are: ['smoke regression'],
    why: 'It fails (non-zero exit status 1), and passes without the packages of the landing.',
  },
  {
    name: 'a failure, after which it is skipped',
    runs: [run(1, FAILED), second(2, [SKIPPED_ITSELF])],
    baselines: [base(3, ['smoke PASS'])],
    are: ['smoke cannot_tell'],
    why: 'when it was run once more, it was skipped (exit status 77 and marked as skippable)',
  },
  {
    name: "a changed source's failure of a new test, after which it is skipped",
    runs: [run(1, FAILED, CHANGED), second(2, [SKIPPED_ITSELF], CHANGED)],
    baselines: [base(3, ['other PASS'], CHANGED)],
    are: ['smoke cannot_tell'],
  },
  {
    name: 'a failure, after which it is skipped, of what fails without the packages',
    runs: [run(1, FAILED), second(2, [SKIPPED_ITSELF])],
    baselines: [base(3, FAILED)],
    are: ['smoke always_failed'],
  },
  {
    name: 'a failure that the second run does not come to, as its time is over',
    runs: [
      run(1, [...FAILED, 'slow FAIL timed out']),
      second(2, ['slow FAIL timed out', '* FAIL not done after 900 ms']),
    ],
    baselines: [base(3, ['smoke PASS', 'slow FAIL timed out'])],
    are: ['smoke cannot_tell', 'slow always_failed'],
    why: 'when it was run once more, the time was over before it',
  },
  {
    name: 'a failure, after which the run does not name it',
    runs: [run(1, FAILED), second(2, ['other PASS'])],
    baselines: [base(3, ['smoke PASS', 'other PASS'])],
    are: ['smoke cannot_tell'],
  },
  {
    name: 'a failure, after which no test of the source can be run',
    runs: [run(1, FAILED), second(2, ['* FAIL badpkg'])],
    baselines: [base(3, ['smoke PASS'])],
    are: ['smoke regression'],
  },
  {
    name: 'a failure of all tests, after which each is skipped',
    runs: [run(1, ['* FAIL badpkg']), second(2, [SKIPPED_ITSELF])],
    baselines: [base(3, ['smoke PASS'])],
    are: ['* cannot_tell'],
  },
  {
    name: 'a failure, twice, of what fails and is flaky without the packages',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [base(3, ['smoke FLAKY non-zero exit status 1'])],
    are: ['smoke always_failed'],
    why: 'It fails (non-zero exit status 1) without the packages of the landing, too, where its source says',
  },
  {
    name: "a changed source's failure of what fails and is flaky in its old version",
    runs: [run(1, FAILED, CHANGED), run(2, FAILED, { ...CHANGED, try: 2 })],
    baselines: [base(3, ['smoke FLAKY non-zero exit status 1'], CHANGED)],
    are: ['smoke regression'],
    why: "It fails (non-zero exit status 1); the archive's version fails, too, and says that it is flaky.",
  },
  {
    name: 'a failure of what is skipped without the packages',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [base(3, ['smoke SKIP'])],
    are: ['smoke always_failed'],
  },
  {
    name: 'a failure of what cannot even be installed without the packages',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [base(3, ['* FAIL badpkg'])],
    are: ['smoke always_failed'],
  },
  {
    name: 'what is not installable with the packages',
    runs: [run(1, ['* FAIL badpkg']), second(2, ['* FAIL badpkg'])],
    baselines: [base(3, ['smoke PASS'])],
    are: ['* regression'],
  },
  {
    name: "a changed source's failure of what its old version skips",
    runs: [run(1, FAILED, CHANGED), run(2, FAILED, { ...CHANGED, try: 2 })],
    baselines: [base(3, ['smoke SKIP'], CHANGED)],
    are: ['smoke regression'],
  },
  {
    name: "a changed source's new test that fails",
    runs: [run(1, FAILED, CHANGED), run(2, FAILED, { ...CHANGED, try: 2 })],
    baselines: [base(3, ['other PASS'], CHANGED)],
    are: ['smoke regression'],
    why: 'new in this version',
  },
  {
    name: 'a failing test of a source of which the archive has no tests',
    runs: [run(1, FAILED, CHANGED), run(2, FAILED, { ...CHANGED, try: 2 })],
    baselines: [base(3, 'unavailable', CHANGED)],
    are: ['smoke regression'],
    why: 'the archive has no tests of mksh to compare',
  },
  {
    name: 'a comparison that cannot be had',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [base(3, 'unavailable')],
    are: ['smoke cannot_tell'],
  },
  {
    name: 'a comparison that the test bed failed once',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [base(3, 'bed_failed')],
    are: ['smoke waiting'],
    needed: ['baseline 2'],
  },
  {
    name: "a comparison of a changed source's that the test bed failed once",
    runs: [run(1, FAILED, CHANGED), run(2, FAILED, { ...CHANGED, try: 2 })],
    baselines: [base(3, 'bed_failed', CHANGED)],
    are: ['smoke waiting'],
    needed: ['baseline 2'],
  },
  {
    name: 'a comparison that the test bed failed each time',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [1, 2, 3].map((number) => base(number + 10, 'bed_failed', { try: number })),
    are: ['smoke cannot_tell'],
  },
  {
    name: 'an override of a comparison that the test bed failed each time, and that is made anew for another landing',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [
      ...[1, 2, 3].map((number) => base(number + 10, 'bed_failed', { try: number })),
      base(14, 'running', { try: 4 }),
    ],
    overrides: [word()],
    are: ['smoke overridden'],
    why: 'The test bed failed 3 times',
  },
  {
    name: 'a comparison that could not be had, and that is made anew for another landing',
    runs: [run(1, FAILED, CHANGED), run(2, FAILED, { ...CHANGED, try: 2 })],
    baselines: [base(3, 'unavailable', CHANGED), base(4, 'queued', { ...CHANGED, try: 2 })],
    are: ['smoke regression'],
    why: 'the archive has no tests of mksh to compare',
  },
  {
    name: 'a failure of the test bed',
    runs: [run(1, 'bed_failed')],
    are: ['* waiting'],
    needed: ['again 1'],
  },
  {
    name: 'a failure of the test bed that is tried again',
    runs: [run(1, 'bed_failed'), second(2, 'running')],
    are: ['* waiting'],
  },
  {
    name: 'a failure of the test bed, then a pass',
    runs: [run(1, 'bed_failed'), second(2, ['smoke PASS'])],
    are: ['smoke pass'],
  },
  {
    name: 'a failure of the test bed, then a failure, then a pass',
    runs: [run(1, 'bed_failed'), second(2, FAILED), run(3, ['smoke PASS'], { try: 3 })],
    are: ['smoke flaky'],
  },
  {
    name: 'failures of the test bed each time',
    runs: [1, 2, 3].map((number) =>
      run(number, 'bed_failed', { try: number, fault: 'no space left' }),
    ),
    are: ['* cannot_tell'],
    why: 'The test bed failed 3 times: no space left.',
  },
  {
    name: 'a failure that the test bed does not let run again',
    runs: [
      run(1, FAILED),
      ...[2, 3, 4].map((number) => run(number, 'bed_failed', { try: number })),
    ],
    baselines: [base(9, ['smoke PASS'])],
    are: ['smoke cannot_tell'],
  },
  {
    name: 'tests whose source cannot be had',
    runs: [run(1, 'unavailable', { fault: '404 Not Found' })],
    are: ['* cannot_tell'],
    why: '404 Not Found',
  },
  {
    name: 'a source that is tested for two reasons: the worse verdict counts',
    runs: [
      run(1, ['smoke PASS']),
      run(2, FAILED, { reason: 'triggered' }),
      run(3, ['smoke PASS'], { reason: 'triggered', try: 2 }),
    ],
    are: ['smoke flaky'],
  },
  {
    name: 'one name of two tests, of which one is not for this architecture: the one that was run counts',
    runs: [run(1, [NOT_HERE, 'smoke PASS'])],
    are: ['smoke pass'],
  },
  {
    name: 'one name of two tests: a failure, twice, of the one that was run and passes without the packages',
    runs: [run(1, [NOT_HERE, ...FAILED]), second(2, [NOT_HERE, ...FAILED])],
    baselines: [base(3, [NOT_HERE, 'smoke PASS'])],
    are: ['smoke regression'],
    why: 'and passes without the packages of the landing',
  },
  {
    name: "one name of two tests: a changed source's failure of the one that was run and fails in its old version",
    runs: [
      run(1, [NOT_HERE, ...FAILED], CHANGED),
      run(2, [NOT_HERE, ...FAILED], { ...CHANGED, try: 2 }),
    ],
    baselines: [base(3, [NOT_HERE, ...FAILED], CHANGED)],
    are: ['smoke always_failed'],
  },
  {
    name: 'one name of two tests that are run: the one that fails with and without the packages counts',
    runs: [run(1, ['smoke PASS', ...FAILED])],
    baselines: [base(2, ['smoke PASS', ...FAILED])],
    are: ['smoke always_failed'],
  },
  {
    name: 'one name of two tests: a pass says more than a failure of the flaky one',
    runs: [run(1, ['smoke SKIP', 'smoke FLAKY exit 1', 'smoke PASS', 'unit PASS'])],
    are: ['smoke pass', 'unit pass'],
  },
  {
    name: 'one name of two tests: a failure of the flaky one says more than a skipped one',
    runs: [run(1, [NOT_HERE, 'smoke FLAKY exit 1'])],
    are: ['smoke neutral'],
    why: 'its source says that it is flaky',
  },
  {
    name: 'a comparison on another architecture',
    runs: [run(1, FAILED)],
    baselines: [base(2, FAILED, { architecture: 'arm64' })],
    are: ['smoke waiting'],
    needed: ['again 1', 'baseline 1'],
  },
  {
    name: 'an override of all tests of a source',
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [base(3, ['smoke PASS'])],
    overrides: [word()],
    are: ['smoke overridden'],
    why: 'ann overrode it: known upstream (regression: It fails (non-zero exit status 1)',
  },
  ...(
    [
      [{ test: 'smoke' }, 'overridden'],
      [{ test: 'other' }, 'regression'],
      [{ architecture: 'amd64' }, 'overridden'],
      [{ architecture: 'arm64' }, 'regression'],
      [{ source: 'ed' }, 'regression'],
      [{ validUntil: NOW }, 'regression'],
    ] as const
  ).map(([of, verdict]): Case => ({
    name: `an override of ${JSON.stringify(of)}`,
    runs: [run(1, FAILED), second(2, FAILED)],
    baselines: [base(3, ['smoke PASS'])],
    overrides: [word(of)],
    are: [`smoke ${verdict}`],
  })),
  {
    name: 'an override of what nobody can tell',
    runs: [run(1, 'unavailable')],
    overrides: [word()],
    are: ['* overridden'],
  },
  {
    name: 'an override of a pass changes nothing',
    runs: [run(1, ['smoke PASS'])],
    overrides: [word()],
    are: ['smoke pass'],
  },
];

describe('the verdict of each test', () => {
  test.each(CASES)('$name', ({ runs, baselines = [], overrides = [], are, why, needed = [] }) => {
    const judged = judgeTests(runs, baselines, { ...RULES, overrides });
    expect(judged.tests.map(({ test, verdict }) => `${test} ${verdict}`)).toEqual(are);
    expect(judged.tests[0]?.why).toMatch(/\.\)?$/);
    expect(judged.tests[0]?.why).toContain(why ?? '');
    expect(judged.needed.map(({ kind, of }) => `${kind} ${of.id}`)).toEqual(needed);
  });
});

const judgedAs = (...verdicts: (TestVerdict | `changed ${TestVerdict}`)[]) =>
  verdicts.map((each, index) => ({
    source: 'mksh',
    architecture: 'amd64',
    test: String(index),
    verdict: each.replace('changed ', '') as TestVerdict,
    why: '',
    isChanged: each.startsWith('changed '),
    runId: null,
    baselineRunId: null,
    overriddenBy: null,
  }));

describe('what all tests say', () => {
  test.each<[TestsVerdict, Parameters<typeof judgedAs>, number]>([
    ['passes', ['pass'], 0],
    ['passes', ['pass', 'always_failed', 'neutral', 'skipped', 'flaky', 'improvement'], 0],
    ['passes', ['overridden'], 0],
    ['passes', ['pass', 'not_exercised'], 0],
    ['needs_approval', ['pass', 'changed not_exercised'], 0],
    ['needs_approval', [], 0],
    ['needs_approval', ['neutral', 'skipped'], 0],
    ['needs_approval', ['always_failed'], 0],
    ['needs_approval', ['not_exercised'], 0],
    ['needs_approval', ['pass'], 1],
    ['cannot_tell', ['pass', 'cannot_tell'], 1],
    ['blocked', ['pass', 'cannot_tell', 'regression'], 0],
    ['waits', ['regression', 'waiting'], 0],
  ])('%s: %j, %i left out', (verdict, tests, left) => {
    expect(verdictOfTests(judgedAs(...tests), left)).toBe(verdict);
  });
});

describe('a landing whose only test proves nothing', () => {
  const changed = (id: number, tests: string[], more: Partial<TestedRun> = {}) =>
    run(id, tests, { ...CHANGED, ...more });

  test.each([
    ['failed, and is flaky by its own word', [changed(1, ['smoke FLAKY non-zero exit status 1'])]],
    [
      'failed, and then passed without a package of the landing',
      [changed(1, FAILED), changed(2, ['smoke PASS'], { try: 2, exercised: [] })],
    ],
    [
      'failed, and then passed superficially',
      [changed(1, FAILED), changed(2, ['smoke PASS superficial'], { try: 2 })],
    ],
  ])('needs an approval where it %s', (_, runs) => {
    expect(verdictOfTests(judgeTests(runs, [], RULES).tests, 0)).toBe('needs_approval');
  });
});
