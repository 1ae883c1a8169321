import type { Streams } from './http/answer-stream.ts';
import type { ApiDependencies } from './dependencies.ts';
import { attemptOperations } from './builds/attempt-routes.ts';
import type { Authentication } from './http/authentication.ts';
import { importOperation } from './tickets/binary-package-import.ts';
import { buildOperations } from './builds/build-routes.ts';
import { changesOperation } from './builds/change-routes.ts';
import { expectedDurationsOperation } from './builds/expected-durations.ts';
import { historyOperations } from './tickets/history-routes.ts';
import type { Operation } from './http/operation.ts';
import { packageStatisticsOperations } from './builds/package-statistics.ts';
import { resourceOperations } from './rest/resource-routes.ts';
import type { Resource } from './rest/resource.ts';
import { binaryPackage } from './resources/binary-package.ts';
import { branch } from './resources/branch.ts';
import { buildResource } from './resources/build.ts';
import { mergeProposal } from './resources/merge-proposal.ts';
import { person } from './resources/person.ts';
import { project } from './resources/project.ts';
import { sourcePackageUpload } from './resources/source-package-upload.ts';
import { sourcePackage } from './resources/source-package.ts';
import { subticketArtifact } from './resources/subticket-artifact.ts';
import { subticket } from './resources/subticket.ts';
import { testSuite } from './resources/test-suite.ts';
import { ticketArtifact } from './resources/ticket-artifact.ts';
import { ticket } from './resources/ticket.ts';
import { rootOperation } from './rest/root-listing.ts';
import { sessionOperations } from './service/session-routes.ts';
import { statusOperations } from './service/status-routes.ts';
import { storeOperations } from './service/store-routes.ts';
import { bundleOperation } from './tickets/ticket-bundle.ts';
import { TICKET_VIEWS, ticketViewOperations } from './tickets/ticket-views.ts';
import { throughputOperation } from './builds/throughput.ts';
import { tokenOperations } from './service/token-routes.ts';
import { workflowHistoryOperation } from './builds/workflow-history-routes.ts';

const RESOURCES: readonly Resource[] = [
  ticket,
  subticket,
  sourcePackage,
  sourcePackageUpload,
  ticketArtifact,
  subticketArtifact,
  person,
  project,
  branch,
  mergeProposal,
  testSuite,
  binaryPackage,
];

/** Every operation of the API but those that tell about the others. */
export function listOperations(
  dependencies: ApiDependencies,
  openStreams: Streams['open'],
  authentication: Authentication,
): Operation[] {
  const { database, limits, feed } = dependencies;
  const { max, ...intervals } = limits.streams;
  const streams = { open: openStreams, max, stopping: dependencies.stopping };
  const build = buildResource(dependencies.workflowUrl);
  return [
    rootOperation([...RESOURCES, ...TICKET_VIEWS, build]),
    ...RESOURCES.flatMap((resource) => resourceOperations(database, resource)),
    ...ticketViewOperations(database, build),
    bundleOperation(database, build),
    importOperation(database, limits.importMaxBytes),
    ...historyOperations(database),
    ...buildOperations({
      database,
      build,
      sourceUrls: dependencies.sourceUrls,
      feed,
      intervals,
      streams,
      onChange: dependencies.onBuildChange,
    }),
    ...attemptOperations({
      database,
      build,
      workflowUrl: dependencies.workflowUrl,
      maxAttempts: limits.buildAttempts,
      onChange: dependencies.onBuildChange,
    }),
    changesOperation({
      feed,
      streams,
      intervals: { changesMs: limits.changesMs, heartbeatMs: limits.streams.heartbeatMs },
    }),
    workflowHistoryOperation({ database, build, readHistory: dependencies.readHistory }),
    ...packageStatisticsOperations(database),
    expectedDurationsOperation(database, build),
    throughputOperation(database),
    ...tokenOperations({ database, lifetimes: limits.tokenLifetimes }),
    ...sessionOperations({
      mode: dependencies.authentication,
      database,
      authentication,
      rules: dependencies.sessions,
    }),
    ...statusOperations({
      database,
      probes: dependencies.probes,
      probeTimeoutMs: limits.probeTimeoutMs,
      describeQueues: dependencies.describeQueues,
    }),
    ...storeOperations({ store: dependencies.store, maxBytes: limits.storeMaxBytes }),
  ];
}
