import { auditLandings } from './audit-landings.ts';
import type { Evidence, LandingEvidence } from './evidence.ts';
import { soundEvidence } from './sound-evidence.ts';

/** What the audit finds once the evidence of a sound run is spoilt, with the line that it stands on. */
function doctored(doctor: (landings: LandingEvidence, evidence: Evidence) => void): string[] {
  const evidence = soundEvidence();
  doctor(evidence.landings, evidence);
  return auditLandings(evidence).flatMap(({ promise, violations }) =>
    violations.map(({ build, what }) => `${promise.trim()}: ${build}: ${what}`),
  );
}

const bodyOf = ({ events }: LandingEvidence, landing: number, seq: number) =>
  events.find(({ body }) => body.landing_id === landing && body.seq === seq)?.body ?? {};
/** Changes an event, as its message has it, too. */
function change(landings: LandingEvidence, landing: number, seq: number, fields: object): void {
  const body = bodyOf(landings, landing, seq);
  Object.assign(body, fields);
  // As in JSON, what is undefined is not there.
  for (const [name, value] of Object.entries(fields))
    if (value === undefined) Reflect.deleteProperty(body, name);
  const sent = landings.deliveries.find(
    ({ messageId }) => messageId === `landing:${landing}:${seq}`,
  );
  Object.assign(sent ?? {}, { body: JSON.stringify(body) });
}

it('finds nothing where all went well, and has looked at everything', () => {
  expect(doctored(() => undefined)).toEqual([]);
  expect(auditLandings(soundEvidence()).filter(({ checked }) => checked === 0)).toEqual([]);
});

it('says nothing of a run without landings', () => {
  const evidence = soundEvidence();
  evidence.landings.requested = [];
  expect(auditLandings(evidence)).toEqual([]);
});

it('names a landing that was never answered, that has no row, and that has two', () => {
  expect(
    doctored(({ requested, rows }) => {
      Object.assign(requested[0] ?? {}, { lastError: 'no answer' });
      Object.assign(requested[1] ?? {}, { landingId: 9 });
      Object.assign(rows[2] ?? {}, { ticketId: 1 });
    }).slice(0, 3),
  ).toEqual([
    '5 every landing is accepted once: landing 1 (request 1, passes): the lander was not answered in time',
    '5 every landing is accepted once: landing 1 (request 1, passes): one request made several landings',
    '5 every landing is accepted once: landing 9 (request 2, overridden): answered 202, and there is no such row',
  ]);
});

it('names a landing that has not ended, an attempt without an end, and one with two', () => {
  expect(
    doctored((landings) => {
      Object.assign(landings.rows[0] ?? {}, { isFinished: false });
      change(landings, 2, 2, { exit: undefined });
      change(landings, 3, 1, { exit: true });
    }),
  ).toEqual([
    '5 one final event ends each attempt: landing 1: has not ended',
    '5 one final event ends each attempt: landing 2: attempt 1 has 0 final events',
    '5 one final event ends each attempt: landing 3: attempt 1 has 2 final events',
    '5 one final message for each attempt: landing 2: 0 final messages of attempt 1 came',
    '5 one final message for each attempt: landing 3: 2 final messages of attempt 1 came',
  ]);
});

it('names an event after the final one', () => {
  expect(
    doctored((landings) => {
      change(landings, 1, 3, { exit: true });
      change(landings, 1, 4, { exit: undefined });
    }),
  ).toEqual([
    '5 one final event ends each attempt: landing 1: attempt 1 has an event after its final one',
  ]);
});

it('names a gap, an event that was not published, and messages out of order or changed', () => {
  expect(
    doctored((landings) => {
      Object.assign(landings.events[4] ?? {}, { isPublished: false });
      Object.assign(landings.rows[2] ?? {}, { lastSeq: 3 });
      landings.deliveries.push({ ...(landings.deliveries.shift() ?? fail()) });
      landings.deliveries.push({ ...(landings.deliveries[4] ?? fail()), body: '{}' });
    }),
  ).toEqual([
    "5 landings' seq has no gap, all is published: landing 3: the events are not 1 to 3",
    "5 landings' seq has no gap, all is published: landing 2: an event was not published",
    "5 landings' messages come in order: landing:2:2: came with two bodies",
    "5 landings' messages come in order: landing 1: the messages are not its events in their order",
  ]);
});

it('names what was published twice', () => {
  expect(
    doctored((_, { ppa }) => {
      ppa.copied.push({ ...(ppa.copied[0] ?? fail()) }, { ...(ppa.copied[1] ?? fail()) });
    }),
  ).toEqual([
    '6 nothing is published twice: source land-1-lib 1.0 in debian Proposed: was published 2 times',
    '6 nothing is published twice: binary land-1-lib amd64 1.0 in debian Proposed: was published 2 times',
  ]);
});

it('names what was published before its landing said so', () => {
  expect(
    doctored((_, { ppa }) => {
      Object.assign(ppa.copied[0] ?? {}, { copiedAt: '2026-01-01T00:00:22.500Z' });
    }),
  ).toEqual([
    '6 nothing is published untested: land-1-lib 1.0: was published before any landing said so',
  ]);
});

it.each([
  [
    'whose tests did not pass',
    'its tests did not pass, and nobody approved it',
    (landings: LandingEvidence) => change(landings, 1, 3, { tests: { verdict: 'needs_approval' } }),
  ],
  [
    'without a test',
    'was published without a test',
    ({ runs }: LandingEvidence) => runs.splice(0, 1),
  ],
  [
    'before its tests were over',
    'was published before its tests',
    ({ runs }: LandingEvidence) =>
      runs.push({ ...(runs[0] ?? fail()), endedAt: '2026-01-01T00:00:31.000Z' }),
  ],
  [
    'against its tests',
    'was published against its tests',
    ({ verdicts }: LandingEvidence) => Object.assign(verdicts[0] ?? {}, { verdict: 'regression' }),
  ],
])('names what was published %s', (_, what, spoil) => {
  expect(doctored(spoil)).toEqual([`6 nothing is published untested: land-1-lib 1.0: ${what}`]);
});

it("takes a person's approval in place of tests", () => {
  const untested = (landings: LandingEvidence) => {
    landings.runs.splice(0, 1);
    landings.verdicts.splice(0, 1);
    change(landings, 1, 3, {
      tests: { verdict: 'needs_approval' },
      decision: { decision: 'approve', by: 'ann', comment: 'Tried by hand.' },
    });
  };
  expect(doctored(untested)).toEqual([]);
});

it('names what the target lacks, and what it has of no landing', () => {
  expect(
    doctored((_, { ppa }) => {
      ppa.copied = ppa.copied.filter(({ source }) => source === 'land-1-lib');
    }),
  ).toEqual([
    '6 the target has what landings published: landing 2: the target lacks source land-2-lib 1.0 in debian Proposed',
    '6 the target has what landings published: landing 2: the target lacks binary land-2-lib 1.0 in debian Proposed',
  ]);
  expect(
    doctored((_, { ppa }) => {
      const stray = { source: 'land-3-lib', name: 'land-3-lib' };
      ppa.copied.push({ ...(ppa.copied[0] ?? fail()), ...stray });
    }),
  ).toEqual([
    '6 nothing is published untested: land-3-lib 1.0: was published before any landing said so',
    '6 the target has what landings published: source land-3-lib 1.0 in debian Proposed: is there, and no landing says so',
  ]);
});

it('names a source that the target has without its packages', () => {
  expect(
    doctored((_, { ppa }) => {
      ppa.copied = ppa.copied.filter(({ name }) => name !== 'land-1-lib amd64');
    }),
  ).toEqual([
    '6 the target has what landings published: landing 1: the target lacks binary land-1-lib 1.0 in debian Proposed',
  ]);
});

it.each([
  ['archive', { archive: 'ubuntu' }, 'ubuntu Proposed'],
  ['pocket', { pocket: 'Release' }, 'debian Release'],
])('names what was published in another %s', (_, elsewhere, place) => {
  expect(
    doctored((_landings, { ppa }) => {
      for (const copy of ppa.copied.slice(0, 2)) Object.assign(copy, elsewhere);
    }),
  ).toEqual([
    '6 the target has what landings published: landing 1: the target lacks source land-1-lib 1.0 in debian Proposed',
    '6 the target has what landings published: landing 1: the target lacks binary land-1-lib 1.0 in debian Proposed',
    `6 the target has what landings published: source land-1-lib 1.0 in ${place}: is there, and no landing says so`,
    `6 the target has what landings published: binary land-1-lib 1.0 in ${place}: is there, and no landing says so`,
  ]);
});

it('names a landing that was complete without the approval that its pocket asks for', () => {
  const toUpdates = ({ requested }: LandingEvidence, { ppa }: Evidence) => {
    Object.assign(requested[0] ?? {}, { fate: 'approved' });
    for (const copy of ppa.copied.slice(0, 2)) Object.assign(copy, { pocket: 'Updates' });
  };
  expect(doctored(toUpdates)).toEqual([
    'landings end as they had to: landing 1 (request 1, approved): it was complete, and nobody had approved it',
  ]);
  const decide = (decision: 'approve' | 'reject') =>
    doctored((landings, evidence) => {
      toUpdates(landings, evidence);
      change(landings, 1, 3, { decision: { decision, by: 'ann', comment: 'Looked at it.' } });
    });
  expect(decide('approve')).toEqual([]);
  expect(decide('reject')).toHaveLength(1);
});

it('takes what a landing published before it failed', () => {
  expect(
    doctored((landings, { ppa }) => {
      const row = landings.rows[2] ?? fail();
      const [part = fail()] = row.parts;
      change(landings, 3, 1, { phase: 'publishing', tests: { verdict: 'passes' } });
      landings.runs.push({ ...(landings.runs[0] ?? fail()), landingId: 3 });
      row.parts = [{ ...part, state: 'published' }];
      for (const copy of ppa.copied.slice(0, 2))
        ppa.copied.push({ ...copy, source: 'land-3-lib', name: copy.name.replace('1', '3') });
    }),
  ).toEqual([]);
});

it('names what goes on after the end: in the PPA, in a tester, in a build', () => {
  expect(
    doctored(({ rows, runs }, { ppa, ...evidence }) => {
      const build = ppa.builds[0] ?? fail();
      const [source, own] = ['land-3-lib', rows[2]?.ppa ?? ''];
      ppa.builds.push({ ...build, ppa: own, source, isActive: true });
      runs.push({ landingId: 3, attempt: 1, source: 'a', state: 'running', endedAt: null });
      Object.assign(evidence.rows[1] ?? {}, { isFinished: false });
    }),
  ).toEqual([
    '6 what has ended builds and tests nothing: landing 3: has ended and goes on in its PPA',
    '6 what has ended builds and tests nothing: landing 3: has ended, and its tests have not',
    '6 what has ended builds and tests nothing: landing 3: has ended, and its builds have not',
  ]);
});

it('names an end that no fate has, and takes an upload that nobody may send again', () => {
  const failed = (buildClass: 'upload_failed' | 'chroot_problem') =>
    doctored(({ rows }, { events }) => {
      const message = 'build 2 of land-1-lib failed';
      const failure = { phase: 'building', retryable: true, message, hint: '' } as const;
      rows.push({ ...(rows.splice(1, 1)[0] ?? fail()), attempt: 1 });
      Object.assign(rows[0] ?? {}, { failure: { ...failure, class: 'build_failed', build_id: 2 } });
      Object.assign(events[4]?.failure ?? {}, { class: buildClass });
    }).filter((line) => line.startsWith('landings end'));
  expect(failed('upload_failed')).toEqual([
    'landings end as they had to: landing 2 (request 2, overridden): it was complete at attempt 1',
  ]);
  expect(failed('chroot_problem')).toContain(
    'landings end as they had to: landing 1 (request 1, passes): the end is build_failed',
  );
});

it('names a PPA that is not free, and a workflow that runs, failed or lacks', () => {
  expect(
    doctored(({ pool, workflows }) => {
      Object.assign(pool[0] ?? {}, { state: 'quarantined', reason: 'a stranger' });
      Object.assign(workflows[0] ?? {}, { status: 'RUNNING', failedTasks: ['a fault'] });
      workflows.splice(2, 1);
    }),
  ).toEqual([
    'PPAs of the pool are given back: ~airline/debian/pool-1: is quarantined at the end',
    "each landing's workflow ends by its own code: landing 1: land-1-ticket-1 is RUNNING",
    "each landing's workflow ends by its own code: landing 1: land-1-ticket-1 had failed workflow tasks",
    "each landing's workflow ends by its own code: landing 2: attempt 2 has no workflow",
  ]);
});

/** The sound evidence has it. */
function fail(): never {
  throw new Error('the evidence lacks it');
}
