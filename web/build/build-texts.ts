import { withoutRequests } from '../../domain/access/requester.ts';
import { buildHasFailed } from '../../domain/builds/retry-choice.ts';
import { ownHint } from '../../domain/builds/failure.ts';
import { sizeText } from '../../domain/text/quantity-text.ts';
import { listed } from '../../domain/text/listed.ts';
import { sentence } from '../../domain/text/sentence.ts';
import { counted } from '../format.ts';
import type { ArchitectureBuild, Build } from '../server/api-types.ts';
import { isCancelling } from './cancel-and-retry.ts';
import { groupOf, summaryOf, type Group } from './record-groups.ts';

const MAX_LATER = 3;

/** What a build does, or what it waits for, in a sentence; of one that was built, what is built. */
export function sentenceOf(build: Build): string {
  const { builds, phase } = build;
  if (isCancelling(build))
    return `${withoutRequests(build.cancel_requested_by ?? 'The caller')} asked to cancel it; the PPA is told to stop, and logs are collected.`;
  switch (phase) {
    case 'queued':
      return build.dispatched_at === null
        ? 'The request is kept; its workflow is about to be started.'
        : 'Its workflow is started; no worker has taken it yet.';
    case 'merging':
      return 'The branches of the merge proposal are merged, and the source package is made of them.';
    case 'checking':
      return 'The sources are fetched and checked. After that they are uploaded.';
    case 'uploading':
      return `The sources are uploaded to the PPA.${uploadText(build.upload)}`;
    case 'accepting':
      return 'The sources were sent to the PPA, and it has not shown them yet. Nothing is built before it does.';
    case 'waiting_for_builder':
    case 'building':
    case 'dependency_wait':
      return builds.every(({ state }) => state === 'waiting')
        ? 'The PPA has accepted it. No builder of the PPA has taken it yet.'
        : buildingText(builds);
    case 'prerequisite_wait':
      return `${laterText(build)} are uploaded when the PPA has published what is built.`;
    case 'collecting':
      return 'The PPA is done with it. Its logs are collected.';
    case 'completed':
    case 'failed':
    case 'cancelled':
      return builtText(builds);
  }
}

/** Of a build that was cancelled: who ended it, what it had built until then, and how it is taken up again. */
export function cancelledText({ builds, cancel_requested_by: by, failure }: Build): string {
  const built = builds.filter((one) => one.state === 'completed').length;
  const kept =
    built > 0
      ? ` ${built} of ${counted(builds.length, 'build')} had ended well; what they made stays.`
      : '';
  const who =
    by === null
      ? sentence(withoutRequests(failure?.message ?? ''))
      : `${withoutRequests(by)} cancelled it.`;
  return `${who}${kept} ${(failure && ownHint(failure)) ?? 'It can be retried.'}`;
}

/** What is stopped where a build is cancelled. */
export function toCancelText({ builds }: Build): string {
  const active = architecturesOf(
    builds.filter(({ state }) => state === 'building' || state === 'waiting'),
  );
  return active > 0
    ? `${counted(active, 'architecture is', 'architectures are')} not done yet; the PPA is told to stop.`
    : 'It stops at its next step.';
}

/** What is built again where a build is retried. */
export function toRetryText({ builds }: Build): string {
  const failed = architecturesOf(builds.filter(buildHasFailed));
  return failed > 0
    ? `${counted(failed, 'architecture that failed is', 'architectures that failed are')} built again; what was built stays.`
    : 'The build starts over.';
}

/**
 * What has failed between two looks at a build: `hello on arm64: Failed`. Of several, how many have failed by now:
 * `3 of 350 failed`. Undefined where nothing has.
 */
export function newFailureText(before: Build['builds'], now: Build['builds']): string | undefined {
  const failedBefore = new Set(before.filter(hasFailed).map(nameOf));
  const news = now.filter((one) => hasFailed(one) && !failedBefore.has(nameOf(one)));
  const [first] = news;
  if (!first) return undefined;
  return news.length === 1 ? `${nameOf(first)}: Failed` : summaryOf(now);
}

/** The packages of a request that are uploaded once others of it are published. */
export function laterText({ sequence }: Build): string {
  const later = sequence.filter(({ state }) => state === 'waiting').map((one) => one.package);
  return listed(later, MAX_LATER);
}

/** The build dependencies that the PPA lacks, as it words them; each once. */
export function missingOf(builds: Build['builds']): string[] {
  const blocked = builds.filter((one) => one.state === 'dependency_wait');
  return [...new Set(blocked.flatMap((one) => one.dependencies ?? []))];
}

function uploadText(upload: Build['upload']): string {
  return upload
    ? ` ${upload.package}: ${sizeText(upload.sent_bytes)} of ${sizeText(upload.total_bytes)}.`
    : '';
}

/** How far the builds of the PPA are, in one sentence, and in a second what some of them lack. */
function buildingText(builds: Build['builds']): string {
  const countOf = (group: Group) => builds.filter((one) => groupOf(one) === group).length;
  const parts = [
    `${countOf('built')} of ${counted(builds.length, 'build is', 'builds are')} done`,
    ...some(countOf('failed'), 'failed'),
    ...some(countOf('cancelled'), 'cancelled'),
    ...some(countOf('building'), 'under way'),
    ...some(countOf('waiting'), 'waiting for a builder'),
  ];
  const missing = missingOf(builds);
  const blocked = countOf('blocked');
  return `${parts.join(', ')}.${
    blocked > 0
      ? ` ${counted(blocked, 'waits', 'wait')} for ${missing.join(', ') || 'build dependencies'}.`
      : ''
  }`;
}

function some(number: number, what: string): string[] {
  return number > 0 ? [`${number} ${what}`] : [];
}

/** What a completed build has built: `hello 2.12-1 on amd64`, or how many of what. */
function builtText(builds: Build['builds']): string {
  const packages = new Set(builds.map((one) => one.package));
  const [only] = builds;
  if (only && builds.length === 1)
    return `${only.package} ${only.version} is built on ${only.architecture}.`;
  return `${counted(packages.size, 'package is', 'packages are')} built on ${counted(architecturesOf(builds), 'architecture')}.`;
}

function hasFailed(one: ArchitectureBuild): boolean {
  return groupOf(one) === 'failed';
}

function nameOf({ package: name, architecture }: ArchitectureBuild): string {
  return `${name} on ${architecture}`;
}

/** On how many architectures the builds of some packages are. */
function architecturesOf(builds: Build['builds']): number {
  return new Set(builds.map((one) => one.architecture)).size;
}
