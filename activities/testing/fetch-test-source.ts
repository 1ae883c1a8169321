import { createWriteStream } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AirlineError } from '../../domain/errors.ts';
import { FILE_NAME, fileNameOfUrl, parseDscName } from '../../domain/source-file.ts';
import { openSource, type SourceOrigin } from '../sources/open-source.ts';

const DSC_MAX_BYTES = 1_048_576;

/**
 * Fetches the files of a source package into a folder, and checks those that its `.dsc` names against it.
 *
 * @returns the name of the `.dsc`
 * @throws AirlineError where a file cannot be had or is not what the `.dsc` says
 */
export async function fetchTestSource(
  origin: SourceOrigin,
  urls: readonly string[],
  directory: string,
  signal: AbortSignal,
): Promise<string> {
  const names = urls.map(fileNameOfUrl);
  const bad = names.find((name) => !FILE_NAME.test(name));
  const dsc = names.find((name) => parseDscName(name) !== undefined);
  if (bad !== undefined || dsc === undefined)
    throw new AirlineError('malformed_control_file', 'The files of the tests have no .dsc.');
  const sums = new Map<string, string>();
  for (const [index, url] of urls.entries()) {
    const name = names[index] ?? '';
    const path = join(directory, name);
    const sha256 = createHash('sha256');
    const { chunks } = await openSource(url, origin, signal);
    await pipeline(
      async function* () {
        let bytes = 0;
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > origin.sources.maxBytes)
            throw new AirlineError('source_too_large', `${name} is too large.`);
          sha256.update(chunk);
          yield Buffer.from(chunk);
        }
      },
      createWriteStream(path, { flags: 'wx' }),
      { signal },
    );
    await chmod(path, 0o644);
    sums.set(name, sha256.digest('hex'));
  }
  const text = (await readFile(join(directory, dsc))).subarray(0, DSC_MAX_BYTES).toString('utf8');
  const section = /^Checksums-Sha256:[^\n]*\n(?<lines>(?: [^\n]*\n?)*)/m.exec(text)?.groups;
  for (const [, sum = '', name = ''] of (section?.['lines'] ?? '').matchAll(
    /^ ([0-9a-f]{64}) \d+ (\S+)$/gm,
  ))
    if (sums.get(name) !== sum)
      throw new AirlineError('checksum_mismatch', `${name} is not what ${dsc} says, or missing.`);
  return dsc;
}
