import { Readable } from 'node:stream';
import { AirlineError } from '../../../domain/errors.ts';
import type { LandingPackage } from '../../../domain/landings/landing.ts';
import type { Ppa } from '../../../domain/packages/ppa.ts';
import {
  fileNameOfUrl,
  fileStem,
  type PackageVersion,
  type SourceFile,
} from '../../../domain/packages/source-file.ts';
import type { SourceControl } from '../../../domain/packages/source-package.ts';
import type { PpaClient } from '../../../ppa/client.ts';
import { readControl } from '../../landing/read-control.ts';
import { NotPublicError, openPpaFile } from '../../sources/open-ppa-file.ts';
import { verifiedChunks } from '../../sources/verified-chunks.ts';
import type { TestingDependencies } from '../dependencies.ts';
import type { TestSource } from './test-sources.ts';

type Dependencies = Pick<TestingDependencies, 'logs' | 'ppaClient' | 'sources' | 'store'>;

/** The landing, and the PPA that it has built in. */
type Place = { landingId: number; ppa: Ppa };

/** A file that a PPA has published. */
type PublishedFile = SourceFile & {
  /** Addresses on the PPA's own hosts. */
  own: string[];
};

/** What a `.dsc` says, and where its files are. */
type ReadSource = {
  control: SourceControl;
  /** Which the data store has: URLs by name, that of the `.dsc` among them. */
  stored: ReadonlyMap<string, string>;
  /** What the PPA has, by name; undefined where it was not asked yet. */
  published: ReadonlyMap<string, PublishedFile> | undefined;
};

/** A source that a landing changes, or why it cannot be had. */
export type ChangedSource = ReadSource | { fault: string };

/**
 * Reads the `.dsc` of a source that a landing changes. What was uploaded from elsewhere than the data store may be
 * other content by now, so it is not asked for again: its `.dsc` is the one that the PPA has published, and is put into
 * the data store.
 *
 * @returns `fault` where neither has it
 * @throws as readControl; what the client of the PPA throws, and Error where a file cannot be fetched now
 */
export async function readChangedSource(
  deps: Dependencies,
  place: Place,
  landed: LandingPackage,
  signal: AbortSignal,
): Promise<ChangedSource> {
  const { ppaClient, store } = deps;
  const lasting = landed.files.filter((url) => store.keyOf(url) !== undefined);
  const stored = new Map(lasting.map((url) => [fileNameOfUrl(url), url]));
  const dsc = `${fileStem(landed)}.dsc`;
  let published: ReadSource['published'];
  if (!stored.has(dsc)) {
    published = await publishedFiles(ppaClient, place.ppa, landed);
    const url = await keep(deps, place, published.get(dsc), signal);
    if (url === undefined) return { fault: hasNone(dsc) };
    stored.set(dsc, url);
  }
  const control = await readControl(deps, { ...landed, files: [...stored.values()] });
  return { control, stored, published };
}

/**
 * The files of a source that a landing changes: those of its upload that the data store has, and from the PPA all
 * others, such as an `.orig` tarball that the upload leaves out.
 *
 * @throws what the client of the PPA throws, and Error where a file cannot be fetched now
 */
export async function changedFiles(
  deps: Dependencies,
  place: Place,
  { control, stored, published: known }: ReadSource,
  signal: AbortSignal,
): Promise<TestSource> {
  const urls = new Map(stored);
  const missing = control.files.filter(({ name }) => !urls.has(name));
  if (missing.length > 0) {
    const published = known ?? (await publishedFiles(deps.ppaClient, place.ppa, control));
    for (const listed of missing) {
      const found = published.get(listed.name);
      const file = found && { ...found, ...listed };
      const url = await keep(deps, place, file, signal);
      if (url === undefined) return { fault: hasNone(listed.name) };
      urls.set(listed.name, url);
    }
  }
  const names = [...control.files.map(({ name }) => name), `${fileStem(control)}.dsc`];
  return { files: names.map((name) => urls.get(name) ?? '') };
}

/** The files that a PPA has published of a source, by their names; none where it has not published it. */
async function publishedFiles(
  ppaClient: PpaClient,
  ppa: Ppa,
  { source, version }: PackageVersion,
): Promise<ReadonlyMap<string, PublishedFile>> {
  const [publication] = await ppaClient.getPublishedSources(ppa, { source, version });
  if (!publication) return new Map();
  const { self_link: link } = publication;
  const files = await ppaClient.sourceFileUrls(link);
  return new Map(
    files.map(({ url, size: sizeBytes, sha256 }) => {
      const name = fileNameOfUrl(url);
      return [name, { name, url, sizeBytes, sha256, own: [link, url] }];
    }),
  );
}

/**
 * Puts a file of the PPA into the data store, once for a landing.
 *
 * @returns its URL there; undefined where the PPA does not have it, or not with this size and checksum
 */
async function keep(
  { logs: { hosts, idleTimeoutMs }, store }: Dependencies,
  { landingId }: Place,
  file: PublishedFile | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!file) return undefined;
  const key = `landings/${landingId}/sources/${file.sha256}/${file.name}`;
  // What is under its own checksum was verified as it came, such as for another architecture.
  if (await store.read(key)) return store.urlOf(key);
  try {
    const response = await openPpaFile(file.url, file.own, hosts, { signal, idleTimeoutMs });
    if (!response) return undefined;
    await store.put(key, Readable.from(verifiedChunks(file, response, () => undefined)));
    return store.urlOf(key);
  } catch (error) {
    if (error instanceof AirlineError || error instanceof NotPublicError) return undefined;
    throw error;
  }
}

function hasNone(name: string): string {
  return `Neither the data store nor the PPA has ${name} as it was built.`;
}
