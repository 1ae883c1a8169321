import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ChildWorkflowFailure, startChild } from '@temporalio/workflow';
import { attributePairs } from '../../domain/builds/build-labels.ts';
import { executionTimeoutMs } from '../../domain/builds/build-workflow.ts';
import {
  failureOfAll,
  landingFailureOf,
  type LandingFailure,
} from '../../domain/landings/landing-failure.ts';
import type { BuildSourceWorkflow } from '../build-source.ts';
import type { LandingAttempt } from './landing-attempt.ts';
import { LandingEnded } from './landing-ended.ts';

/**
 * Builds the packages in the landing's PPA, each by a BuildSourceWorkflow of its own: those that no other has to come
 * before side by side, and the next when these are published. What is built already stays.
 *
 * @returns their names in that order
 * @throws LandingEnded where a build fails, an architecture of the policy lacks some, or it is cancelled
 */
export async function buildPackages(attempt: LandingAttempt): Promise<string[]> {
  const { packages, buildLimits } = attempt.input;
  const order = () => attempt.activities.orderBuilds(buildLimits.sourceCheckMs, { packages });
  // Older code heard of a cancellation once the sources were read.
  const levels = await (attempt.heedsOutages ? attempt.whileWanted(order) : order());
  for (const part of attempt.parts)
    part.level = levels.findIndex((level) => level.includes(part.source));
  for (const level of levels) {
    await attempt.proceed();
    attempt.assertWanted();
    const failures = await allEnded(
      attempt,
      level.map((source) => buildPackage(attempt, source)),
    );
    attempt.assertWanted();
    const [first, ...others] = failures.filter((each) => each !== undefined);
    if (!first) continue;
    for (const part of attempt.parts) if (part.state === 'waiting') part.state = 'not_built';
    throw new LandingEnded(failureOfAll(first, others));
  }
  await assertArchitectures(attempt);
  return levels.flat();
}

/**
 * Waits for all, because a build that is left behind is in the way of a retry.
 *
 * @throws what the first one failed with
 */
async function allEnded<T>(attempt: LandingAttempt, works: readonly Promise<T>[]): Promise<T[]> {
  try {
    return await Promise.all(works);
  } catch (error) {
    // Older code went on at once.
    if (attempt.knows('all-builds-end')) await Promise.allSettled(works);
    throw error;
  }
}

/** @throws LandingEnded where something is not built on an architecture that the policy names */
async function assertArchitectures({ activities, input, parts }: LandingAttempt): Promise<void> {
  const { architectures = [] } = input.policy ?? {};
  if (architectures.length === 0) return;
  const { lacking } = await activities.checkArchitectures({ parts, architectures });
  if (!lacking) return;
  const { architecture, sources, isKnown = true } = lacking;
  const names = sources.join(', ');
  throw new LandingEnded(
    landingFailureOf(
      isKnown ? 'architecture_missing' : 'service_unavailable',
      'building',
      isKnown
        ? `not built on ${architecture}, which the policy names: ${names}`
        : `not known to be built on ${architecture}, as the PPA did not list the packages of ${names}`,
      {
        ...(sources[0] === undefined ? {} : { package: sources[0] }),
        ...(sources.length > 1 ? { packages: sources } : {}),
      },
    ),
  );
}

/** @returns why it failed; undefined where it is built */
async function buildPackage(
  attempt: LandingAttempt,
  source: string,
): Promise<LandingFailure | undefined> {
  const { buildLimits } = attempt.input;
  const limits = { ...buildLimits, awaitPublication: true };
  const build = await attempt.activities.openBuild({ ...attempt.name, source, limits });
  const { buildId } = build;
  if (build.isBuilt) {
    await attempt.setPart(source, { state: 'built', build_id: buildId });
    return undefined;
  }
  await attempt.setPart(source, { state: 'building', build_id: buildId });
  const { searchAttributes, ...labels } = build.labels;
  let why: string | undefined;
  try {
    const child = await startChild<typeof BuildSourceWorkflow>('BuildSourceWorkflow', {
      workflowId: build.workflowId,
      args: [build.input],
      workflowExecutionTimeout: executionTimeoutMs(limits),
      // However the landing ends, terminated or timed out, too: they stop in the PPA and report that themselves.
      parentClosePolicy: 'REQUEST_CANCEL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      ...labels,
      typedSearchAttributes: new TypedSearchAttributes(attributePairs(searchAttributes)),
    });
    why = await attempt.follow(child, child.result().then(failureOfResult, failureOfChild));
  } catch (error) {
    // Older code failed as a workflow.
    if (!(
      error instanceof WorkflowExecutionAlreadyStartedError && attempt.knows('build-under-way')
    ))
      throw error;
    why = 'it has not ended since an earlier attempt; retry the landing once it has';
  }
  await attempt.setPart(source, { state: why === undefined ? 'built' : 'failed' });
  return why === undefined
    ? undefined
    : landingFailureOf('build_failed', 'building', `build ${buildId} of ${source} failed: ${why}`, {
        package: source,
        build_id: buildId,
      });
}

function failureOfResult(
  result: Awaited<ReturnType<typeof BuildSourceWorkflow>>,
): string | undefined {
  return result.state === 'failed' ? result.failure.message : undefined;
}

/** A build that was terminated, or that Temporal cancelled, has no result. */
function failureOfChild(error: unknown): string {
  if (error instanceof ChildWorkflowFailure)
    return `its workflow ended without a result (${error.cause?.message ?? error.message})`;
  throw error;
}
