import { Context } from '@temporalio/activity';
import { AirlineError } from '../../domain/errors.ts';
import type { LandingPackage } from '../../domain/landings/landing.ts';
import { fileNameOfUrl, parseDscName } from '../../domain/packages/source-file.ts';
import { parseSourceControl, type SourceControl } from '../../domain/packages/source-package.ts';
import type { SourceOrigin } from '../sources/open-source.ts';
import { readSource } from '../sources/read-source.ts';

/**
 * Reads the `.dsc` among the files of a landing's package.
 *
 * @throws AirlineError `malformed_control_file`, and as readSource
 */
export async function readControl(
  origin: SourceOrigin,
  { source, files }: LandingPackage,
): Promise<SourceControl> {
  const url = files.find((file) => parseDscName(fileNameOfUrl(file)));
  if (url === undefined)
    throw new AirlineError('malformed_control_file', `The files of ${source} have no .dsc`);
  const { cancellationSignal: signal } = Context.current();
  const { content } = await readSource(url, origin, {
    signal,
    onBytes: () => Context.current().heartbeat(),
    keepContent: true,
  });
  return parseSourceControl(content?.toString('utf8') ?? '', fileNameOfUrl(url));
}
