// What the API answers, under the names that the pages use.

import type { Fullticket, PageMeta } from '../../api/openapi/contract.generated.ts';

export type {
  About,
  ArchitectureBuild,
  Attempt,
  Branch,
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
  LogTail,
  Mergeproposal,
  PackageHistory,
  PackageStatistics,
  Person,
  ProgressMessage,
  Project,
  Ppapool,
  Session,
  Status,
  StatusChange,
  TicketEvent,
  Trouble,
  StatusHistory,
  Testoverride,
  Testrun,
  Ticket,
  Token,
  IssuedToken,
  Worker,
  Workers,
} from '../../api/openapi/contract.generated.ts';
export type FullTicket = Fullticket;
export type Page<T> = { meta: PageMeta; objects: T[] };
