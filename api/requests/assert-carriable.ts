import { carriedBytes, MAX_CARRIED_BYTES } from '../../domain/builds/build-size.ts';
import { AirlineError } from '../../domain/errors.ts';
import { namedSources } from '../../domain/packages/source-file.ts';

/**
 * Asserts that a workflow can carry these source files to the end of their build or landing.
 *
 * @throws AirlineError `build_too_large`
 */
export function assertCarriable(urls: readonly string[]): void {
  const bytes = carriedBytes(urls);
  if (bytes <= MAX_CARRIED_BYTES) return;
  const characters = urls.reduce((sum, { length }) => sum + length, 0);
  throw new AirlineError(
    'build_too_large',
    `The build would carry ${bytes} bytes; the limit is ${MAX_CARRIED_BYTES}: ${namedSources(urls).length} source packages with ${urls.length} files, whose URLs have ${characters} characters.`,
  );
}
