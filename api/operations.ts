import type { Streams } from './answer-stream.ts';
import type { ApiDependencies } from './app.ts';
import { attemptOperations } from './attempt-routes.ts';
import type { Authentication } from './authentication.ts';
import { importOperation } from './binary-package-import.ts';
import { buildOperations } from './build-routes.ts';
import { changesOperation } from './change-routes.ts';
import { expectedDurationsOperation } from './expected-durations.ts';
import { historyOperations } from './history-routes.ts';
import type { Operation } from './operation.ts';
import { packageStatisticsOperations } from './package-statistics.ts';
import { resourceOperations } from './resource-routes.ts';
import type { Resource } from './resource.ts';
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
import { rootOperation } from './root-listing.ts';
import { sessionOperations } from './session-routes.ts';
import { statusOperations } from './status-routes.ts';
import { storeOperations } from './store-routes.ts';
import { bundleOperation } from './ticket-bundle.ts';
import { TICKET_VIEWS, ticketViewOperations } from './ticket-views.ts';
import { throughputOperation } from './throughput.ts';
import { tokenOperations } from './token-routes.ts';
import { workflowHistoryOperation } from './workflow-history-routes.ts';

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
  const { most, ...intervals } = limits.streams;
  const streams = { open: openStreams, most, stopping: dependencies.stopping };
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
      mostAttempts: limits.buildAttempts,
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
