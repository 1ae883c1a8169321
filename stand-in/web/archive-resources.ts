import { LAUNCHPAD_BUILD_STATES } from '../../domain/build-state.ts';
import { ppaReference, type Ppa } from '../../domain/ppa.ts';
import type { Accounts } from '../archive/accounts.ts';
import type { ArchiveState } from '../archive/archive-state.ts';
import type { BinaryPublication, SourcePublication, StoredFile } from '../archive/records.ts';
import type { BuildFarm } from '../builders/builder.ts';
import type { Entries } from './entries.ts';
import { BadRequest, Forbidden, type Parameters } from './parameters.ts';
import { isRelease, selectBinaries, selectSources } from './publication-filters.ts';
import { entryResource, page, type Resource } from './resource.ts';

/** A PPA, and what is in it. */
export type ArchiveResources = {
  archive: (ppa: Ppa) => Resource;
  sourcePublication: (one: SourcePublication) => Resource;
  binaryPublication: (one: BinaryPublication) => Resource;
  build: (id: number) => Resource;
};

/** Makes the resources of the PPAs. */
export function createArchiveResources({
  state,
  farm,
  entries,
  accounts,
}: {
  state: ArchiveState;
  farm: BuildFarm;
  entries: Entries;
  accounts: Accounts;
}): ArchiveResources {
  const binaryEntry = (one: BinaryPublication) => {
    const build = state.build(one.buildId);
    return entries.binary(one, build?.version ?? one.version);
  };

  const archive = (ppa: Ppa): Resource => {
    const reference = ppaReference(ppa);
    return entryResource(() => entries.archive(ppa), {
      getPublishedSources: (request) =>
        page(
          request,
          selectSources(state.sources(reference), request.parameters, ppa),
          entries.source,
        ),
      getPublishedBinaries: (request) =>
        page(
          request,
          selectBinaries(state.binaries(reference), request.parameters, ppa),
          binaryEntry,
        ),
      getBuildRecords: (request) => {
        const { parameters } = request;
        const name = parameters.text('source_name');
        const wanted = parameters.choice('build_state', LAUNCHPAD_BUILD_STATES);
        const builds = isRelease(parameters)
          ? state
              .builds(reference)
              .filter(
                (build) =>
                  (name === undefined || build.source.includes(name)) &&
                  (wanted === undefined || build.state === wanted),
              )
          : [];
        return page(request, builds.toReversed(), entries.build);
      },
      getUploadersForComponent: (request) =>
        page(request, accounts.uploaders(ppa), ({ name }) => entries.permission(ppa, name)),
      checkUpload: ({ parameters }) => {
        parameters.requiredText('component');
        parameters.requiredText('distroseries');
        parameters.requiredText('sourcepackagename');
        if (!isRelease(parameters))
          throw new Forbidden('PPA uploads must be for the RELEASE pocket.');
        const [person = ''] = parameters.link('person') ?? [];
        if (!accounts.mayUpload(person.slice(1), ppa))
          throw new Forbidden('Signer has no upload rights to this PPA.');
        return true;
      },
    });
  };

  const sourcePublication = (one: SourcePublication): Resource =>
    entryResource(() => entries.source(one), {
      getBuilds: (request) =>
        page(
          request,
          state
            .buildsOfSource(one.id)
            .toSorted((a, b) => (a.architecture < b.architecture ? -1 : 1)),
          entries.build,
        ),
      getPublishedBinaries: (request) => {
        const onlyActive = request.parameters.flag('active_binaries_only');
        return page(
          request,
          binariesOf(one).filter(
            ({ status }) => !onlyActive || status === 'Pending' || status === 'Published',
          ),
          binaryEntry,
        );
      },
      changesFileUrl: () => entries.changesFileUrl(one),
      sourceFileUrls: ({ parameters }) =>
        one.files.map((file) => fileUrl(parameters, entries.sourceFileUrl(one, file.name), file)),
      binaryFileUrls: () => binariesOf(one).map((binary) => entries.binaryFileUrl(binary)),
    });

  const binariesOf = (one: SourcePublication) => {
    const builds = new Set(state.buildsOfSource(one.id).map((build) => build.id));
    return state.binaries(one.archive).filter((binary) => builds.has(binary.buildId));
  };

  const build = (id: number): Resource =>
    entryResource(
      () => {
        const one = state.build(id);
        if (!one) throw new Error(`build ${id} has gone`);
        return entries.build(one);
      },
      {},
      {
        cancel: () => {
          farm.cancel(id);
          return null;
        },
        retry: () => {
          if (!farm.retry(id)) throw new BadRequest(`Build ${id} cannot be retried.`);
          return null;
        },
      },
    );

  const binaryPublication = (binary: BinaryPublication): Resource =>
    entryResource(() => binaryEntry(binary), {
      binaryFileUrls: ({ parameters }) => [
        fileUrl(parameters, entries.binaryFileUrl(binary), binary.file),
      ],
    });

  return { archive, sourcePublication, binaryPublication, build };
}

function fileUrl(parameters: Parameters, url: string, { sizeBytes, sha256 }: StoredFile): unknown {
  return parameters.flag('include_meta') ? { url, size: sizeBytes, sha256 } : url;
}
