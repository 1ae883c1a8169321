import { useEffect, useState } from 'preact/hooks';
import { onChange } from './changes.ts';
import { request } from './request.ts';
import type { Page, ProgressMessage } from './shapes.ts';
import { isVisible } from './visible.ts';

const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 10_000;
const PAGE = 1_000;
const MESSAGES = ['STARTED', 'INPROGRESS', 'COMPLETE', 'FAILURE'];

/**
 * All events of a build, in order, and each new one as it comes. It resumes where it was after a gap.
 *
 * @param isOpen whether more may come
 */
export function useEvents(buildId: number, isOpen: boolean): readonly ProgressMessage[] {
  const [events, setEvents] = useState<readonly ProgressMessage[]>([]);

  useEffect(() => {
    const gone = new AbortController();
    const known: ProgressMessage[] = [...events];
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame: number | undefined;
    let retryMs = RETRY_FIRST_MS;
    let starts = 0;
    const last = () => known.at(-1)?.seq ?? 0;

    const take = (event: ProgressMessage) => {
      if (event.seq <= last()) return;
      known.push(event);
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        setEvents([...known]);
      });
    };
    const loadAll = async () => {
      for (;;) {
        const path = `/api/v1/build/${buildId}/events/?after=${last()}&limit=${PAGE}`;
        const { body } = await request<Page<ProgressMessage>>('GET', path, { signal: gone.signal });
        body.objects.forEach(take);
        if (body.meta.next === null) return;
      }
    };
    const close = () => {
      clearTimeout(timer);
      source?.close();
      source = undefined;
    };
    const retry = () => {
      close();
      timer = setTimeout(start, retryMs);
      retryMs = Math.min(RETRY_MOST_MS, retryMs * 2);
    };
    const follow = () => {
      if (!isOpen || !isVisible.peek() || gone.signal.aborted) return;
      source = new EventSource(`/api/v1/build/${buildId}/events/?after=${last()}`);
      for (const message of MESSAGES)
        source.addEventListener(message, (event) => {
          retryMs = RETRY_FIRST_MS;
          take(JSON.parse((event as MessageEvent<string>).data) as ProgressMessage);
        });
      source.addEventListener('error', retry);
    };
    function start(): void {
      close();
      const own = ++starts;
      const ifLatest = (act: () => void) => () => {
        if (own === starts && !gone.signal.aborted) act();
      };
      loadAll().then(ifLatest(follow), ifLatest(retry));
    }

    // It is called at once, which starts it.
    const stopWatching = isVisible.subscribe((visible) => (visible ? start() : close()));
    const unsubscribe = onChange((change) => {
      if (change === 'anything') start();
    });
    return () => {
      gone.abort();
      close();
      if (frame !== undefined) cancelAnimationFrame(frame);
      stopWatching();
      unsubscribe();
    };
    // What is known already is where it goes on from, not why it starts again.
  }, [buildId, isOpen]);

  return events;
}
