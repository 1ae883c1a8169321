import { Readable } from 'node:stream';
import { AirlineError } from '../../../domain/errors.ts';
import type { LandingPackage } from '../../../domain/landings/landing.ts';
import type { Ppa } from '../../../domain/packages/ppa.ts';
import { fileNameOfUrl } from '../../../domain/packages/source-file.ts';
import type { ListedFile, SourceControl } from '../../../domain/packages/source-package.ts';
import { NotPublicError, openPpaFile } from '../../sources/open-ppa-file.ts';
import { verifiedChunks } from '../../sources/verified-chunks.ts';
import type { TestingDependencies } from '../dependencies.ts';
import type { TestSource } from './test-sources.ts';

type Dependencies = Pick<TestingDependencies, 'logs' | 'ppaClient' | 'store'>;

/**
 * The files of a source that a landing changes: those of its upload, and from the PPA what the upload leaves out, such
 * as an `.orig` tarball that the archive has.
 *
 * @throws what the client of the PPA throws, and Error where a file cannot be fetched now
 */
export async function changedFiles(
  deps: Dependencies,
  { landingId, ppa }: { landingId: number; ppa: Ppa },
  { source, version, files }: LandingPackage,
  control: SourceControl,
  signal: AbortSignal,
): Promise<TestSource> {
  const { ppaClient, store } = deps;
  const given = new Map(files.map((url) => [fileNameOfUrl(url), url]));
  const dsc = files.filter((url) => fileNameOfUrl(url).endsWith('.dsc'));
  const missing = control.files.filter(({ name }) => !given.has(name));
  if (missing.length > 0) {
    const [publication] = await ppaClient.getPublishedSources(ppa, { source, version });
    const published = publication ? await ppaClient.sourceFileUrls(publication.self_link) : [];
    const urls = new Map(published.map(({ url }) => [fileNameOfUrl(url), url]));
    for (const file of missing) {
      const url = urls.get(file.name);
      const key = `landings/${landingId}/sources/${source}/${version}/${file.name}`;
      const own = [publication?.self_link ?? '', url ?? ''];
      if (url === undefined || !(await keep(deps, { file, url, own, key }, signal)))
        return { fault: `Neither the upload of ${source} nor the PPA has ${file.name}.` };
      given.set(file.name, store.urlOf(key));
    }
  }
  return { files: [...control.files.map(({ name }) => given.get(name) ?? ''), ...dsc] };
}

/** @returns whether the PPA has the file, and it is the one that the `.dsc` lists */
async function keep(
  { logs: { hosts, idleTimeoutMs }, store }: Dependencies,
  { file, url, own, key }: { file: ListedFile; url: string; own: string[]; key: string },
  signal: AbortSignal,
): Promise<boolean> {
  const expected = { ...file, url };
  try {
    const response = await openPpaFile(url, own, hosts, { signal, idleTimeoutMs });
    if (!response) return false;
    await store.put(key, Readable.from(verifiedChunks(expected, response, () => undefined)));
    return true;
  } catch (error) {
    if (error instanceof AirlineError || error instanceof NotPublicError) return false;
    throw error;
  }
}
