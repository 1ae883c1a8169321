import { useLocation } from 'preact-iso/router';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isNotifying, notifyOnce, permission, setNotifying } from '../notify.ts';
import { isAwaited } from '../server/page-visibility.ts';
import { Icon } from './icon.tsx';

/** Something whose end may be waited for. */
export type Awaited = {
  /** Names it, whatever becomes of it. */
  what: string;
  /** Names this end of it, for it may have more: of a build, its attempt too; of a ticket, when it was changed. */
  end: string;
  hasEnded: boolean;
  /** What it is, and how it stands. */
  title: string;
  state: string;
  address: string;
};

/** A switch: whether the browser tells when what the page shows ends, while the page is open. */
export function TellWhenEnded({ of }: { of: readonly Awaited[] }) {
  const { route } = useLocation();
  const [isRefused, setRefused] = useState(false);
  const underWay = useRef(new Set<string>());
  const isWaiting = of.some(({ hasEnded }) => !hasEnded);
  const isOn = isNotifying.value;

  // How it ended is to be seen in the tab, and is true only while it is heard of: it may be retried.
  const wasWaiting = useRef(false);
  wasWaiting.current ||= isWaiting;
  const isToldOf = isOn && wasWaiting.current;

  useEffect(() => {
    isAwaited.value = isToldOf;
    return () => {
      isAwaited.value = false;
    };
  }, [isToldOf]);
  useEffect(() => {
    for (const { what, end, hasEnded, title, state, address } of of)
      if (!hasEnded) underWay.current.add(what);
      // What had ended before the reader came is no news.
      else if (underWay.current.delete(what)) notifyOnce(end, title, state, () => route(address));
  }, [of.map(({ end, hasEnded }) => `${end} ${hasEnded}`).join()]);

  const turn = async () => {
    await setNotifying(!isOn);
    setRefused(!isOn && !isNotifying.peek());
  };
  return (
    <>
      <button
        type="button"
        class="button"
        aria-pressed={isOn}
        title="The browser notifies you while this page is open, also in the background."
        onClick={() => void turn()}
      >
        <Icon name={isOn ? 'done' : 'bell'} />
        Tell me when it ends
      </button>
      {isRefused && (
        <p class="note note-warn refused" role="status">
          {permission() === 'unsupported'
            ? 'This browser shows notifications only of pages that come by HTTPS, or from this machine.'
            : `The browser lets ${location.host} show no notifications. Allow them in its settings of this site, left of the address, and press again.`}
        </p>
      )}
    </>
  );
}
