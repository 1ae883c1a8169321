import { isUtf8 } from 'node:buffer';
import { AirlineError } from '../../domain/errors.ts';

/**
 * The text of a control file.
 *
 * @throws AirlineError `malformed_control_file` where it is not UTF-8, which control files are (Debian Policy 5.1)
 */
export function controlText(content: Buffer, name: string): string {
  if (!isUtf8(content))
    throw new AirlineError('malformed_control_file', `${name}: it is not UTF-8`);
  return content.toString('utf8');
}
