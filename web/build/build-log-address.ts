import { failureLog } from '../../domain/builds/failure-log.ts';
import {
  LOG_HASH,
  linesHash,
  logPlace,
  type LineRange,
  type LogPlace,
} from '../log/log-address.ts';
import type { Build } from '../server/api-types.ts';
import { buildPlaceAddress } from './build-place.ts';

/** The log that tells why a build failed; the first one where it has not failed. */
export function failureLogPlace({
  logs,
  failure,
}: Pick<Build, 'logs' | 'failure'>): LogPlace | undefined {
  const url = failureLog(failure, logs);
  return url === undefined ? undefined : logPlace(url);
}

/** The page of a build at a log of an attempt and, where they are given, at lines of it. */
export function logAddress(
  { id, attempt }: Pick<Build, 'id' | 'attempt'>,
  name: string,
  lines?: LineRange,
): string {
  return buildPlaceAddress(id, { attempt, log: name }, lines ? linesHash(lines) : LOG_HASH);
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
