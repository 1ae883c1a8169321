import { isLogOf } from '../../domain/builds/log-name.ts';
import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import type {
  ArchitectureBuild,
  Build,
  ExpectedDuration,
  ProgressMessage,
} from '../server/api-types.ts';
import { logPlace, type LogPlace } from '../log/log-address.ts';
import { failureLogPlace } from './build-log-address.ts';
import { buildPlaceAddress, type BuildPlace } from './build-place.ts';
import { isCancelling } from './cancel-and-retry.ts';
import { stretchesOf, timesOf, type Stretches } from './build-times.ts';

/** The builds of an attempt, each of a package on an architecture, as the page shows them. */
export type Cells = {
  builds: readonly ArchitectureBuild[];
  isCancelling: boolean;
  /** @param nowMs milliseconds since 1970 */
  stretchesOf: (one: ArchitectureBuild, nowMs: number) => Stretches;
  expectedOf: (one: ArchitectureBuild) => ExpectedDuration | undefined;
  /** The page at its log, or at the place that its log will have. */
  addressOf: (one: ArchitectureBuild) => string;
  isOpen: (one: ArchitectureBuild) => boolean;
};

/** What of an attempt is open: one of its builds, and a log. */
export type Opened = { one: ArchitectureBuild | undefined; log: LogPlace | undefined };

/** What the address names; else what it failed in; else its only build, or the first log. */
export function openedOf(build: Build, place: BuildPlace): Opened {
  const logs = build.logs.map(logPlace);
  const named = logs.find(({ name }) => name === place.log);
  if (named) return { one: ofLog(build, named), log: named };
  const cell = build.builds.find((one) => cellName(one) === place.cell);
  if (cell) return { one: cell, log: logsOf(build, cell)[0] };
  const log = failureLogPlace(build);
  if (log) return { one: ofLog(build, log), log };
  return { one: build.builds.length === 1 ? build.builds[0] : undefined, log: undefined };
}

/** The logs of one of the builds of an attempt: of its build, then of the upload of what it made. */
export function logsOf(build: Pick<Build, 'logs'>, one: ArchitectureBuild): LogPlace[] {
  return build.logs.map(logPlace).filter(({ name }) => isLogOf(name, one));
}

/**
 * The builds of an attempt for the page.
 *
 * @param known.place what of it the address names now
 * @param known.events of the attempt, in order: when each of its builds began and ended
 * @param known.expected how long the builds usually take, where that is known
 */
export function cellsOf(
  build: Build,
  {
    place,
    opened,
    events,
    expected,
  }: {
    place: BuildPlace;
    opened: Opened;
    events: readonly ProgressMessage[];
    expected: readonly ExpectedDuration[];
  },
): Cells {
  const byCell = new Map(expected.map((one) => [cellName(one), one] as const));
  const times = new Map(
    build.builds.map((one) => [one, timesOf(one, events, build.finished_at)] as const),
  );
  // Once for all cells: hundreds of them, each with its own look at hundreds of logs, would hold up the page.
  const logNames = build.logs.map(fileNameOfUrl);
  return {
    builds: build.builds,
    isCancelling: isCancelling(build),
    stretchesOf: (one, nowMs) => {
      const known = times.get(one) ?? timesOf(one, events, build.finished_at);
      return stretchesOf(one, known, build, nowMs);
    },
    expectedOf: (one) => byCell.get(cellName(one)),
    addressOf: (one) => {
      const log = logNames.find((name) => isLogOf(name, one));
      const at = log === undefined ? { cell: cellName(one) } : { log };
      return buildPlaceAddress(build.id, { attempt: place.attempt, ...at, show: place.show });
    },
    isOpen: (one) => one === opened.one,
  };
}

function ofLog(build: Build, { name }: LogPlace): ArchitectureBuild | undefined {
  return build.builds.find((one) => isLogOf(name, one));
}

function cellName({
  package: name,
  architecture,
}: Pick<ArchitectureBuild, 'package' | 'architecture'>): string {
  return `${name}/${architecture}`;
}
