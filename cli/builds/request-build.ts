import { STEP } from '../../domain/tickets/ticket.ts';
import { sourceUrlsOf } from '../../domain/tickets/ticket-sources.ts';
import type { BuildOrder } from '../../domain/builds/build-order.ts';
import type { Build, Fullticket } from '../../api/openapi/contract.generated.ts';
import { CommandError, Interrupted } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandContext } from '../command-context.ts';
import { moveStep } from '../tickets/move-step.ts';
import type { ApiClient } from '../server/api-client.ts';
import { shellCall } from '../output/shell-call.ts';
import { stepText } from '../output/step-text.ts';

/** What a build is requested with. */
export type BuildOptions = {
  ticketId: number;
  /** URLs of all files of the source packages. */
  urls: readonly string[];
  ppa: string;
  series: string;
  archive?: string | undefined;
  queue?: string | undefined;
  webhook?: number | undefined;
  cancelUrl?: string | undefined;
  order?: BuildOrder | undefined;
};

/** What the queue is called of a build that is given none, before the id of its ticket. */
export const OWN_QUEUE = 'airline-cli-ticket-';

/** Where a build reports to, as a request names it: the queue and the webhook that are given, or else a queue. */
export function reportTo(
  { queue, webhook }: Pick<BuildOptions, 'queue' | 'webhook'>,
  defaultQueue: string,
) {
  if (webhook === undefined) return { progress_trigger: queue ?? defaultQueue };
  return { progress_trigger: queue ?? null, webhook_id: webhook };
}

/** Requests a build. @throws CommandError */
export async function requestBuild(api: ApiClient, options: BuildOptions): Promise<Build> {
  return api.write<Build>('POST', '/api/v1/build_source', {
    ticket_id: options.ticketId,
    source_packages: options.urls,
    series: options.series,
    ppa: options.ppa,
    archive: options.archive,
    ...reportTo(options, `${OWN_QUEUE}${options.ticketId}`),
    cancel_url: options.cancelUrl ?? null,
    ...(options.order ? { order: options.order } : {}),
  });
}

/**
 * The call that requests such a build, quoted for a shell.
 *
 * @param options.ticket what is in the ticket: its files are named one by one only where the build is of others, or not
 * of all
 */
export function buildCall({
  ticket,
  ...options
}: Omit<BuildOptions, 'ticketId' | 'cancelUrl'> & {
  ticket: Pick<Fullticket, 'id' | 'subtickets' | 'builds'>;
  anySeries?: boolean | undefined;
}): string {
  const own = sourceUrlsOf(ticket.subtickets, ticket.builds);
  const isWhole =
    own.length === options.urls.length && own.every((url) => options.urls.includes(url));
  return shellCall(`airline build request ${ticket.id}`, {
    '--ppa': options.ppa,
    '--series': options.series,
    '--archive': options.archive,
    '--any-series': options.anySeries,
    '--queue': options.queue,
    '--webhook': options.webhook,
    '--order': options.order,
    '--source': isWhole ? undefined : options.urls,
  });
}

/**
 * Moves the ticket of a new build, and the subtickets whose sources it builds, from Queued to Package Building, because
 * a build moves none. What cannot be moved is told in a notice: the build is on the way.
 *
 * @returns the ticket as it is then, if it can be read
 * @throws Interrupted, which says that the build is requested
 */
export async function moveToBuilding(
  { api, out }: CommandContext,
  { id: buildId, ticket_id: ticketId, source_packages: built }: Build,
): Promise<Fullticket | undefined> {
  const path = `/api/v1/fullticket/${ticketId}/`;
  const change = {
    current_workflow_step: STEP.packageBuilding,
    status: STEP.packageBuilding,
    reason: `build ${buildId} was requested`,
  };
  const notice = (what: string) => (error: unknown) => {
    if (error instanceof Interrupted)
      throw new Interrupted(
        `Build ${buildId} is requested; \`airline build watch ${buildId}\` follows it.`,
      );
    if (!(error instanceof CommandError)) throw error;
    out.notice(`${what}: ${error.message}`);
    return undefined;
  };
  const move = (kind: 'ticket' | 'subticket', id: number) =>
    moveStep(api, `/api/v1/${kind}/${id}/`, change, STEP.queued).catch(
      notice(`The ${kind} ${id} was not moved to ${stepText(STEP.packageBuilding)}`),
    );
  const read = () =>
    api.get<Fullticket>(path).catch(notice(`The ticket ${ticketId} could not be read`));

  await move('ticket', ticketId);
  for (const { id, artifacts } of (await read())?.subtickets ?? [])
    if (artifacts.some(({ reference }) => built.includes(reference))) await move('subticket', id);
  return read();
}

/**
 * The URLs of the files of a ticket's source packages.
 *
 * @throws CommandError `usage` where it has none
 */
export async function sourcesOfTicket(api: ApiClient, ticketId: number): Promise<string[]> {
  const ticket = await api.get<Fullticket>(`/api/v1/fullticket/${ticketId}/`);
  const urls = sourceUrlsOf(ticket.subtickets, ticket.builds);
  if (urls.length > 0) return urls;
  throw new CommandError(`Ticket ${ticketId} names no files of source packages.`, {
    code: 'no_sources',
    exit: EXIT.usage,
    hint: 'They are artifacts of the type SPU of its subtickets; you can also name them with --source.',
  });
}
