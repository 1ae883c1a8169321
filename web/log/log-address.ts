import { fileNameOfUrl } from '../../domain/source-file.ts';
import { buildAddress } from '../addresses.ts';
import type { Build } from '../server/api-types.ts';

/** A log of a build: what it is called, and where it is to be had. */
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

/** The log that a build's failure is of; else the first. */
export function failureLog({
  logs,
  failure,
}: Pick<Build, 'logs' | 'failure'>): LogPlace | undefined {
  const places = logs.map(logPlace);
  if (!failure) return places[0];
  const { package: name, architecture, class: failureClass } = failure;
  const own = places.filter(
    (place) =>
      (name === undefined || place.name.startsWith(`${name}_`)) &&
      (architecture === undefined || place.name.includes(`_${architecture}.`)),
  );
  const kind = failureClass === 'publish_failed' ? '.upload.log' : '.build.log';
  return own.find((place) => place.name.endsWith(kind)) ?? own[0] ?? places[0];
}

/** The page of a build at a log and, where it is given, at a line of it. */
export function logAddress(buildId: number, name: string, line?: number): string {
  const hash = line === undefined ? '#log' : `#L${line}`;
  return `${buildAddress(buildId)}?log=${encodeURIComponent(name)}${hash}`;
}

/** The page of a build at what made it fail. */
export function failureLogAddress(build: Build): string | undefined {
  const place = failureLog(build);
  return place && logAddress(build.id, place.name, build.failure?.line);
}

/** The line that the address of the page names. */
export function lineInAddress(): number | undefined {
  const line = /^#L(\d{1,9})$/.exec(location.hash)?.[1];
  return line === undefined ? undefined : Number(line);
}
