import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTicket, storeUpload } from '../main/demo/create-ticket.ts';
import type { SignedUpload } from '../main/demo/sign-upload.ts';
import { type SigningKey } from '../test/support/signing-key.ts';
import { makeSource, uploadOf } from '../test/support/source-package.ts';
import type { BenchStack } from './bench-stack.ts';

/** A signed source package in the data store, with its ticket. */
export type StoredSource = {
  upload: SignedUpload;
  urls: string[];
  ticketId: number;
  sizeBytes: number;
};

/**
 * Makes a signed source package and puts it into the data store. Its upstream tarball has random bytes, which nothing
 * can compress on its way; it is never unpacked, because a script builds it.
 */
export async function storeSource(
  bench: BenchStack,
  options: { name: string; upstreamBytes: number; series: string; key: SigningKey },
): Promise<StoredSource> {
  const { name, upstreamBytes, series: distribution, key } = options;
  await mkdir(bench.keysDir, { recursive: true });
  await writeFile(join(bench.keysDir, 'bench.asc'), key.publicKey);
  const made = await makeSource({
    directory: join(bench.scratchDir, name),
    name,
    version: '1.0-1',
    format: 'quilt',
    distribution,
    upstreamBytes,
    key,
  });
  const upload = uploadOf(made);
  const urls = await storeUpload(bench.stack.addresses.api, upload);
  const { ticket } = await createTicket(bench.rest, `Build ${name}`, [{ upload, urls }]);
  const stats = await Promise.all(made.files.map((file) => stat(file)));
  const sizeBytes = stats.reduce((sum, { size }) => sum + size, 0);
  return { upload, urls, ticketId: ticket.id, sizeBytes };
}
