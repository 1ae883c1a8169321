import { readFile } from 'node:fs/promises';
import { orderByDependencies } from '../../domain/builds/build-order.ts';
import { AirlineError } from '../../domain/errors.ts';
import { parseSourceControl } from '../../domain/packages/source-package.ts';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { CheckedUpload } from './check-uploads.ts';

/**
 * Makes sure that uploads can be built in the order of their dependencies, before anything is sent.
 *
 * @throws CommandError with the code of what is wrong, such as `dependency_cycle`
 */
export async function assertOrder(uploads: readonly CheckedUpload[]): Promise<void> {
  try {
    const controls = uploads.flatMap(({ files }) =>
      files.filter(({ name }) => name.endsWith('.dsc')),
    );
    const read = ({ name, path }: (typeof controls)[number]) =>
      readFile(path, 'utf8').then((text) => parseSourceControl(text, name));
    orderByDependencies(await Promise.all(controls.map(read)));
  } catch (error) {
    if (!(error instanceof AirlineError)) throw error;
    const { code, message, definition } = error;
    throw new CommandError(`Nothing was sent: ${message}.`, {
      code,
      exit: EXIT.usage,
      hint: definition.hint,
    });
  }
}
