import {
  exitCodeOf,
  judgeRun,
  readPackageList,
  readSummary,
  type AutopkgtestOutput,
} from '../../../domain/testing/autopkgtest.ts';
import type { TestResult } from '../../../domain/testing/test-run.ts';

const TESTED = { source: 'hello', version: '2.10-3+good1' };
const OUTPUT: AutopkgtestOutput = {
  exitCode: 0,
  summary: 'command1             PASS\n',
  testedSource: 'hello 2.10-3+good1',
  hasTestinfo: true,
  installed: [
    { name: 'libc6', version: '2.36' },
    { name: 'hello', version: '2.10-3+good1' },
  ],
};
const LANDED = [{ name: 'hello', version: '2.10-3+good1' }];
const judge = (output: Partial<AutopkgtestOutput> = {}, landed = LANDED) =>
  judgeRun({ ...OUTPUT, ...output }, TESTED, landed);

describe('a summary', () => {
  // As autopkgtest 5.28 has written them.
  it.each<[string, Partial<TestResult>[]]>([
    ['upstream-tests       PASS\n', [{ name: 'upstream-tests', status: 'PASS', detail: '' }]],
    ['smoke                PASS (superficial)\n', [{ status: 'PASS', detail: 'superficial' }]],
    [
      'command1             FAIL non-zero exit status 1\nb                    FAIL stderr: oops\nc                    FAIL timed out\n',
      [
        { name: 'command1', status: 'FAIL', detail: 'non-zero exit status 1' },
        { name: 'b', detail: 'stderr: oops' },
        { name: 'c', detail: 'timed out' },
      ],
    ],
    [
      'a                    SKIP exit status 77 and marked as skippable\nb                    FLAKY non-zero exit status 1\n',
      [{ status: 'SKIP' }, { status: 'FLAKY' }],
    ],
    ['*                    SKIP no tests in this package\n', [{ name: '*', status: 'SKIP' }]],
    [
      'a                    FAIL badpkg\nblame: arg:hello\nbadpkg: Test dependencies are unsatisfiable.\n',
      [{ name: 'a', status: 'FAIL', detail: 'badpkg' }],
    ],
    [
      'blame: hello\nbadpkg: rules build failed with exit code 2\nerroneous package: rules build failed with exit code 2\n',
      [{ name: '*', status: 'FAIL', detail: 'badpkg: rules build failed with exit code 2' }],
    ],
    [
      'a-test-with-a-long-name PASS\n',
      [{ name: 'a-test-with-a-long-name', status: 'PASS', detail: '' }],
    ],
  ])('is read: %j', (text, results) => {
    expect(readSummary(text)).toEqual(results.map((result) => expect.objectContaining(result)));
  });

  it.each(['', '\n', 'command1             PA', 'nonsense', 'testbed failure: gone\n'])(
    'is not read: %j',
    (text) => expect(readSummary(text)).toBeUndefined(),
  );

  it('is not read where blanks fill it, and takes a moment', () => {
    const startedAt = performance.now();
    expect(readSummary(`a PASS${' '.repeat(4_000_000)}x\ry\n`)).toBeUndefined();
    // What tries each of the blanks anew would need hours.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it('has no detail where only blanks follow', () => {
    expect(readSummary('a PASS   \n')).toEqual([{ name: 'a', status: 'PASS', detail: '' }]);
  });
});

describe('a run is judged', () => {
  it.each<[number, string]>([
    [0, 'a PASS'],
    [2, 'a PASS\nb SKIP x'],
    [2, 'a PASS\nb FLAKY x'],
    [4, 'a FAIL timed out'],
    [6, 'a FAIL x\nb SKIP y'],
    [8, '* SKIP no tests in this package'],
    [8, 'a PASS (superficial)'],
    [12, 'a FAIL badpkg\nblame: x\nbadpkg: y'],
    [12, 'a FAIL x\nb FAIL badpkg\nblame: x\nbadpkg: y'],
    [14, 'a FAIL badpkg\nblame: x\nbadpkg: y\nb SKIP z'],
  ])('by its summary where it ended with %i', (exitCode, summary) => {
    expect(judge({ exitCode, summary })).toMatchObject({
      state: 'finished',
      exitCode,
      fault: null,
      results: readSummary(summary),
      exercised: LANDED,
    });
  });

  it.each(['', 'testbed failure: the bed has gone\n'])(
    'by what had failed where its time is over, and all the rest of it counts as failed: %j',
    (more) => {
      const summary = `a PASS\nb FAIL timed out\n${more}`;
      expect(judge({ exitCode: null, overMs: 900, hasTestinfo: false, summary })).toEqual({
        state: 'finished',
        exitCode: null,
        results: [
          { name: 'a', status: 'PASS', detail: '' },
          { name: 'b', status: 'FAIL', detail: 'timed out' },
          { name: '*', status: 'FAIL', detail: 'not done after 900 ms' },
        ],
        exercised: LANDED,
        fault: null,
      });
    },
  );

  it.each<[string, Partial<AutopkgtestOutput>, string]>([
    ['too little time', { exitCode: null, overMs: 900 }, 'The run took longer than 900 ms.'],
    [
      'too little time to begin',
      { exitCode: null, overMs: 900, summary: null, testedSource: null },
      'The run took longer than 900 ms.',
    ],
    [
      'too little time for the tests of another version',
      { exitCode: null, overMs: 900, summary: 'a FAIL x\n', testedSource: 'hello 2.10-3' },
      'ran the tests of hello 2.10-3',
    ],
    ['a signal to the group', { exitCode: 1 }, 'autopkgtest ended with 1.'],
    ['a signal to the leader', { exitCode: 143 }, 'autopkgtest ended with 143.'],
    ['SIGKILL', { exitCode: null }, 'autopkgtest was ended by a signal.'],
    ['too much memory', { exitCode: null, fault: 'It took too much memory.' }, 'too much memory'],
    [
      'a test bed that fails',
      { exitCode: 16, summary: 'a PASS\ntestbed failure: cannot open /gone\n' },
      'cannot open /gone',
    ],
    ['a bad usage', { exitCode: 20, summary: 'quitting: unexpected error, see log' }, 'unexpected'],
    [
      'an archive that lacks what its lists name',
      { exitCode: 20, summary: 'a PASS\napt repeatedly failed to download packages\n' },
      'apt repeatedly failed to download packages',
    ],
    [
      'a fault that is told before a remark',
      { exitCode: 20, summary: 'rules extract failed with exit code 1\nblame: x\n' },
      'rules extract failed',
    ],
    ['20 with results alone', { exitCode: 20, summary: 'a PASS\n' }, 'autopkgtest ended with 20.'],
    ['20 without a summary', { exitCode: 20, summary: null }, 'autopkgtest ended with 20.'],
    ['no summary', { summary: null }, 'left no complete results'],
    ['an empty summary', { summary: '' }, 'cannot be read'],
    ['a torn summary', { summary: 'a PASS\nb PA' }, 'cannot be read'],
    ['no testinfo.json', { hasTestinfo: false }, 'left no complete results'],
    ['no testpkg-version', { testedSource: null }, 'left no complete results'],
    ['the tests of another version', { testedSource: 'hello 2.10-3' }, 'ran the tests of hello'],
    ['0 with a failed test', { summary: 'a FAIL x' }, 'does not bear out'],
    ['4 without a failed test', { exitCode: 4 }, 'does not bear out'],
    [
      'the version of the archive',
      { installed: [{ name: 'hello', version: '2.10-3' }] },
      'hello 2.10-3 was installed, not 2.10-3+good1.',
    ],
  ])("as the test bed's fault: %s", (_, output, fault) => {
    const end = judge(output);
    expect(end).toMatchObject({ state: 'bed_failed', results: [], exercised: [] });
    expect(end.fault).toContain(fault);
  });

  it("as the test bed's fault where its time is over and others are compared with it", () => {
    const summary = 'a FAIL timed out\n';
    expect(judge({ exitCode: null, overMs: 900, summary }, [])).toMatchObject({
      state: 'bed_failed',
      fault: 'The run took longer than 900 ms.',
    });
  });

  it('and says what of the landing was installed', () => {
    expect(judge({ installed: [{ name: 'libc6', version: '2.36' }] }).exercised).toEqual([]);
    expect(judge({}, []).exercised).toEqual([]);
  });
});

it.each<[number, [string, TestResult['status'], string?][]]>([
  [0, [['a', 'PASS']]],
  [
    2,
    [
      ['a', 'PASS'],
      ['b', 'SKIP'],
    ],
  ],
  [4, [['a', 'FAIL']]],
  [
    6,
    [
      ['a', 'FAIL'],
      ['b', 'FLAKY'],
    ],
  ],
  [8, [['a', 'SKIP']]],
  [8, [['a', 'PASS', 'superficial']]],
  [12, [['a', 'FAIL', 'badpkg']]],
  [
    14,
    [
      ['a', 'FAIL', 'badpkg'],
      ['b', 'SKIP'],
    ],
  ],
])('code %i is that of the results %j', (code, results) => {
  expect(exitCodeOf(results.map(([name, status, detail = '']) => ({ name, status, detail })))).toBe(
    code,
  );
});

it('a list of packages is read', () => {
  expect(readPackageList('hello\t2.10-3\nlibc6:amd64 2.36-9\n\nodd\n')).toEqual([
    { name: 'hello', version: '2.10-3' },
    { name: 'libc6', version: '2.36-9' },
  ]);
});
