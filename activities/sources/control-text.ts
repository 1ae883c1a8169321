import { isUtf8 } from 'node:buffer';
import { AirlineError } from '../../domain/errors.ts';
import { NOT_UTF8 } from '../../domain/packages/control-file.ts';

/**
 * The text of a control file.
 *
 * @throws AirlineError `malformed_control_file` where it is not UTF-8
 */
export function controlText(content: Buffer, name: string): string {
  if (!isUtf8(content)) throw new AirlineError('malformed_control_file', `${name}: ${NOT_UTF8}`);
  return content.toString('utf8');
}
