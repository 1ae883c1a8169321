import { Readable } from 'node:stream';
import { buildRecordState, type BuildRecord } from '../../domain/builds/build-state.ts';
import {
  aptSource,
  MAX_BUILT_PACKAGES,
  type BuiltPackage,
  type ListedPackages,
} from '../../domain/builds/built-package.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import type { PackageVersion } from '../../domain/packages/source-file.ts';
import type { PpaClient } from '../../ppa/client.ts';
import { unlessMissingInArchive } from '../../ppa/web-service.ts';
import { architectureOf, withoutReplaced, type BinaryPublication } from '../../ppa/wire.ts';
import type { DataStore } from '../../store/store.ts';
import { sideBySide } from '../../timing/side-by-side.ts';

/** Files of packages that are asked for at once. */
const AT_ONCE = 8;

/** The source packages of a build, and where they were built. */
export type BuiltSources = { ppa: Ppa; series: string; packages: readonly PackageVersion[] };

/** What builds have made of each source that was built somewhere. */
export type FoundPackages = {
  series: string;
  apt: ListedPackages['apt'];
  sources: FoundSource[];
};
type FoundSource = PackageVersion & { packages: BuiltPackage[] };

/**
 * Asks the PPA for the packages that builds have made, as far as it shows them by now.
 *
 * @param records all builds of the sources
 * @returns undefined where no build has succeeded
 * @throws what the client of the PPA throws
 */
export async function findBuiltPackages(
  { ppaClient, aptUrl }: { ppaClient: PpaClient; aptUrl: string },
  { ppa, series, packages }: BuiltSources,
  records: readonly BuildRecord[],
): Promise<FoundPackages | undefined> {
  const succeeded = records.filter(
    ({ buildState }) => buildRecordState(buildState) === 'completed',
  );
  if (succeeded.length === 0) return undefined;
  const archive = await ppaClient.getArchive(ppa);
  const fingerprint = archive?.signing_key_fingerprint ?? null;
  const apt =
    !archive || archive.private ? null : aptSource(ppa, series, { root: aptUrl, fingerprint });
  const builds = new Set(succeeded.map(({ selfLink }) => selfLink));
  const names = new Set(succeeded.map((one) => one.package));
  const sources: FoundPackages['sources'] = [];
  let left = MAX_BUILT_PACKAGES;
  for (const { source, version } of packages.filter((one) => names.has(one.source))) {
    const made = await packagesOf(ppaClient, ppa, { source, version }, builds, left);
    sources.push({ source, version, packages: made });
    left -= made.length;
  }
  return { series, apt, sources };
}

/**
 * Stores the list of what builds have made of a source package: `<folder>/<source>_<version>.packages.json`.
 *
 * @returns its URL
 */
export async function storePackageList(
  store: DataStore,
  { series, apt }: FoundPackages,
  { source, version, packages }: FoundSource,
  folder: string,
): Promise<string> {
  const key = `${folder}/${source}_${version}.packages.json`;
  const list = { source, version, series, apt, packages };
  await store.put(key, Readable.from([`${JSON.stringify(list, null, 2)}\n`]));
  return store.urlOf(key);
}

/** The packages of one source, by name and architecture. */
async function packagesOf(
  ppaClient: PpaClient,
  ppa: Ppa,
  source: PackageVersion,
  builds: ReadonlySet<string>,
  limit: number,
): Promise<BuiltPackage[]> {
  const found = new Map<string, BinaryPublication>();
  for (const { self_link } of await ppaClient.getPublishedSources(ppa, source)) {
    const binaries = await unlessMissingInArchive(ppaClient.getPublishedBinaries(self_link));
    for (const one of withoutReplaced(binaries ?? []))
      // A package for all architectures is published once for each of them.
      if (builds.has(one.build_link ?? '')) found.set(fullName(one), one);
  }
  const wanted = [...found]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, Math.max(0, limit));
  return sideBySide(wanted, AT_ONCE, ([, one]) => withFile(ppaClient, source.source, one));
}

async function withFile(
  ppaClient: PpaClient,
  source: string,
  one: BinaryPublication,
): Promise<BuiltPackage> {
  const [file] = (await unlessMissingInArchive(ppaClient.binaryFileUrls(one.self_link))) ?? [];
  return {
    name: one.binary_package_name,
    source,
    version: one.binary_package_version,
    architecture: architectureOf(one),
    url: file?.url ?? null,
    size: file?.size ?? null,
    sha256: file?.sha256 ?? null,
    ...publishedAt(one),
  };
}

/** What the web service says of the time, if it is one. */
function publishedAt({ date_published: text }: BinaryPublication) {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? {} : { published_at: time.toISOString() };
}

function fullName(one: BinaryPublication): string {
  return `${one.binary_package_name} ${one.binary_package_version} ${architectureOf(one)}`;
}
