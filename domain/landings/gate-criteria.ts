import { unbuiltOn, type GateInput } from './gate-input.ts';
import type { Criterion } from './gate.ts';
import type { LandingFailureClass } from './landing-failure.ts';
import { LANDING_PHASES, type LandingPhase } from './landing-phase.ts';
import { freezeAt } from './landing-policy.ts';
import { shownAhead } from './landing.ts';
import { testedAgainText } from './target-moved.ts';
import { RENEWED_TEXT } from './tested-again.ts';
import { sentence } from '../text/sentence.ts';

/** The criterion that a landing stops at, by the phase that it failed in. */
const CRITERION_OF_PHASE: Partial<Record<LandingPhase, string>> = {
  queued: 'line',
  leasing: 'ppa',
  building: 'builds',
  imaging: 'tests',
  testing: 'tests',
  approving: 'approval',
  publishing: 'target',
};
const CRITERION_OF_CLASS: Partial<Record<LandingFailureClass, string>> = {
  frozen: 'freeze',
  copy_refused: 'target',
  pause_timed_out: 'pause',
  // Nothing that it has to fulfil stopped it.
  cancelled: 'landing',
  service_unavailable: 'landing',
  internal: 'landing',
};

/** All criteria of a landing, in the order in which it comes to them. */
export function criteriaOf(given: GateInput): Criterion[] {
  // One that has failed is judged as it was then.
  const input = { ...given, phase: given.failure?.phase ?? given.phase };
  const criteria = [
    lineOf(input),
    ppaOf(input),
    buildsOf(input),
    ...(input.policy?.architectures ?? []).map((one) => architectureOf(input, one)),
    testsOf(input),
    approvalOf(input),
    freezeOf(input),
    targetOf(input),
  ];
  if (input.pausedBy !== null)
    criteria.push(waiting('pause', `${input.pausedBy} has paused the landing.`));
  return withFailure(input, criteria);
}

/** Puts why a landing failed where it failed; what comes after that was not reached. */
function withFailure({ failure, landingId }: GateInput, criteria: Criterion[]): Criterion[] {
  if (!failure) return criteria;
  const name = CRITERION_OF_CLASS[failure.class] ?? CRITERION_OF_PHASE[failure.phase] ?? 'landing';
  const link =
    failure.build_id === undefined
      ? `/api/v1/landing/${landingId}/`
      : `/api/v1/build/${failure.build_id}/`;
  const failed: Criterion = {
    name,
    state: 'not_met',
    why: `${sentence(failure.message)} ${failure.hint}`,
    link,
  };
  const others = criteria
    .filter((one) => one.name !== name)
    .map((one) =>
      one.state === 'waiting' ? { ...one, why: 'It was not reached: the landing has ended.' } : one,
    );
  return [...others, failed];
}

function lineOf({ phase, ahead }: GateInput): Criterion {
  if (isPast(phase, 'queued')) return met('line', 'It holds its source packages at the target.');
  return waiting('line', waitText(ahead.length > 0 ? shownAhead(ahead) : 'its turn'));
}

function ppaOf({ phase, ppa, waitsFor }: GateInput): Criterion {
  if (ppa !== null && isPast(phase, 'leasing')) return met('ppa', `It builds in ${ppa}.`);
  return waiting(
    'ppa',
    phase === 'leasing'
      ? waitText(waitsFor ?? 'a PPA that is free')
      : 'It has no PPA to build in yet.',
  );
}

function buildsOf({ parts, builds }: GateInput): Criterion {
  const built = parts.filter(({ state }) => state === 'built' || state === 'published');
  const failed = parts.filter(({ state }) => state === 'failed');
  const link = failed[0]?.build_id ?? builds[0]?.buildId;
  const more = link === undefined ? {} : { link: `/api/v1/build/${link}/` };
  if (failed.length > 0)
    return {
      name: 'builds',
      state: 'not_met',
      why: `Failed to build: ${failed.map(({ source }) => source).join(', ')}.`,
      ...more,
    };
  const why = `${built.length} of ${parts.length} source packages are built.`;
  return { ...(built.length === parts.length ? met : waiting)('builds', why), ...more };
}

/** One that the policy names. What is built of a package, and not on it, will never be. */
function architectureOf({ parts, builds }: GateInput, architecture: string): Criterion {
  const name = `builds ${architecture}`;
  const isBuilt = parts.every(({ state }) => state === 'built' || state === 'published');
  const { sources: lacking, isKnown } = unbuiltOn(architecture, builds);
  if (!isBuilt) return waiting(name, `${architecture} is judged when all is built.`);
  if (lacking.length === 0) return met(name, `All is built on ${architecture}.`);
  const what = isKnown
    ? `Not built on ${architecture}`
    : `Not known to be built on ${architecture}`;
  return { name, state: 'not_met', why: `${what}: ${lacking.join(', ')}.` };
}

function testsOf(input: GateInput): Criterion {
  const { policy, testsVerdict, tests, overriddenBy, decision } = input;
  if (!policy || policy.tests === 'none')
    return { name: 'tests', state: 'not_needed', why: 'The policy has no tests run.' };
  const link = `/api/v1/testrun/?landing_id=${input.landingId}`;
  const all = Object.values(tests).reduce((sum, count) => sum + count, 0);
  if (testsVerdict === null || testsVerdict === 'waits')
    return {
      ...waiting('tests', untestedText(input) + (input.isRenewed ? ` ${RENEWED_TEXT}` : '')),
      link,
    };
  const none = all === 1 ? 'The one test does not stop it' : `None of the ${all} tests stops it`;
  if (testsVerdict === 'passes')
    return overriddenBy.length > 0
      ? {
          name: 'tests',
          state: 'overridden',
          why: `${none}; ${tests.overridden ?? 0} are overridden.`,
          by: overriddenBy.join(', '),
          link,
        }
      : { ...met('tests', `${none}.`), link };
  const why =
    testsVerdict === 'blocked'
      ? `${tests.regression ?? 0} of ${all} tests fail with these packages, and count against them.`
      : testsVerdict === 'cannot_tell'
        ? `${tests.cannot_tell ?? 0} of ${all} tests could not be run.`
        : 'Too little was tested to tell: a person has to decide.';
  return decision?.decision === 'approve'
    ? { name: 'tests', state: 'overridden', why, by: decision.by, link }
    : { name: 'tests', state: 'not_met', why, link };
}

/** How far tests are that are not judged yet. */
function untestedText({ phase, runs, waitsFor }: GateInput): string {
  if (!isPast(phase, 'building')) return 'They are run when all is built.';
  const wait = waitsFor === null ? undefined : waitText(waitsFor);
  if (phase === 'imaging')
    return wait ?? 'The image to test in is being made, and the tests are planned.';
  return [`${runs.over} of ${runs.all} test runs are over.`, ...(wait ? [wait] : [])].join(' ');
}

function approvalOf(input: GateInput): Criterion {
  const { policy, phase, decision, testsVerdict, targetMoved } = input;
  if (decision) {
    const { by, comment } = decision;
    return decision.decision === 'approve'
      ? { ...met('approval', `Approved by ${by}: ${comment}`), by }
      : { name: 'approval', state: 'not_met', why: `Rejected by ${by}: ${comment}`, by };
  }
  if (policy && policy.approval !== 'always') {
    const isTested = policy.tests !== 'none';
    const isJudged = testsVerdict !== null && testsVerdict !== 'waits';
    const notNeeded = (why: string): Criterion => ({ name: 'approval', state: 'not_needed', why });
    if (isTested && !isJudged)
      return notNeeded('A person is asked only where the tests do not pass.');
    if (isTested ? testsVerdict === 'passes' : policy.approval === 'never')
      return notNeeded(
        policy.approval === 'never'
          ? 'The policy asks for none.'
          : 'The tests pass: no person is asked.',
      );
  }
  const approvers = policy?.approvers ?? [];
  const who = approvers.length > 0 ? approvers.join(', ') : 'somebody with landing:approve';
  const others = policy?.fourEyes ? ' It must not be whoever requested this attempt.' : '';
  const again = targetMoved ? ` ${testedAgainText(targetMoved)}` : '';
  return phase === 'approving'
    ? waiting('approval', `It waits for ${who} to decide.${others}${again}`)
    : waiting('approval', `${capital(who)} will be asked.${others}${again}`);
}

function freezeOf({ freezes, phase, nowMs }: GateInput): Criterion {
  if (isOut(phase)) return met('freeze', 'The target was not frozen.');
  const freeze = freezeAt(freezes, nowMs);
  if (freeze) return waiting('freeze', `Frozen until ${freeze.until}: ${sentence(freeze.why)}`);
  return met('freeze', 'The target is not frozen.');
}

function targetOf({ phase, parts, target, waitsFor }: GateInput): Criterion {
  if (phase === 'complete') return met('target', `All is published in ${target}.`);
  const published = parts.filter(({ state }) => state === 'published');
  if (phase !== 'publishing')
    return waiting('target', `${target} is asked before anything is copied.`);
  const wait = waitsFor === null ? '' : ` ${waitText(waitsFor)}`;
  return {
    name: 'target',
    // It fails once the others are out, or their time is over.
    state: parts.some((part) => part.unpublishable) ? 'not_met' : 'waiting',
    why: `${published.length} of ${parts.length} source packages are published in ${target}.${wait}`,
  };
}

function met(name: string, why: string): Criterion {
  return { name, state: 'met', why };
}

function waiting(name: string, why: string): Criterion {
  return { name, state: 'waiting', why };
}

/** Whether a landing is beyond a phase. */
function isPast(phase: LandingPhase, than: LandingPhase): boolean {
  return LANDING_PHASES.indexOf(phase) > LANDING_PHASES.indexOf(than);
}

function isOut(phase: LandingPhase): boolean {
  return phase === 'publishing' || phase === 'complete';
}

function waitText(what: string): string {
  return sentence(`It waits for ${what}`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
