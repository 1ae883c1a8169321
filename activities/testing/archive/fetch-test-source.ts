import { createWriteStream } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AirlineError } from '../../../domain/errors.ts';
import { fileNameOfUrl, parseDscName } from '../../../domain/packages/source-file.ts';
import { parseSourceControl } from '../../../domain/packages/source-package.ts';
import { openSource, tooLarge, type SourceOrigin } from '../../sources/open-source.ts';
import { readSource } from '../../sources/read-source.ts';
import { verifiedChunks } from '../../sources/verified-chunks.ts';

/**
 * Fetches a source package into a folder: its `.dsc`, and the files that this lists, with the size and the SHA-256 that
 * it lists. Other files among the URLs are left out.
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
  const { maxBytes } = origin.sources;
  const byName = new Map(urls.map((url) => [fileNameOfUrl(url), url]));
  const dsc = [...byName.keys()].find((name) => parseDscName(name) !== undefined);
  if (dsc === undefined)
    throw new AirlineError('malformed_control_file', 'The files of the tests have no .dsc');
  const { content = Buffer.alloc(0) } = await readSource(byName.get(dsc) ?? '', origin, {
    signal,
    onBytes: () => undefined,
    keepContent: true,
  });
  await keep(dsc, (path) => writeFile(path, content, { flag: 'wx' }));
  for (const file of parseSourceControl(content.toString('utf8'), dsc).files) {
    const url = byName.get(file.name);
    if (url === undefined)
      throw new AirlineError('missing_file', `${dsc} lists ${file.name}, which is missing`);
    if (file.sizeBytes > maxBytes) throw tooLarge(url, maxBytes);
    const { chunks } = await openSource(url, origin, signal);
    const verified = verifiedChunks({ ...file, url }, chunks, () => undefined);
    await keep(file.name, (path) =>
      pipeline(copies(verified), createWriteStream(path, { flags: 'wx' }), { signal }),
    );
  }
  return dsc;

  /** Tests run as another user. */
  async function keep(name: string, write: (path: string) => Promise<void>): Promise<void> {
    const path = join(directory, name);
    await write(path);
    await chmod(path, 0o644);
  }
}

/** What is written may wait longer than a chunk is good for. */
async function* copies(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
