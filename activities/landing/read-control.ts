import { Context } from '@temporalio/activity';
import { AirlineError } from '../../domain/errors.ts';
import type { LandingPackage } from '../../domain/landings/landing.ts';
import {
  fileNameOfUrl,
  fileStem,
  parseDscName,
  shownPackage,
} from '../../domain/packages/source-file.ts';
import { parseSourceControl, type SourceControl } from '../../domain/packages/source-package.ts';
import type { SourceOrigin } from '../sources/open-source.ts';
import { readSource } from '../sources/read-source.ts';

/**
 * Reads the `.dsc` among the files of a landing's package.
 *
 * @throws AirlineError `malformed_control_file`, also where it is of another package or version than the subticket; and
 * as readSource
 */
export async function readControl(
  origin: SourceOrigin,
  landed: LandingPackage,
): Promise<SourceControl> {
  const described = landed.files.filter((file) => parseDscName(fileNameOfUrl(file)));
  const own = `${fileStem(landed)}.dsc`;
  const url = described.find((file) => fileNameOfUrl(file) === own) ?? described[0];
  if (url === undefined)
    throw new AirlineError('malformed_control_file', `The files of ${landed.source} have no .dsc`);
  const { cancellationSignal: signal } = Context.current();
  const { content } = await readSource(url, origin, {
    signal,
    onBytes: () => Context.current().heartbeat(),
    keepContent: true,
  });
  const control = parseSourceControl(content?.toString('utf8') ?? '', fileNameOfUrl(url));
  // The subticket's version is looked for in the PPA and in the target: that of a file's name has no epoch.
  if (control.source !== landed.source || control.version !== landed.version)
    throw new AirlineError(
      'malformed_control_file',
      `${fileNameOfUrl(url)} is of ${shownPackage(control)}; its subticket stands for ${shownPackage(landed)}`,
    );
  return control;
}
