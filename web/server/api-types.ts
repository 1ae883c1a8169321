// What the API answers, under the names that the pages use.

import type { Fullticket, PageMeta } from '../../api/openapi/contract.generated.ts';

export type {
  ArchitectureBuild,
  Attempt,
  Build,
  BuildRecord,
  Buildsummary,
  ExpectedDuration,
  Failure,
  Found,
  Gate,
  HourOfBuilds,
  Landing,
  LandingEstimate,
  LandingEvent,
  PackageHistory,
  PackageStatistics,
  ProgressMessage,
  Ppapool,
  Session,
  Status,
  StatusChange,
  StatusHistory,
  Testoverride,
  Testrun,
  Ticket,
} from '../../api/openapi/contract.generated.ts';
export type FullTicket = Fullticket;
export type Page<T> = { meta: PageMeta; objects: T[] };
