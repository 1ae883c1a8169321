import { buildAddress } from '../addresses.ts';

/** What of a build is shown, as the address of its page has it. */
export type BuildPlace = {
  /** Which attempt; the latest where it is not named. */
  attempt?: number | undefined;
  /** The name of the log's file. */
  log?: string | undefined;
  /** `<package>/<architecture>`, of what has no log. */
  cell?: string | undefined;
  /** Which of its builds. */
  show?: string | undefined;
};

/** What the query of an address names. */
export function buildPlaceOf(query: Readonly<Record<string, string>>): BuildPlace {
  const attempt = Number(query['attempt']);
  return {
    attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : undefined,
    log: query['log'],
    cell: query['cell'],
    show: query['show'],
  };
}

/** The address of a build's page at a place. @param hash with its `#`; empty for none */
export function buildPlaceAddress(buildId: number, place: BuildPlace, hash = ''): string {
  const query = Object.entries(place).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `${buildAddress(buildId)}${query.length > 0 ? `?${query.join('&')}` : ''}${hash}`;
}
