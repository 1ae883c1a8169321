import type { Archive, Pocket } from '../../../domain/packages/archive.ts';
import { archiveReference } from '../../../domain/packages/archive.ts';
import { upstreamVersion } from '../../../domain/packages/debian-version.ts';
import { ppaReference } from '../../../domain/packages/ppa.ts';
import type { PpaClient } from '../../../ppa/client.ts';
import type {
  BinaryPublication,
  Build,
  PackageUpload,
  SourcePublication,
} from '../../../ppa/wire.ts';

type Binary = {
  architecture: string;
  /** The build that made it. */
  build: string;
  status: string;
  isForAll?: boolean;
};

/** A source package in a series of an archive, with its one package for each architecture. */
export type Publication = {
  archive: Archive;
  series: string;
  pocket?: Pocket;
  version: string;
  status: string;
  /** When the archive got it; not told where nothing is said. */
  createdAt?: string;
  /** The SHA-256 of its `.dsc`, of its tarball and of upstream's; it lacks the files of which nothing is said. */
  dsc?: string;
  tarball?: string;
  orig?: string;
  binaries: Binary[];
  /** Its builds, in one of Launchpad's states each; where nothing is said, those that made the binaries. */
  builds?: { build: string; buildstate: string }[];
};

export const SOURCE = 'hello';
/** Where a landing builds, and where it publishes. */
export const PPA = { owner: 'me', distribution: 'debian', name: 'test' };
export const TARGET = { archive: 'debian', series: 'bookworm', pocket: 'Proposed' };

/** What the landing has uploaded to a PPA that it had before. */
export const EARLIER_UPLOAD = { ppa: '~me/debian/earlier', source: SOURCE, version: '1.2' };

/** Its package there, and as it is once it is copied. */
export const IN_PPA: Publication = {
  archive: PPA,
  series: 'bookworm',
  version: '1.2',
  status: 'Published',
  binaries: [{ architecture: 'amd64', build: 'A', status: 'Published' }],
};
export const IN_TARGET: Publication = {
  ...IN_PPA,
  archive: { distribution: 'debian' },
  pocket: 'Proposed',
};

/** The architectures of each series. */
const ARCHITECTURES = ['amd64', 'arm64'];

/** The same, as the PPA that the landing had before has built it. */
const BUILT_EARLIER = [{ architecture: 'amd64', build: 'E', status: 'Published' }];
export const IN_EARLIER_PPA: Publication = {
  ...IN_PPA,
  archive: { ...PPA, name: 'earlier' },
  binaries: BUILT_EARLIER,
};
export const IN_TARGET_FROM_EARLIER: Publication = { ...IN_TARGET, binaries: BUILT_EARLIER };

/**
 * A client of archives that have what the lists say, which a test may change.
 *
 * @param publications the latest first
 * @param uploads what is, or was, held in the target's queue, the latest first
 * @param privatePpas references of the PPAs that are private; all others are public
 */
export function archivesInMemory(
  publications: readonly Publication[],
  uploads: readonly PackageUpload[] = [],
  privatePpas: readonly string[] = [],
): PpaClient {
  const sourceOf = (one: Publication): SourcePublication => ({
    self_link: String(publications.indexOf(one)),
    source_package_name: SOURCE,
    source_package_version: one.version,
    status: one.status,
    distro_series_link: `https://api/debian/${one.series}`,
    pocket: one.pocket ?? 'Release',
    date_created: one.createdAt ?? null,
    date_published: one.status === 'Pending' ? null : '2026-01-01T00:00:00+00:00',
  });
  const binaryOf = (
    { series, version }: Publication,
    { architecture, build, status, isForAll = false }: Binary,
    at: number,
  ): BinaryPublication => ({
    self_link: String(at),
    binary_package_name: SOURCE,
    binary_package_version: version,
    architecture_specific: !isForAll,
    distro_arch_series_link: `https://api/debian/${series}/${architecture}`,
    status,
    date_published: status === 'Pending' ? null : '2026-01-01T00:00:00+00:00',
    build_link: build,
  });
  const buildOf = (
    { version }: Publication,
    { build, buildstate }: { build: string; buildstate: string },
  ): Build => ({
    self_link: build,
    web_link: build,
    arch_tag: 'amd64',
    buildstate,
    source_package_name: SOURCE,
    source_package_version: version,
    can_be_cancelled: false,
    can_be_retried: false,
  });
  const inArchive = (archive: Archive) =>
    publications.filter((one) => archiveReference(one.archive) === archiveReference(archive));
  const client = {
    getArchive: async (ppa) => ({ private: privatePpas.includes(ppaReference(ppa)) }),
    getSeries: async (distribution, name) => ({
      name,
      status: 'Current Stable Release',
      architectures_collection_link: `https://api/${distribution}/${name}/architectures`,
    }),
    getArchitectures: async ({ name }) =>
      ARCHITECTURES.map((architecture) => ({
        self_link: `https://api/debian/${name}/${architecture}`,
      })),
    publishedSource: async ({ archive, series, pocket, version }) => {
      const found = inArchive(archive).find(
        (one) =>
          one.series === series && one.version === version && (one.pocket ?? 'Release') === pocket,
      );
      return found && sourceOf(found);
    },
    getPublishedSources: async (ppa, { version }) =>
      inArchive(ppa)
        .filter((one) => one.version === version)
        .map(sourceOf),
    getSourceHistory: async (ppa) => inArchive(ppa).map(sourceOf),
    getLatestSources: async (archive) => inArchive(archive).map(sourceOf),
    getLiveSources: async (archive, series) =>
      inArchive(archive)
        .filter(({ status }) => status === 'Pending' || status === 'Published')
        .filter((one) => one.series === series)
        .map(sourceOf),
    getPublishedBinaries: async (link) => {
      const one = publications[Number(link)];
      return one ? one.binaries.map((binary, at) => binaryOf(one, binary, at)) : [];
    },
    getBuilds: async (link) => {
      const one = publications[Number(link)];
      const made = one?.binaries.map(({ build }) => ({ build, buildstate: 'Successfully built' }));
      return one ? (one.builds ?? made ?? []).map((build) => buildOf(one, build)) : [];
    },
    sourceFileUrls: async (link) => {
      const { version = '', dsc, tarball, orig } = publications[Number(link)] ?? {};
      const fileOf = (name: string, sha256?: string) => {
        const url = `https://lp.example/+sourcefiles/${SOURCE}_${name}`;
        return sha256 === undefined ? [] : [{ url, size: 1, sha256 }];
      };
      return [
        ...fileOf(`${version}.dsc`, dsc),
        ...fileOf(`${version}.tar.xz`, tarball),
        ...fileOf(`${upstreamVersion(version)}.orig.tar.gz`, orig),
      ];
    },
    heldUploads: async () => [...uploads],
  } satisfies Partial<PpaClient>;
  return client as unknown as PpaClient;
}
