import { useEffect, useRef, useState } from 'preact/hooks';
import type { Landing, Page } from '../server/api-types.ts';
import { useResource, type Resource } from '../server/use-resource.ts';
import { useLandingSet } from './use-landing-set.ts';

const MAX_LANDINGS = 20;

/** The landings of a ticket, the one that was requested or retried last first, and which of them is shown. */
export type Landings = {
  all: readonly Landing[];
  /** Undefined where the ticket has none, or not the one that is wanted, or it is not loaded yet. */
  shown: Landing | undefined;
  /** The one that is wanted, where that is not among `all`, with the load of it. */
  apart: { id: number; loaded: Resource<Page<Landing>> } | undefined;
  /** Of a landing that was requested or retried while the page is read: it waits until it is asked for. */
  news: number | undefined;
  /** Shows another one. What is shown stays until that is among `all`. */
  show: (id: number) => void;
  loaded: Resource<Page<Landing>>;
  reload: () => void;
};

/**
 * The landings of a ticket, loaded again whenever one of them changes. The one that is shown stays until the reader
 * asks for another.
 *
 * @param wanted the id of the landing to show; else it is the latest when the page is opened
 */
export function useLandings(ticketId: number, wanted: number | undefined): Landings {
  const known = useRef<readonly number[]>([]);
  const loaded = useResource<Page<Landing>>(
    `/api/v1/landing/?ticket_id=${ticketId}&order_by=-requested_at&limit=${MAX_LANDINGS}`,
    // A new landing is a change of its ticket.
    ({ ticket, landing }) =>
      ticket.includes(ticketId) || landing.some((id) => known.current.includes(id)),
  );
  const { data } = loaded;
  const all = data?.objects ?? [];
  known.current = all.map(({ id }) => id);
  const latest = data && (all[0]?.id ?? null);
  // Undefined before anything is loaded, null where there was none.
  const [held, hold] = useState<number | null>();
  // The one that was asked for may be too new to be in the list.
  const [awaited, setAwaited] = useState<number>();
  const hasCome = awaited !== undefined && known.current.includes(awaited);
  const id = wanted ?? (hasCome ? awaited : held === undefined ? latest : held);
  useEffect(() => {
    if (hasCome) {
      hold(awaited);
      setAwaited(undefined);
    } else if (held === undefined && latest !== undefined) hold(latest);
  });
  const apartId =
    data && wanted !== undefined && !known.current.includes(wanted) ? wanted : undefined;
  const apart = useLandingSet(apartId === undefined ? [] : [apartId]);
  const found = apart.data?.objects.find((one) => one.ticket_id === ticketId);
  return {
    all,
    shown: [...all, ...(found ? [found] : [])].find((one) => one.id === id),
    apart: apartId === undefined ? undefined : { id: apartId, loaded: apart },
    news:
      typeof latest === 'number' && latest !== id && wanted === undefined && awaited === undefined
        ? latest
        : undefined,
    show: (next) => {
      hold(id);
      setAwaited(next);
    },
    loaded,
    reload: () => {
      loaded.reload();
      apart.reload();
    },
  };
}
