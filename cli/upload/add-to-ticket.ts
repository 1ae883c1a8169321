import type { Build, Fullticket, Subticket } from '../../api/openapi/contract.generated.ts';
import { phaseWords } from '../../domain/build-phase.ts';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { ApiClient } from '../server/api-client.ts';
import { moveStep } from '../tickets/move-step.ts';
import type { CheckedUpload } from './check-uploads.ts';

const FAILED = '999';

/** One upload in a ticket, and the subticket that it takes the place of. */
export type Placed = {
  readonly upload: CheckedUpload;
  readonly replaces: { readonly id: number; readonly failedBuild: number | undefined } | undefined;
};

/**
 * Looks which subtickets of a ticket uploads would take the place of. Nothing is written.
 *
 * @throws CommandError `conflict` where one of them has not failed; `not_found`
 */
export async function placeInTicket(
  api: Pick<ApiClient, 'get'>,
  ticketId: number,
  uploads: readonly CheckedUpload[],
): Promise<Placed[]> {
  const ticket = await api.get<Fullticket>(`/api/v1/fullticket/${ticketId}/`);
  return uploads.map((upload) => {
    const current = ticket.subtickets.find(
      (one) =>
        one.replaced_by === null &&
        one.source_package_upload?.sourcepackage.name === upload.changes.source,
    );
    if (!current) return { upload, replaces: undefined };
    if (current.current_workflow_step === FAILED || current.status === FAILED)
      return { upload, replaces: { id: current.id, failedBuild: undefined } };
    const build = latestBuildOf(ticket, current);
    if (build?.failure) return { upload, replaces: { id: current.id, failedBuild: build.id } };
    throw new CommandError(
      `Subticket ${current.id} of ticket ${ticketId} stands for ${upload.changes.source} ${current.source_package_upload?.version ?? ''}, which has not failed.`,
      {
        code: 'conflict',
        exit: EXIT.conflict,
        hint: build
          ? `Its build ${build.id} is ${phaseWords(build.phase)}.`
          : `Nothing was built of it yet: \`airline build request ${ticketId}\` builds it.`,
      },
    );
  });
}

function latestBuildOf(
  { builds }: Fullticket,
  { artifacts }: Fullticket['subtickets'][number],
): Build | undefined {
  const references = new Set(artifacts.map(({ reference }) => reference));
  return builds
    .filter((build) => build.source_packages.some((url) => references.has(url)))
    .toSorted((one, other) => other.id - one.id)[0];
}

/**
 * Adds uploads to a ticket, each in the place of what failed. A subticket whose build failed is moved to Failed first,
 * because a build moves none.
 *
 * @param urls where the files of each are
 */
export async function addToTicket(
  api: ApiClient,
  ticketId: number,
  placed: readonly Placed[],
  urls: readonly (readonly string[])[],
  assignee: string,
): Promise<Fullticket> {
  for (const [at, { upload, replaces }] of placed.entries()) {
    if (replaces?.failedBuild !== undefined)
      await moveStep(api, `/api/v1/subticket/${replaces.id}/`, {
        current_workflow_step: FAILED,
        status: FAILED,
        reason: `build ${replaces.failedBuild} failed; ${upload.changes.version} takes its place`,
      });
    const { changes, files } = upload;
    const made = await api.write<Subticket>('POST', '/api/v1/subticket/', {
      ticket: `/api/v1/ticket/${ticketId}/`,
      assignee,
      source_package_upload: { sourcepackage: { name: changes.source }, version: changes.version },
    });
    for (const [file, { name }] of files.entries())
      await api.write('POST', '/api/v1/subticketartifact/', {
        name,
        type: 'SPU',
        reference: urls[at]?.[file],
        subticket: made.resource_uri,
      });
  }
  return api.get<Fullticket>(`/api/v1/fullticket/${ticketId}/`);
}
