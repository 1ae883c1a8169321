import { EXIT } from '../../cli/exit-code.ts';
import type { Gate } from '../../domain/landings/gate.ts';
import { call } from './call.ts';
import { json, useScript } from './script-server.ts';

const GATE: Gate = {
  landing_id: 7,
  verdict: 'needs_approval',
  criteria: [
    { name: 'tests', state: 'not_met', why: 'Too little was tested to tell.' },
    { name: 'builds arm64', state: 'met', why: 'All is built on arm64.' },
  ],
  estimate: null,
  tests: { neutral: 1 },
  excuses: [
    {
      source: 'mksh',
      architecture: 'amd64',
      test: '*',
      verdict: 'neutral',
      why: 'The source has no tests.',
      run_id: 4,
      baseline_run_id: null,
      log_url: null,
    },
  ],
};

const server = useScript();
const why = (gate: Partial<Gate>, ...options: string[]) => {
  server.play(json(200, { ...GATE, ...gate }));
  return call(['ticket', 'why', '3', ...options], { env: server.environment });
};

it('says how each criterion stands, and which tests do not pass', async () => {
  const { code, stdout } = await why({});
  expect(server.requests[0]?.path).toBe('/api/v1/ticket/3/gate/');
  expect(code).toBe(EXIT.needsApproval);
  expect(stdout.split('\n')).toEqual([
    'Landing 7 needs an approval.',
    '  ✗ tests         not met     Too little was tested to tell.',
    '  ✓ builds arm64  met         All is built on arm64.',
    '',
    'SOURCE PACKAGE  ARCHITECTURE  TEST  VERDICT  WHY',
    'mksh            amd64         all   neutral  The source has no tests.',
    '',
  ]);
  expect(JSON.parse((await why({}, '--json')).stdout)).toEqual(GATE);
});

it('says when one in line is expected to begin', async () => {
  const estimate = { start_at: null, complete_at: null, based_on: 1, reason: 'Too few.' };
  const { stdout } = await why({ verdict: 'waits', estimate });
  expect(stdout).toContain('Landing 7 waits.\n  Expected: not known. Too few.\n');
});

it.each([
  ['passes', EXIT.done],
  ['waits', EXIT.waiting],
  ['blocked', EXIT.failed],
  ['cannot_tell', EXIT.failed],
] as const)('ends by its verdict: %s', async (verdict, code) => {
  expect(await why({ verdict }, '--quiet')).toMatchObject({ code, stdout: `${verdict}\n` });
});

it('shows the policy of a target', async () => {
  const policy = {
    name: 'ubuntu',
    approval: 'when_needed',
    four_eyes: true,
    landers: [],
    approvers: ['ann', 'bea'],
    architectures: [],
    tests: 'changed',
    test_architectures: ['amd64'],
    freezes: [{ from: 'Monday', until: 'Friday', why: 'the release', exempt: ['ann'] }],
  };
  server.play(
    json(200, { target: { archive: 'ubuntu', series: 'noble', pocket: 'Proposed' }, policy }),
  );
  const args = ['landing', 'policy', '--target', 'ubuntu', '--series', 'noble'];
  const { code, stdout } = await call(args, { env: server.environment });
  expect({ code, path: server.requests[0]?.path }).toEqual({
    code: 0,
    path: '/api/v1/landingpolicy/?archive=ubuntu&target=ubuntu&series=noble',
  });
  expect(stdout.split('\n')).toEqual([
    'Policy ubuntu',
    '  Target           ubuntu noble Proposed',
    '  May land         everybody whose token has the scope',
    '  May approve      ann, bea, but not whoever lands',
    '  Approval         when needed',
    '  Must have built  what the PPA builds',
    '  Tests            changed',
    '  Tested on        amd64',
    '  Frozen           Monday to Friday: the release; save for ann',
    '',
  ]);
});
