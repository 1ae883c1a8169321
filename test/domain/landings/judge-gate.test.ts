import type { GateBuild, GateInput } from '../../../domain/landings/gate-input.ts';
import type { Gate } from '../../../domain/landings/gate.ts';
import { judgeGate } from '../../../domain/landings/judge-gate.ts';
import { landingFailureOf } from '../../../domain/landings/landing-failure.ts';
import {
  DEFAULT_LANDING_POLICY,
  type LandingPolicy,
} from '../../../domain/landings/landing-policy.ts';
import type { LandingPart } from '../../../domain/landings/landing.ts';

const PART: LandingPart = {
  subticket_id: 9,
  source: 'hello',
  version: '2.10-3',
  state: 'built',
  build_id: 12,
};
const WAITING: LandingPart = { ...PART, state: 'waiting', build_id: null };
const BUILD: GateBuild = {
  source: 'hello',
  buildId: 12,
  builds: [{ architecture: 'amd64', state: 'completed' }],
  made: ['amd64'],
};
const APPROVED = { decision: 'approve', by: 'bea', comment: 'tried by hand' } as const;
const FREEZE = {
  from: '2026-04-16T00:00:00.000Z',
  until: '2026-04-23T00:00:00.000Z',
  why: 'the release',
  exempt: [],
};
const INPUT: GateInput = {
  landingId: 7,
  phase: 'approving',
  ahead: [],
  estimate: null,
  parts: [PART],
  ppa: 'ppa:team/silo',
  target: 'ubuntu noble Proposed',
  policy: DEFAULT_LANDING_POLICY,
  freezes: [],
  decision: null,
  failure: null,
  pausedBy: null,
  waitsFor: null,
  targetMoved: null,
  builds: [BUILD],
  testsVerdict: 'passes',
  isRenewed: false,
  tests: { pass: 3 },
  runs: { over: 2, all: 2 },
  overriddenBy: [],
  excuses: [],
  nowMs: Date.parse('2026-04-20T00:00:00Z'),
};
const judge = (input: Partial<GateInput>) => judgeGate({ ...INPUT, ...input });
const under = (fields: Partial<LandingPolicy>) => ({ ...DEFAULT_LANDING_POLICY, ...fields });
const criterion = (gate: Gate, name: string) => gate.criteria.find((one) => one.name === name);

it('says of each criterion how it stands, what stops it first', () => {
  const { verdict, criteria } = judge({});
  expect(verdict).toBe('needs_approval');
  expect(criteria.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'approval waiting',
    'target waiting',
    'line met',
    'ppa met',
    'builds met',
    'tests met',
    'freeze met',
  ]);
  expect(criteria[0]?.why).toBe('It waits for somebody with landing:approve to decide.');
});

it('waits in line, and for its PPA and builds', () => {
  const queued = judge({
    phase: 'queued',
    parts: [WAITING],
    builds: [],
    ahead: [{ landing_id: 5, ticket_id: 2 }],
    testsVerdict: null,
  });
  expect(queued.verdict).toBe('waits');
  expect(criterion(queued, 'line')?.why).toBe('It waits for landing 5 (ticket 2).');
  expect(criterion(queued, 'builds')?.why).toBe('0 of 1 source packages are built.');
  expect(criterion(queued, 'tests')?.why).toBe('They are run when all is built.');
  expect(criterion(judge({ phase: 'leasing' }), 'ppa')?.state).toBe('waiting');
  const paused = judge({ phase: 'building', pausedBy: 'ann' });
  expect(criterion(paused, 'pause')?.why).toBe('ann has paused the landing.');
});

it('says what it waits for besides', () => {
  const imaging = { phase: 'imaging', testsVerdict: null } as const;
  const [lease, tester] = ['a PPA of the pool: pool-1 is quarantined', 'a tester for amd64'];
  expect(criterion(judge(imaging), 'tests')?.why).toBe(
    'The image to test in is being made, and the tests are planned.',
  );
  expect(criterion(judge({ ...imaging, waitsFor: tester }), 'tests')).toMatchObject({
    state: 'waiting',
    why: `It waits for ${tester}.`,
  });
  const testing = judge({
    phase: 'testing',
    testsVerdict: 'waits',
    runs: { over: 1, all: 4 },
    waitsFor: tester,
  });
  expect(criterion(testing, 'tests')?.why).toBe(
    `1 of 4 test runs are over. It waits for ${tester}.`,
  );
  const person = 'a person to let in hello (Unapproved) at ubuntu noble';
  const publishing = judge({ phase: 'publishing', decision: APPROVED, waitsFor: person });
  expect(criterion(publishing, 'target')?.why).toBe(
    `0 of 1 source packages are published in ubuntu noble Proposed. It waits for ${person}.`,
  );
  const leasing = judge({ phase: 'leasing', ppa: null, waitsFor: lease });
  expect(criterion(leasing, 'ppa')?.why).toBe(`It waits for ${lease}.`);
});

it('passes once it may be published, and when it is', () => {
  expect(judge({ phase: 'publishing', decision: APPROVED }).verdict).toBe('passes');
  const complete = judge({
    phase: 'complete',
    decision: APPROVED,
    parts: [{ ...PART, state: 'published' }],
  });
  expect(complete.verdict).toBe('passes');
  expect(criterion(complete, 'target')).toEqual({
    name: 'target',
    state: 'met',
    why: 'All is published in ubuntu noble Proposed.',
  });
  expect(criterion(complete, 'approval')).toMatchObject({ state: 'met', by: 'bea' });
});

it('is blocked where the target cannot publish a package any more, while others are waited for', () => {
  const gate = judge({
    phase: 'publishing',
    decision: APPROVED,
    parts: [PART, { ...PART, source: 'dash', unpublishable: true }],
    waitsFor: 'hello to be published, and fails then: dash: somebody rejected it there',
  });
  expect(gate.verdict).toBe('blocked');
  expect(gate.criteria[0]).toEqual({
    name: 'target',
    state: 'not_met',
    why: '0 of 2 source packages are published in ubuntu noble Proposed. It waits for hello to be published, and fails then: dash: somebody rejected it there.',
  });
});

describe('the tests', () => {
  it.each([
    ['blocked', { regression: 1, pass: 1 }, 'blocked', '1 of 2 tests fail with these packages'],
    ['cannot_tell', { cannot_tell: 2 }, 'cannot_tell', '2 of 2 tests could not be run.'],
    ['needs_approval', {}, 'needs_approval', 'Too little was tested to tell'],
  ] as const)('that are %s stop it, and say so', (testsVerdict, tests, verdict, why) => {
    const gate = judge({
      phase: 'testing',
      policy: under({ approval: 'never' }),
      testsVerdict,
      tests,
    });
    expect(gate.verdict).toBe(verdict);
    expect(criterion(gate, 'tests')?.state).toBe('not_met');
    expect(criterion(gate, 'tests')?.why).toContain(why);
  });

  it('that could not be run need a person, who then stands for them', () => {
    const input = { testsVerdict: 'cannot_tell', tests: { cannot_tell: 1 } } as const;
    expect(judge(input).verdict).toBe('needs_approval');
    const approved = judge({ ...input, phase: 'publishing', decision: APPROVED });
    expect(criterion(approved, 'tests')).toMatchObject({ state: 'overridden', by: 'bea' });
    expect(approved.verdict).toBe('passes');
  });

  it('that are under way wait; those that were overridden name who did it', () => {
    const running = judge({ phase: 'testing', testsVerdict: 'waits', runs: { over: 1, all: 4 } });
    expect(running.verdict).toBe('waits');
    expect(criterion(running, 'tests')?.why).toBe('1 of 4 test runs are over.');
    const overridden = judge({ overriddenBy: ['ann', 'bea'], tests: { pass: 1, overridden: 2 } });
    expect(criterion(overridden, 'tests')).toMatchObject({
      state: 'overridden',
      by: 'ann, bea',
      why: 'None of the 3 tests stops it; 2 are overridden.',
    });
  });

  it.each([
    [1, 'The one test does not stop it.'],
    [12, 'None of the 12 tests stops it.'],
  ])('that pass are counted: %i', (pass, why) => {
    expect(criterion(judge({ tests: { pass } }), 'tests')).toMatchObject({ state: 'met', why });
  });

  it('are not needed where the policy has none run, which needs a person all the same', () => {
    const gate = judge({
      policy: under({ tests: 'none', approval: 'when_needed' }),
      testsVerdict: null,
    });
    expect(criterion(gate, 'tests')?.state).toBe('not_needed');
    expect(gate.verdict).toBe('needs_approval');
    expect(criterion(judge({ policy: null, testsVerdict: null }), 'tests')?.state).toBe(
      'not_needed',
    );
  });
});

it.each([
  [under({ approval: 'when_needed' }), 'passes', 'not_needed'],
  [under({ approval: 'when_needed' }), null, 'not_needed'],
  [under({ approval: 'never' }), 'needs_approval', 'waiting'],
  [under({ approval: 'never', tests: 'none' }), null, 'not_needed'],
] as const)(
  'asks a person where the policy and the tests say so: %#',
  (policy, testsVerdict, state) => {
    expect(criterion(judge({ policy, testsVerdict }), 'approval')?.state).toBe(state);
  },
);

it.each([
  [under({ approval: 'when_needed' }), 'The tests pass: no person is asked.'],
  [under({ approval: 'never' }), 'The policy asks for none.'],
])('says why no person is asked: %#', (policy, why) => {
  const approval = criterion(judge({ policy, phase: 'publishing' }), 'approval');
  expect(approval).toMatchObject({ state: 'not_needed', why });
});

it('names who may approve', () => {
  const gate = judge({ policy: under({ approvers: ['ann', 'bea'], fourEyes: true }) });
  expect(criterion(gate, 'approval')?.why).toBe(
    'It waits for ann, bea to decide. It must not be whoever requested this attempt.',
  );
});

it('says why what was approved has to be approved again, until it is', () => {
  const input = { phase: 'testing', targetMoved: ['libc6 2.39-2', 'mksh 2'] } as const;
  const moved = { ...input, targetMoved: [...input.targetMoved] };
  expect(criterion(judge(moved), 'approval')?.why).toBe(
    'Somebody with landing:approve will be asked. The packages are tested again, and an approval from before does not count: the target got libc6 2.39-2, mksh 2 since the packages were tested.',
  );
  const approved = criterion(judge({ ...moved, decision: APPROVED }), 'approval');
  expect(approved?.why).toBe('Approved by bea: tried by hand');
});

it('says why all is tested on new base images, until it is judged', () => {
  const renewed = { phase: 'imaging', testsVerdict: 'waits', isRenewed: true } as const;
  expect(criterion(judge(renewed), 'tests')?.why).toBe(
    'The image to test in is being made, and the tests are planned. The packages are tested again on new base images: those of before may be older than what was built.',
  );
  expect(criterion(judge({ isRenewed: true }), 'tests')?.why).toBe('None of the 3 tests stops it.');
});

it('waits for a freeze, and no approval helps meanwhile', () => {
  const gate = judge({ freezes: [FREEZE] });
  expect(gate.verdict).toBe('waits');
  expect(criterion(gate, 'freeze')?.why).toBe(
    'Frozen until 2026-04-23T00:00:00.000Z: the release.',
  );
});

it('judges the architectures that the policy names', () => {
  const policy = under({ architectures: ['amd64', 'arm64'] });
  const gate = judge({ policy });
  expect(criterion(gate, 'builds amd64')?.state).toBe('met');
  expect(criterion(gate, 'builds arm64')).toMatchObject({
    state: 'not_met',
    why: 'Not built on arm64: hello.',
  });
  expect(gate.verdict).toBe('blocked');
  const anywhere = judge({ policy, builds: [{ ...BUILD, made: ['all'] }] });
  expect(criterion(anywhere, 'builds arm64')?.state).toBe('met');
  const unlisted = judge({ policy, builds: [{ ...BUILD, made: [] }] });
  expect(criterion(unlisted, 'builds arm64')?.why).toBe('Not known to be built on arm64: hello.');
  expect(criterion(judge({ policy, parts: [WAITING] }), 'builds arm64')?.state).toBe('waiting');
});

describe('a landing that failed', () => {
  it('has its failure at the criterion that it failed at, and the rest as not reached', () => {
    const failure = landingFailureOf('build_failed', 'building', 'build 12 of hello failed: no', {
      build_id: 12,
    });
    const gate = judge({ phase: 'failed', failure, parts: [{ ...PART, state: 'failed' }] });
    expect(gate.verdict).toBe('blocked');
    expect(gate.criteria[0]).toEqual({
      name: 'builds',
      state: 'not_met',
      why: `build 12 of hello failed: no. ${failure.hint}`,
      link: '/api/v1/build/12/',
    });
    expect(criterion(gate, 'approval')?.why).toBe('It was not reached: the landing has ended.');
  });

  it.each([
    [landingFailureOf('frozen', 'approving', 'no'), 'freeze'],
    [landingFailureOf('cancelled', 'building', 'no'), 'landing'],
    [landingFailureOf('copy_refused', 'publishing', 'no'), 'target'],
    [landingFailureOf('copy_refused', 'testing', 'no'), 'target'],
    [landingFailureOf('approval_timed_out', 'approving', 'no'), 'approval'],
    [landingFailureOf('pause_timed_out', 'building', 'no'), 'pause'],
  ])('is blocked: %#', (failure, name) => {
    const gate = judge({ phase: 'failed', failure });
    expect(gate.verdict).toBe('blocked');
    expect(gate.criteria[0]).toMatchObject({ name, state: 'not_met' });
  });

  it('because nobody resumed it keeps its approval', () => {
    const failure = landingFailureOf('pause_timed_out', 'approving', 'ann paused it');
    const gate = judge({ phase: 'failed', failure, decision: APPROVED });
    expect(gate.criteria.filter(({ name }) => name === 'pause')).toMatchObject([
      { state: 'not_met', why: `ann paused it. ${failure.hint}` },
    ]);
    expect(criterion(gate, 'approval')).toMatchObject({ state: 'met', by: 'bea' });
  });
});
