import { archiveReference, isPpa, POCKETS, type Archive } from '../../domain/packages/archive.ts';
import { LAUNCHPAD_BUILD_STATES } from '../../domain/builds/build-state.ts';
import type { BinaryPublication } from '../archive/records.ts';
import type { Entries } from './entries.ts';
import { Forbidden, Unauthorized, type Parameters } from './parameters.ts';
import { selectBinaries, selectSources } from './publication-filters.ts';
import { requestCopy, type CopyRequestDependencies } from './request-copy.ts';
import { entryResource, page, type Resource } from './resource.ts';

/** Makes the resource of an archive. */
export function createArchiveResource(
  dependencies: CopyRequestDependencies & { entries: Entries },
): (archive: Archive) => Resource {
  const { state, entries, accounts, script } = dependencies;
  const binaryEntry = (one: BinaryPublication) => entries.binary(one, state.build(one.buildId));

  const checkUpload = (archive: Archive, parameters: Parameters) => {
    parameters.requiredText('component');
    parameters.requiredText('distroseries');
    parameters.requiredText('sourcepackagename');
    if (isPpa(archive) && (parameters.choice('pocket', POCKETS) ?? 'Release') !== 'Release')
      throw new Forbidden('PPA uploads must be for the RELEASE pocket.');
    const [person = ''] = parameters.link('person') ?? [];
    const refusal = accounts.refusalOf(person.slice(1), archive);
    if (refusal !== undefined) throw new Forbidden(refusal);
    return true;
  };

  const visible = (archive: Archive): Resource => {
    const reference = archiveReference(archive);
    return entryResource(
      () => entries.archive(archive),
      {
        getPublishedSources: (request) =>
          page(
            request,
            selectSources(state.sources(reference), request.parameters, archive),
            entries.source,
          ),
        getPublishedBinaries: (request) =>
          page(
            request,
            selectBinaries(state.binaries(reference), request.parameters, archive),
            binaryEntry,
          ),
        getBuildRecords: (request) => {
          const { parameters } = request;
          const name = parameters.text('source_name');
          const wanted = parameters.choice('build_state', LAUNCHPAD_BUILD_STATES);
          const pocket = parameters.choice('pocket', POCKETS);
          const builds = state
            .builds(reference)
            .filter(
              (build) =>
                (name === undefined || build.source.includes(name)) &&
                (wanted === undefined || build.state === wanted) &&
                (pocket === undefined || build.pocket === pocket),
            );
          return page(request, builds.toReversed(), entries.build);
        },
        getUploadersForComponent: (request) =>
          page(request, accounts.uploaders(archive), ({ name }) =>
            entries.permission(archive, name),
          ),
        checkUpload: ({ parameters }) => checkUpload(archive, parameters),
      },
      { copyPackage: (request) => requestCopy(archive, request, dependencies) },
    );
  };

  return (archive) => {
    const resource = visible(archive);
    if (!script?.isHidden(archiveReference(archive))) return resource;
    return { ...resource, get: refused(resource.get), post: refused(resource.post) };
  };
}

/** The operations of an archive that the caller may not see. */
function refused(operations: Resource['get']): Resource['get'] {
  const refuse = (name: string) => () => {
    throw new Unauthorized(`(<Archive object>, '${name}', 'launchpad.View')`);
  };
  return Object.fromEntries(Object.keys(operations).map((name) => [name, refuse(name)]));
}
