import { useEffect, useRef, useState } from 'preact/hooks';
import { WORKER_MESSAGES } from '../../domain/builds/progress.ts';
import { MAX_LIMIT } from '../../domain/service/page-limit.ts';
import { onChange, untilFollowed } from './changes.ts';
import { asRequestError, request, type RequestError } from './request.ts';
import type { Page, ProgressMessage } from './api-types.ts';
import { retryPauses } from './retry-pauses.ts';
import { mayPass } from './use-resource.ts';
import { isVisible } from './page-visibility.ts';

const RETRY_FIRST_MS = 1_000;
const MAX_RETRY_MS = 10_000;
/** The names of the events; what has no worker message comes as `message`. */
const MESSAGES = ['message', ...WORKER_MESSAGES];

export type Events = {
  /** In order. */
  events: readonly ProgressMessage[];
  /** Whether all that there were have been loaded. */
  isLoaded: boolean;
  /** Why the last load failed; where that may pass, it is tried again by itself, too. */
  error: RequestError | undefined;
  reload: () => void;
};
type Loaded = Omit<Events, 'reload'>;

/**
 * All events of a build, and each new one as it comes. It resumes where it was after a gap.
 *
 * @param isOpen whether more may come
 * @param isWanted nothing is loaded before
 */
export function useEvents(buildId: number, isOpen: boolean, isWanted: boolean): Events {
  const [loadedEvents, setLoaded] = useState<Loaded>({
    events: [],
    isLoaded: false,
    error: undefined,
  });
  const reload = useRef(() => {});

  useEffect(() => {
    if (!isWanted) return undefined;
    const gone = new AbortController();
    const known: ProgressMessage[] = [...loadedEvents.events];
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame: number | undefined;
    const pauses = retryPauses(RETRY_FIRST_MS, MAX_RETRY_MS);
    // For an answer, or for the end of the pause after a late one.
    let isWaiting = false;
    let starts = 0;
    const last = () => known.at(-1)?.seq ?? 0;
    const publish = (more?: Partial<Loaded>) =>
      setLoaded((before) => ({ ...before, ...more, events: [...known] }));

    const take = (event: ProgressMessage) => {
      if (event.seq <= last()) return;
      known.push(event);
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        publish();
      });
    };
    const loadAll = async (isLatest: () => boolean) => {
      await untilFollowed();
      while (isLatest()) {
        const path = `/api/v1/build/${buildId}/events/?after=${last()}&limit=${MAX_LIMIT}`;
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
    const retry = (failure?: RequestError) => {
      close();
      timer = setTimeout(start, pauses.next(failure));
    };
    const follow = () => {
      if (!isOpen || !isVisible.peek() || gone.signal.aborted) return;
      source = new EventSource(`/api/v1/build/${buildId}/events/?after=${last()}`);
      for (const message of MESSAGES)
        source.addEventListener(message, (event) => {
          pauses.reset();
          take(JSON.parse((event as MessageEvent<string>).data) as ProgressMessage);
        });
      source.addEventListener('error', () => retry());
    };
    const succeeded = () => {
      isWaiting = false;
      publish({ isLoaded: true, error: undefined });
      follow();
    };
    const failed = (error: unknown) => {
      const failure = asRequestError(error);
      isWaiting = failure.isLate;
      publish({ error: failure });
      if (mayPass(failure)) retry(failure);
    };
    function start(): void {
      close();
      isWaiting = true;
      const own = ++starts;
      const isLatest = () => own === starts && !gone.signal.aborted;
      const ifLatest = (act: (outcome: unknown) => void) => (outcome: unknown) => {
        if (isLatest()) act(outcome);
      };
      loadAll(isLatest).then(ifLatest(succeeded), ifLatest(failed));
    }

    reload.current = start;
    // It is called at once, which starts it.
    const stopWatching = isVisible.subscribe((visible) => (visible ? start() : close()));
    const unsubscribe = onChange((change) => {
      if (change === 'anything' && !isWaiting) start();
    });
    return () => {
      gone.abort();
      close();
      if (frame !== undefined) cancelAnimationFrame(frame);
      stopWatching();
      unsubscribe();
    };
    // What is known already is where it goes on from, not why it starts again.
  }, [buildId, isOpen, isWanted]);

  return { ...loadedEvents, reload: () => reload.current() };
}
