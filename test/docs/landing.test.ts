import { readFile } from 'node:fs/promises';
import { LANDING_FAILURE_CLASSES } from '../../domain/landings/landing-failure.ts';
import { LANDING_PHASES, stepOfPhase } from '../../domain/landings/landing-phase.ts';
import { judgeTests } from '../../domain/testing/judge-tests.ts';
import type { TestedRun } from '../../domain/testing/test-run-history.ts';
import { stepName, type StepValue } from '../../domain/tickets/ticket.ts';

/** The cells of all rows of tables. */
async function rows(): Promise<string[][]> {
  const page = await readFile('docs/landing.md', 'utf8');
  return [...page.matchAll(/^\| (.*) \|$/gm)].map(([, cells = '']) =>
    cells.split(' | ').map((cell) => cell.trim()),
  );
}

const RUN: TestedRun = {
  id: 1,
  imageId: 2,
  source: 'hello',
  version: '2.10-3',
  architecture: 'amd64',
  reason: 'depends',
  why: 'depends on libhello',
  try: 1,
  state: 'finished',
  results: [],
  exercised: [],
  fault: null,
};

/** The verdict of a test that fails twice with the packages, by what it does without them. */
function verdictOf(reason: TestedRun['reason'], test: string, results: TestedRun['results']) {
  const failing: TestedRun = {
    ...RUN,
    reason,
    results: [{ name: test, status: 'FAIL', detail: '' }],
  };
  const { tests } = judgeTests(
    [failing, { ...failing, id: 2, try: 2 }],
    [{ ...RUN, reason, id: 3, imageId: 1, results }],
    { overrides: [], testBedTries: 3, now: new Date() },
  );
  return tests.map(({ verdict }) => verdict);
}

describe('docs/landing.md', () => {
  const named = (name: string, status: 'PASS' | 'SKIP' | 'FLAKY') => [{ name, status, detail: '' }];

  it.each([
    ['passes', 'depends', 'smoke', named('smoke', 'PASS')],
    ['is not there', 'depends', 'smoke', named('other', 'PASS')],
    ['is not there', 'changed', 'smoke', named('other', 'PASS')],
    ['where all tests fail (`*`), they can be run', 'depends', '*', named('smoke', 'SKIP')],
    ['skipped or flaky', 'changed', 'smoke', named('smoke', 'SKIP')],
    ['skipped or flaky', 'changed', 'smoke', named('smoke', 'FLAKY')],
  ] as const)(
    'says that a test is a regression by what it does without the packages: %s',
    async (words, reason, test, without) => {
      const [, when] = (await rows()).find(([verdict]) => verdict === '`regression`') ?? [];
      expect(verdictOf(reason, test, without)).toEqual(['regression']);
      expect(when).toContain(words);
    },
  );

  it.each(['SKIP', 'FLAKY'] as const)(
    'says of a changed source alone that a test is a regression which is %s without the packages',
    async (status) => {
      const [, when] = (await rows()).find(([verdict]) => verdict === '`regression`') ?? [];
      expect(verdictOf('depends', 'smoke', named('smoke', status))).toEqual(['always_failed']);
      expect(when).toMatch(/of a changed source it may also be skipped or flaky there\.$/);
    },
  );

  it('has every class of failure as it is', async () => {
    const known = await rows();
    for (const [name, { retryable, hint }] of Object.entries(LANDING_FAILURE_CLASSES))
      expect(known).toContainEqual([`\`${name}\``, retryable ? 'yes' : 'no', hint]);
  });

  it('has every phase, with the step of the ticket', async () => {
    const known = (await rows()).map((cells) => [cells[0], cells.at(-1)]);
    for (const phase of LANDING_PHASES) {
      const step: StepValue = `${stepOfPhase(phase)}`;
      expect(known).toContainEqual([`\`${phase}\``, `${step} ${stepName(step)}`]);
    }
  });
});
