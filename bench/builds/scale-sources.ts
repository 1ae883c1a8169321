import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTicket, storeUpload } from '../../main/demo/create-ticket.ts';
import type { SigningKey } from '../../test/support/source-package.ts';
import type { BenchStack } from '../bench-stack.ts';
import { makeLargeSource } from '../large-source.ts';

const TARBALL_BYTES = 4_096;

/** A signed source package in the data store. */
export type StoredSource = { name: string; urls: string[]; ticketId: number };

/**
 * Makes small signed source packages and puts them into the data store. A PPA takes each of them once, so that few of
 * them in many PPAs are as many uploads as one likes, each with its own checks, its own build and its own watch.
 */
export async function makeSources(
  bench: BenchStack,
  options: { count: number; series: string; key: SigningKey; signal: AbortSignal },
): Promise<StoredSource[]> {
  const { count, series, key, signal } = options;
  await mkdir(bench.keysDir, { recursive: true });
  await writeFile(join(bench.keysDir, 'bench.asc'), key.publicKey);
  const sources: StoredSource[] = [];
  for (let number = 1; number <= count; number++) {
    signal.throwIfAborted();
    const name = `airline-scale-${number}`;
    const upload = await makeLargeSource({
      directory: join(bench.scratchDir, name),
      name,
      tarballBytes: TARBALL_BYTES,
      series,
      key,
    });
    const urls = await storeUpload(bench.stack.addresses.api, upload);
    const { ticket } = await createTicket(bench.rest, upload, urls);
    sources.push({ name, urls, ticketId: ticket.id });
  }
  return sources;
}

/** As many sources as PPAs: with few PPAs the publisher of the stand-in has less to do than Airline. */
export function sourceCount(builds: number): number {
  return Math.ceil(Math.sqrt(builds));
}
