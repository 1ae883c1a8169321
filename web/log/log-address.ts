import { failureLog } from '../../domain/failure-log.ts';
import { fileNameOfUrl } from '../../domain/source-file.ts';
import { buildAddress } from '../addresses.ts';
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

/** The page of a build at a log and, where it is given, at a line of it. */
export function logAddress(buildId: number, name: string, line?: number): string {
  const hash = line === undefined ? '#log' : `#L${line}`;
  return `${buildAddress(buildId)}?log=${encodeURIComponent(name)}${hash}`;
}

/** The page of a build at what made it fail. */
export function failureLogAddress(build: Build): string | undefined {
  const place = failureLogPlace(build);
  return place && logAddress(build.id, place.name, build.failure?.line);
}

/** The line that the address of the page names. */
export function lineInAddress(): number | undefined {
  const line = /^#L(\d{1,9})$/.exec(location.hash)?.[1];
  return line === undefined ? undefined : Number(line);
}
