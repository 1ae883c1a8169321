// What the API answers, under the names that the pages use.

import type {
  ArchitectureBuild,
  Attempt,
  Build,
  Fullticket,
  PageMeta,
  ProgressMessage,
  Status,
  StatusChange,
  Ticket,
} from '../../api/contract.ts';
import type { Scope } from '../../domain/access.ts';

export type { ArchitectureBuild, Attempt, Build, ProgressMessage, Status, StatusChange, Ticket };
export type FullTicket = Fullticket;
export type Page<T> = { meta: PageMeta; objects: T[] };

export type Session = {
  authentication: 'off' | 'token';
  name: string | null;
  scopes: Scope[];
  expires_at: string | null;
};

export type ExpectedTime = {
  package: string;
  architecture: string;
  median_ms: number | null;
  builds: number;
};

export type PackageStatistics = {
  name: string;
  sourcepackage: string | null;
  latest_version: string | null;
  builds: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  success_rate: number | null;
  median_build_ms: number | null;
  last_build_at: string | null;
};

export type PackageBuild = {
  build: string;
  attempt: number;
  version: string;
  series: string;
  ppa: string;
  architecture: string;
  state: string;
  duration_ms: number | null;
  finished_at: string | null;
};

export type PackageWithHistory = PackageStatistics & { history: PackageBuild[] };

export type StatusHour = {
  from: string;
  accepted: number;
  completed: number;
  failed: number;
  cancelled: number;
  median_build_ms: number | null;
};
