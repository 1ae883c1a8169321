import { fileNameOfUrl } from '../../domain/packages/source-file.ts';

/** A log: its name and its addresses. */
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

/** The heading of the log that a page shows. */
export const LOG_HASH = '#log';

/** Lines of a log, by their numbers from 1; one line where both are the same. */
export type LineRange = { first: number; last: number };

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
