import type { Failure } from './failure.ts';
import { isLogOf } from './log-name.ts';
import { fileNameOfUrl } from '../packages/source-file.ts';

/**
 * The log that tells of a failure: of its package and its architecture, the upload log where the archive did not take
 * what was built, else the build log. What is not there gives way: another log of that package and architecture, then
 * the first log of the build.
 *
 * @param logs the URLs of the build's logs
 * @returns one of `logs`; undefined if there are none
 */
export function failureLog(
  failure: Pick<Failure, 'class' | 'package' | 'architecture'> | null,
  logs: readonly string[],
): string | undefined {
  if (failure === null) return logs[0];
  const { package: name, architecture, class: failureClass } = failure;
  const kind = failureClass === 'publish_failed' ? '.upload.log' : '.build.log';
  const own = logs.filter((url) => isLogOf(fileNameOfUrl(url), { package: name, architecture }));
  return own.find((url) => fileNameOfUrl(url).endsWith(kind)) ?? own[0] ?? logs[0];
}
