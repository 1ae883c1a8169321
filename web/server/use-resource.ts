import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { connection, onChange, reportOffline, untilFollowed, type Change } from './changes.ts';
import { asRequestError, request, type RequestError } from './request.ts';
import { retryPauses } from './retry-pauses.ts';

const RETRY_MS = 5_000;

/** How many of the things that the page shows could not be loaded when they were last asked for. */
export const failing = signal(0);

export type Resource<T> = {
  /** What was loaded last; kept while it is loaded again. */
  data: T | undefined;
  /** Why the last load of what is asked for now failed. */
  error: RequestError | undefined;
  /** The address that `data` came from. */
  from: string | undefined;
  /** Whether that is another one than is asked for now. */
  isStale: boolean;
  isLoading: boolean;
  /** Loads it again at once, as who presses wants. */
  reload: () => void;
  /** Loads it again as soon as that is due: not in the pause after a late answer. */
  refresh: () => void;
};

type Loaded<T> = Pick<Resource<T>, 'data' | 'from'> & {
  /** Why the last load failed, and the address that it was of. */
  fault?: { error: RequestError; of: string };
};

/**
 * Loads what is at an address of the API, again after each change that concerns it, and again by itself after a fault
 * that may pass.
 *
 * @param path null where there is nothing to load yet
 * @param concerns whether a change may have changed what is there; without it, it is loaded again only after a gap
 * @param read how it is read, where that takes more than one request
 */
export function useResource<T>(
  path: string | null,
  concerns?: (change: Change) => boolean,
  read: (path: string, signal: AbortSignal) => Promise<T> = readOnce,
): Resource<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ data: undefined, from: undefined });
  const [isLoading, setLoading] = useState(path !== null);
  const concernsNow = useRef(concerns);
  concernsNow.current = concerns;
  const reload = useRef(() => {});
  const refresh = useRef(() => {});

  useEffect(() => {
    if (path === null) return undefined;
    const gone = new AbortController();
    let isBusy = false;
    let isStale = false;
    let isPausing = false;
    const pauses = retryPauses(RETRY_MS);
    let timer: ReturnType<typeof setTimeout> | undefined;

    const load = async () => {
      isBusy = true;
      isPausing = false;
      clearTimeout(timer);
      setLoading(true);
      await untilFollowed();
      if (gone.signal.aborted) return;
      isStale = false;
      try {
        const data = await read(path, gone.signal);
        pauses.reset();
        setLoaded({ data, from: path });
      } catch (error) {
        if (gone.signal.aborted) return;
        const failure = asRequestError(error);
        if (mayPass(failure)) timer = setTimeout(again, pauses.next(failure));
        isPausing = failure.isLate;
        // What waits for its first answer goes on waiting: the banner says why.
        const isTold = isShownByBanner(failure);
        setLoaded(({ data, from }) => {
          const isOwn = from === path;
          return {
            // What is at another address says nothing of this one.
            data: isOwn ? data : undefined,
            from: isOwn ? from : undefined,
            ...(isOwn || !isTold ? { fault: { error: failure, of: path } } : {}),
          };
        });
      }
      isBusy = false;
      setLoading(false);
      if (isStale && !isPausing) void load();
    };
    const again = () => {
      if (isBusy) isStale = true;
      else void load();
    };
    const whenDue = () => {
      if (!isPausing) again();
    };
    reload.current = again;
    refresh.current = whenDue;
    void load();
    const unsubscribe = onChange((change) => {
      if (change === 'anything' || concernsNow.current?.(change)) whenDue();
    });
    return () => {
      gone.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [path]);

  const { data, from, fault } = loaded;
  const error = fault?.of === path ? fault.error : undefined;
  const isFailing = error !== undefined && (error.status >= 500 || error.isLate);
  useEffect(() => {
    if (!isFailing) return undefined;
    failing.value++;
    return () => {
      failing.value--;
    };
  }, [isFailing]);

  return {
    data,
    error,
    from,
    isStale: from !== undefined && from !== path,
    isLoading,
    reload: () => reload.current(),
    refresh: () => refresh.current(),
  };
}

/** Reads what is at an address by one request. @throws RequestError */
async function readOnce<T>(path: string, signal: AbortSignal): Promise<T> {
  return (await request<T>('GET', path, { signal })).body;
}

/**
 * Tells the rest of the page of a load that failed because nothing answers.
 *
 * @returns whether the same request may succeed soon, and so is made again without being asked for
 */
export function mayPass(failure: RequestError): boolean {
  if (failure.status === 0 && !failure.isLate) reportOffline();
  return failure.isUnavailable;
}

/** Whether a fault is shown by the banner of the page already. */
export function isShownByBanner(error: RequestError): boolean {
  return error.status === 0 && connection.value === 'lost';
}
