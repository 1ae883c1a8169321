import { aboutOperation } from './service/about-route.ts';
import { attemptOperations } from './builds/attempt-routes.ts';
import { messageOperations } from './service/message-routes.ts';
import { logTailOperation } from './builds/log-tail-route.ts';
import { importOperation } from './tickets/binary-package-import.ts';
import { buildProposalOperation } from './builds/build-proposal.ts';
import { buildOperations } from './builds/build-routes.ts';
import { changesOperation } from './service/change-routes.ts';
import { expectedDurationsOperation } from './builds/expected-durations.ts';
import { historyOperations } from './tickets/history-routes.ts';
import { documentationOperations } from './openapi/documentation-routes.ts';
import { metricsOperation } from './service/metrics-routes.ts';
import { webOperations } from './service/web-routes.ts';
import { gateOperations } from './landings/gate-routes.ts';
import { landingOperations } from './landings/landing-routes.ts';
import { policyOperation } from './landings/policy-routes.ts';
import { poolOperations } from './landings/pool-routes.ts';
import { overrideOperations } from './landings/override-routes.ts';
import type { Operation } from './http/operation.ts';
import { packageStatisticsOperations } from './builds/package-statistics.ts';
import { resourceOperations } from './rest/resource-routes.ts';
import type { Resource } from './rest/resource.ts';
import { binaryPackage } from './resources/binary-package.ts';
import { branch } from './resources/branch.ts';
import { buildSummary } from './resources/build-summary.ts';
import { build } from './resources/build.ts';
import { image } from './resources/image.ts';
import { landing } from './resources/landing.ts';
import { mergeProposal } from './resources/merge-proposal.ts';
import { person } from './resources/person.ts';
import { poolPpa } from './resources/pool-ppa.ts';
import { project } from './resources/project.ts';
import { sourcePackageUpload } from './resources/source-package-upload.ts';
import { sourcePackage } from './resources/source-package.ts';
import { subticketArtifact } from './resources/subticket-artifact.ts';
import { subticket } from './resources/subticket.ts';
import { testOverride } from './resources/test-override.ts';
import { testRun } from './resources/test-run.ts';
import { testSuite } from './resources/test-suite.ts';
import { ticketArtifact } from './resources/ticket-artifact.ts';
import {
  ticketOwner,
  ticketPpa,
  ticketReference,
  ticketTestSuite,
} from './resources/ticket-links.ts';
import { ticket } from './resources/ticket.ts';
import { rootOperation } from './rest/root-listing.ts';
import { searchOperation } from './service/search-route.ts';
import { sessionOperations } from './service/session-routes.ts';
import { statusOperations } from './service/status-routes.ts';
import { storeOperations } from './service/store-routes.ts';
import { bundleOperation } from './tickets/ticket-bundle.ts';
import { TICKET_VIEWS, ticketViewOperations } from './tickets/ticket-views.ts';
import { throughputOperation } from './builds/throughput.ts';
import { ticketEventsOperation } from './tickets/ticket-events-route.ts';
import { workersOperation } from './service/worker-routes.ts';
import { tokenOperations } from './service/token-routes.ts';
import { webhookDeliveryOperations } from './webhooks/webhook-delivery-routes.ts';
import { webhookOperations } from './webhooks/webhook-routes.ts';
import { checkUploadOperation } from './builds/check-upload.ts';
import { workflowHistoryOperation } from './builds/workflow-history-routes.ts';

/** The resources with the operations that Tastypie has. */
export const RESOURCES: readonly Resource[] = [
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
  image,
  testRun,
  testSuite,
  binaryPackage,
  ticketReference,
  ticketOwner,
  ticketPpa,
  ticketTestSuite,
];

/** Every operation of the API. */
export const OPERATIONS: readonly Operation[] = [
  rootOperation([
    ...RESOURCES,
    ...TICKET_VIEWS,
    build,
    buildSummary,
    landing,
    poolPpa,
    testOverride,
  ]),
  ...RESOURCES.flatMap(resourceOperations),
  ...ticketViewOperations,
  bundleOperation,
  importOperation,
  ...historyOperations,
  ...buildOperations,
  ...resourceOperations(buildSummary),
  searchOperation,
  aboutOperation,
  checkUploadOperation,
  buildProposalOperation,
  ...attemptOperations,
  ...messageOperations,
  ...landingOperations,
  policyOperation,
  ...gateOperations,
  ...poolOperations,
  ...overrideOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  changesOperation,
  workflowHistoryOperation,
  ...packageStatisticsOperations,
  expectedDurationsOperation,
  logTailOperation,
  throughputOperation,
  workersOperation,
  ticketEventsOperation,
  ...tokenOperations,
  ...sessionOperations,
  ...statusOperations,
  ...storeOperations,
  metricsOperation,
  ...webOperations,
  ...documentationOperations,
];
