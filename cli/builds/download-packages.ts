import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BuiltPackage } from '../../api/openapi/contract.generated.ts';
import { FILE_NAME, fileNameOfUrl } from '../../domain/packages/source-file.ts';
import { CommandError, usageError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { ApiClient } from '../server/api-client.ts';

/**
 * Fetches a built package from where the PPA publishes it into a folder. A file comes under its name only once it is
 * whole and has the checksum that the build's record says, if it says one.
 *
 * @returns the path of the file
 * @throws CommandError `not_published`, `checksum_mismatch`
 */
export async function downloadPackage(
  api: Pick<ApiClient, 'stream'>,
  { name, version, url, sha256 }: BuiltPackage,
  folder: string,
): Promise<string> {
  const file = url === null ? '' : decodeURIComponent(fileNameOfUrl(url));
  if (url === null || !FILE_NAME.test(file))
    throw new CommandError(`The PPA does not say where the file of ${name} ${version} is.`, {
      code: 'not_published',
      exit: EXIT.notFound,
      hint: 'It may not be published yet: `airline build show` says where apt finds it.',
    });
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw usageError(`${folder} cannot be made: ${error.message}`);
  });
  const path = join(folder, file);
  const part = `${path}.${process.pid}.part`;
  const digest = createHash('sha256');
  const { bytes } = await api.stream(url);
  try {
    await pipeline(
      bytes,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          digest.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(part),
    );
    const found = digest.digest('hex');
    if (sha256 !== null && found !== sha256)
      throw new CommandError(`${file} has another SHA-256 than the build's record says.`, {
        code: 'checksum_mismatch',
        exit: EXIT.failed,
        hint: 'The file was discarded. Try again; if it happens again, the PPA holds another file than the one that was built.',
        details: [`expected ${sha256}`, `found ${found}`],
      });
    await rename(part, path);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}`, {
      code: 'not_written',
      exit: EXIT.failed,
      cause: error,
    });
  } finally {
    await rm(part, { force: true });
  }
  return path;
}
