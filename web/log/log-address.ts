import { failureLog } from '../../domain/failure-log.ts';
import { fileNameOfUrl } from '../../domain/source-file.ts';
import { buildPlaceAddress } from '../build/build-place.ts';
import type { Build } from '../server/api-types.ts';

/** A log of a build: its name and its addresses. */
export type LogPlace = {
  /** The name of its file. */
  name: string;
  /** Where this page may read it; undefined where a browser may not, because it is kept elsewhere. */
  path: string | undefined;
  /** Where it is kept. */
  url: string;
};

/** A log by its URL. The API that served the page serves its data store, under whatever name it is reached. */
export function logPlace(url: string): LogPlace {
  const parsed = URL.canParse(url, location.href) ? new URL(url, location.href) : undefined;
  const isOurs = parsed?.pathname.startsWith('/store/') ?? false;
  return { name: fileNameOfUrl(url), path: isOurs ? parsed?.pathname : undefined, url };
}

/** The log that tells why a build failed; the first one where it has not failed. */
export function failureLogPlace({
  logs,
  failure,
}: Pick<Build, 'logs' | 'failure'>): LogPlace | undefined {
  const url = failureLog(failure, logs);
  return url === undefined ? undefined : logPlace(url);
}

/** Lines of a log, by their numbers from 1; one line where both are the same. */
export type LineRange = { first: number; last: number };

/** The page of a build at a log of an attempt and, where they are given, at lines of it. */
export function logAddress(
  { id, attempt }: Pick<Build, 'id' | 'attempt'>,
  name: string,
  lines?: LineRange,
): string {
  return buildPlaceAddress(id, { attempt, log: name }, lines ? linesHash(lines) : '#log');
}

/** The page of a build at what made it fail. */
export function failureLogAddress(build: Build): string | undefined {
  const place = failureLogPlace(build);
  const line = build.failure?.line;
  return (
    place &&
    logAddress(build, place.name, line === undefined ? undefined : { first: line, last: line })
  );
}

/** `#L12`, or `#L12-L20`. */
export function linesHash({ first, last }: LineRange): string {
  return first === last ? `#L${first}` : `#L${first}-L${last}`;
}

/** The lines that the address of the page names. */
export function linesInAddress(): LineRange | undefined {
  const named = /^#L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(location.hash);
  if (!named) return undefined;
  const one = Number(named[1]);
  const other = Number(named[2] ?? named[1]);
  return { first: Math.min(one, other), last: Math.max(one, other) };
}
