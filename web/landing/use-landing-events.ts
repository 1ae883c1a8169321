import { useEffect, useState } from 'preact/hooks';
import type { Landing, LandingEvent, Page } from '../server/api-types.ts';
import { asRequestError, request, type RequestError } from '../server/request.ts';

/**
 * The events of a landing in order, loaded on whenever the landing has changed.
 *
 * @returns `events` is undefined before they are loaded; `error` says why the last load failed
 */
export function useLandingEvents(landing: Landing): {
  events: readonly LandingEvent[] | undefined;
  error: RequestError | undefined;
  reload: () => void;
} {
  const [events, setEvents] = useState<readonly LandingEvent[]>();
  const [error, setError] = useState<RequestError>();
  const [reloads, setReloads] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    const load = async () => {
      const known = [...(events ?? [])];
      try {
        for (;;) {
          const path = `${landing.events}?after=${known.at(-1)?.seq ?? 0}`;
          const { body } = await request<Page<LandingEvent>>('GET', path, { signal: gone.signal });
          known.push(...body.objects);
          if (body.meta.next === null) break;
        }
        setEvents(known);
        setError(undefined);
      } catch (fault) {
        if (!gone.signal.aborted) setError(asRequestError(fault));
      }
    };
    void load();
    return () => gone.abort();
  }, [landing, reloads]);
  return { events, error, reload: () => setReloads((before) => before + 1) };
}
