import type {
  Build,
  Fullticket,
  Landing,
  Subticket,
} from '../../api/openapi/contract.generated.ts';
import { phaseWords } from '../../domain/builds/build-phase.ts';
import { shownPackage } from '../../domain/packages/source-file.ts';
import { isShownAsFailed, STEP } from '../../domain/tickets/ticket.ts';
import { sourceUrlsOf } from '../../domain/tickets/ticket-sources.ts';
import { CommandError, Interrupted, retold } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { ApiClient, Page } from '../server/api-client.ts';
import { addSources } from '../tickets/add-sources.ts';
import { moveStep } from '../tickets/move-step.ts';
import type { CheckedUpload } from './check-uploads.ts';
import { storeKey } from './store-files.ts';

type FullSubticket = Fullticket['subtickets'][number];

/** One upload in a ticket, and the subticket that it takes the place of, or that it goes on with. */
export type Placed = {
  readonly upload: CheckedUpload;
  readonly replaces?: { readonly id: number; readonly failedBuild: Build | undefined };
  /** What a call left that did not come to its end: a subticket of this upload, maybe without all of its files. */
  readonly resumes?: FullSubticket;
};

/**
 * Looks which subtickets of a ticket uploads would take the place of, and which they would go on with. Nothing is
 * written.
 *
 * @throws CommandError `conflict` where one of them is of another upload and has not failed; `ticket_under_way` where
 * one would be replaced while the ticket is being landed; `not_found`
 */
export async function placeInTicket(
  api: Pick<ApiClient, 'get'>,
  ticketId: number,
  uploads: readonly CheckedUpload[],
): Promise<Placed[]> {
  const ticket = await api.get<Fullticket>(`/api/v1/fullticket/${ticketId}/`);
  const placed = uploads.map((upload): Placed => {
    const current = ticket.subtickets.find(
      (one) =>
        one.replaced_by === null &&
        one.source_package_upload?.sourcepackage.name === upload.changes.source,
    );
    if (!current) return { upload };
    if (isShownAsFailed(current))
      return { upload, replaces: { id: current.id, failedBuild: undefined } };
    const build = latestBuildOf(ticket, current);
    if (build?.failure) return { upload, replaces: { id: current.id, failedBuild: build } };
    if (!build && isOf(current, upload)) return { upload, resumes: current };
    throw new CommandError(
      `Ticket ${ticketId} already has ${upload.changes.source} ${current.source_package_upload?.version ?? ''} (subticket ${current.id}), which has not failed.`,
      { code: 'conflict', exit: EXIT.conflict, hint: hintFor(ticketId, current, build) },
    );
  });
  if (placed.some(({ replaces }) => replaces)) await assertNotBeingLanded(api, ticketId);
  return placed;
}

/** Asked before a subticket is moved to Failed: it would stay there, with nothing in its place. @throws CommandError */
async function assertNotBeingLanded(api: Pick<ApiClient, 'get'>, ticketId: number): Promise<void> {
  const { objects } = await api.get<Page<Landing>>('/api/v1/landing/', {
    ticket_id: ticketId,
    finished_at__isnull: 'true',
    limit: 1,
  });
  const [landing] = objects;
  if (landing)
    throw new CommandError(
      `Landing ${landing.id} of ticket ${ticketId} is under way, so no subticket is replaced.`,
      {
        code: 'ticket_under_way',
        exit: EXIT.conflict,
        hint: `Submit the same again when it has ended; \`airline landing cancel ${landing.id}\` ends it.`,
      },
    );
}

/**
 * The same files may have been in a subticket before, with a build of their own. What had ended when the subticket was
 * made is not its build. The two times are of two clocks, but a build takes longer than clocks differ, and one that is
 * under way counts whatever they say.
 */
function latestBuildOf({ builds }: Fullticket, subticket: FullSubticket): Build | undefined {
  const references = new Set(subticket.artifacts.map(({ reference }) => reference));
  const madeAt = Date.parse(subticket.created_at);
  return builds
    .filter(({ source_packages: urls }) => urls.some((url) => references.has(url)))
    .filter(({ finished_at: at }) => at === null || Date.parse(at) >= madeAt)
    .toSorted((one, other) => other.id - one.id)[0];
}

/** Whether a subticket is of this version, and has no files but those of this upload. */
function isOf(subticket: FullSubticket, upload: CheckedUpload): boolean {
  if (subticket.source_package_upload?.version !== upload.changes.version) return false;
  const keys = upload.files.map((file) => storeKey(upload, file));
  return sourceUrlsOf([subticket]).every((url) => keys.some((key) => url.endsWith(`/${key}`)));
}

function hintFor(ticketId: number, subticket: FullSubticket, build: Build | undefined): string {
  if (build) return `Its build ${build.id} is ${phaseWords(build.phase)}.`;
  // It is added last.
  return sourceUrlsOf([subticket]).some((url) => url.endsWith('.changes'))
    ? `It has not been built yet: \`airline build request ${ticketId}\` builds what the ticket has.`
    : `It does not have all of its files: submit the same again, or give it up with \`airline subticket set-step ${subticket.id} failed\`.`;
}

/**
 * Adds uploads to a ticket, each in the place of what failed. A subticket whose build failed is moved to Failed first,
 * because a build moves none. What an earlier call has added stays.
 *
 * @param urls where the files of each are
 * @throws CommandError, Interrupted, which say what is missing, and that the same call adds it
 */
export async function addToTicket(
  api: ApiClient,
  ticketId: number,
  placed: readonly Placed[],
  urls: readonly (readonly string[])[],
  assignee: string,
): Promise<Fullticket> {
  let added = 0;
  try {
    for (const [at, one] of placed.entries()) {
      const subticket = one.resumes ?? (await addSubticket(api, ticketId, one, assignee));
      const known = one.resumes ? sourceUrlsOf([one.resumes]) : [];
      await addSources(api, subticket, urls[at]?.filter((url) => !known.includes(url)) ?? []);
      added += 1;
    }
    return await api.get<Fullticket>(`/api/v1/fullticket/${ticketId}/`);
  } catch (error) {
    throw unfinished(error, ticketId, placed.slice(added));
  }
}

async function addSubticket(
  api: ApiClient,
  ticketId: number,
  { upload: { changes }, replaces }: Placed,
  assignee: string,
): Promise<Subticket> {
  const build = replaces?.failedBuild;
  if (build)
    await moveStep(api, `/api/v1/subticket/${replaces.id}/`, {
      current_workflow_step: STEP.failed,
      status: STEP.failed,
      reason: `build ${build.id} ${build.phase === 'cancelled' ? 'was cancelled' : 'failed'}; ${changes.version} takes its place`,
    });
  return api.write<Subticket>('POST', '/api/v1/subticket/', {
    ticket: `/api/v1/ticket/${ticketId}/`,
    assignee,
    source_package_upload: { sourcepackage: { name: changes.source }, version: changes.version },
  });
}

function unfinished(error: unknown, ticketId: number, missing: readonly Placed[]): unknown {
  if (!(error instanceof CommandError)) return error;
  const what =
    missing.length > 0
      ? `Ticket ${ticketId} does not have all of it yet`
      : `Ticket ${ticketId} has all of it, but nothing was requested`;
  const next = `The same call ${missing.length > 0 ? 'adds what is missing and ' : ''}goes on.`;
  const details = missing.map(({ upload }, at) =>
    at === 0
      ? `${shownPackage(upload.changes)}: not all of its files are there`
      : `${shownPackage(upload.changes)}: nothing of it is there`,
  );
  if (error instanceof Interrupted)
    return new Interrupted(`${[what, ...details].join('; ')}. ${next}`);
  return retold(error, { message: `${what}: ${error.message}`, details, next });
}
