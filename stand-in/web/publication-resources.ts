import type { Accounts } from '../archive/accounts.ts';
import type { ArchiveState } from '../archive/archive-state.ts';
import { deletePublication } from '../archive/delete-publication.ts';
import { archiveOf } from '../archive/layout.ts';
import { canModifySuite } from '../archive/pockets.ts';
import {
  isActive,
  type BinaryPublication,
  type Publication,
  type SourcePublication,
  type StoredFile,
} from '../archive/records.ts';
import { binariesOf, buildsOf } from '../archive/releases.ts';
import type { BuildFarm } from '../builders/builder.ts';
import { suiteOf } from '../../domain/packages/archive.ts';
import type { ScriptFile } from '../script/script.ts';
import type { Entries } from './entries.ts';
import { BadRequest, Unauthorized, type Parameters } from './parameters.ts';
import { entryResource, page, type Resource, type ResourceRequest } from './resource.ts';

/** What an archive holds. */
export type PublicationResources = {
  sourcePublication: (one: SourcePublication) => Resource;
  binaryPublication: (one: BinaryPublication) => Resource;
  build: (id: number) => Resource;
};

/** Opens the resources of what archives hold, with their operations: deletions, cancels and retries of builds. */
export function createPublicationResources({
  state,
  farm,
  entries,
  accounts,
  script,
}: {
  state: ArchiveState;
  farm: BuildFarm;
  entries: Entries;
  accounts: Accounts;
  script: ScriptFile | undefined;
}): PublicationResources {
  const binaryEntry = (one: BinaryPublication) => entries.binary(one, state.build(one.buildId));

  const assertMayEdit = (one: { archive: string }, token: string, what: string) => {
    if (!accounts.mayTokenUpload(token, archiveOf(one.archive)))
      throw new Unauthorized(`(${what}, 'launchpad.Edit')`);
  };

  const requestDeletion = (
    one: Publication,
    kind: string,
    { parameters, token }: ResourceRequest,
  ) => {
    const archive = archiveOf(one.archive);
    const { id, source, series, pocket } = one;
    assertMayEdit(one, token, `<${kind}PackagePublishingHistory ${id}>, 'api_requestDeletion'`);
    if (!canModifySuite({ archive, series, pocket }, script))
      throw new BadRequest(`Cannot delete publications from suite '${suiteOf(series, pocket)}'`);
    const refused = script?.deletion(source)?.refused;
    if (refused !== undefined) throw new BadRequest(refused);
    const comment = parameters.text('removal_comment') ?? null;
    state.transact((transaction) => deletePublication(state, transaction, one, comment));
    return null;
  };

  const sourcePublication = (one: SourcePublication): Resource =>
    entryResource(
      () => entries.source(one),
      {
        getBuilds: (request) =>
          page(
            request,
            buildsOf(state, one).toSorted((a, b) => (a.architecture < b.architecture ? -1 : 1)),
            entries.build,
          ),
        getPublishedBinaries: (request) => {
          const onlyActive = request.parameters.flag('active_binaries_only', true);
          const all = binariesOf(state, one);
          return page(request, onlyActive ? all.filter(isActive) : all, binaryEntry);
        },
        changesFileUrl: () => entries.changesFileUrl(one),
        sourceFileUrls: ({ parameters }) =>
          one.files.map((file) => fileUrl(parameters, entries.sourceFileUrl(one, file.name), file)),
        binaryFileUrls: () => binariesOf(state, one).map((binary) => entries.binaryFileUrl(binary)),
      },
      { requestDeletion: (request) => requestDeletion(one, 'Source', request) },
    );

  const build = (id: number): Resource => {
    const record = () => {
      const one = state.build(id);
      if (!one) throw new Error(`build ${id} has gone`);
      return one;
    };
    return {
      ...entryResource(
        () => entries.build(record()),
        {},
        {
          cancel: ({ token }) => {
            assertMayEdit(record(), token, `<BinaryPackageBuild ${id}>, 'cancel'`);
            farm.cancel(id);
            return null;
          },
          retry: ({ token }) => {
            assertMayEdit(record(), token, `<BinaryPackageBuild ${id}>, 'retry'`);
            if (!farm.retry(id)) throw new BadRequest(`Build ${id} cannot be retried.`);
            return null;
          },
        },
      ),
      logTail: () => farm.logTail(id),
    };
  };

  const binaryPublication = (binary: BinaryPublication): Resource =>
    entryResource(
      () => binaryEntry(binary),
      {
        binaryFileUrls: ({ parameters }) => [
          fileUrl(parameters, entries.binaryFileUrl(binary), binary.file),
        ],
      },
      { requestDeletion: (request) => requestDeletion(binary, 'Binary', request) },
    );

  return { sourcePublication, binaryPublication, build };
}

function fileUrl(parameters: Parameters, url: string, { sizeBytes, sha256 }: StoredFile): unknown {
  return parameters.flag('include_meta') ? { url, size: sizeBytes, sha256 } : url;
}
