import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import { ErrorNote } from '../components/notes.tsx';
import { clockTime } from '../format.ts';
import type { ArchitectureBuild, Build, LogTail } from '../server/api-types.ts';
import { useRepeated } from '../server/use-repeated.ts';
import { useResource } from '../server/use-resource.ts';

const EVERY_MS = 3_000;
/** As near to the end as that is at the end, in pixels. */
const NEAR_PX = 24;

/** The end of a log that is being written, which follows it until the reader scrolls up. */
export function LogTailPane({ build, one }: { build: Build; one: ArchitectureBuild }) {
  const query = new URLSearchParams({ package: one.package, architecture: one.architecture });
  const tail = useResource<LogTail>(`/api/v1/build/${build.id}/log_tail/?${query.toString()}`);
  useRepeated(tail, EVERY_MS);
  const lines = useRef<HTMLDivElement>(null);
  const [isFollowing, follow] = useState(true);
  const { data, error } = tail;

  useLayoutEffect(() => {
    const box = lines.current;
    if (box && isFollowing) box.scrollTop = box.scrollHeight;
  }, [data?.end, isFollowing]);
  const hasText = data !== undefined && data.text !== '';
  useEffect(() => {
    if (hasText) announce('The end of the log is shown as it is written.');
  }, [hasText]);

  const onScroll = () => {
    const box = lines.current;
    if (box) follow(box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX);
  };
  return (
    <>
      <div class="log-bar tail-bar">
        <span class="muted">{sentenceOf(data)}</span>
        <button
          type="button"
          class={`button button-bare ${isFollowing ? 'hidden' : ''}`}
          onClick={() => {
            follow(true);
            // The button is hidden by then, and what is hidden loses the focus to the whole document.
            lines.current?.focus({ preventScroll: true });
          }}
        >
          Follow the end
        </button>
      </div>
      {error && <ErrorNote error={error} retry={tail.reload} />}
      <div
        ref={lines}
        class="log-lines"
        role="region"
        aria-label={`End of the log of ${one.package} on ${one.architecture}`}
        tabIndex={0}
        onScroll={onScroll}
      >
        <pre class="tail-text">{data?.text}</pre>
      </div>
    </>
  );
}

function sentenceOf(tail: LogTail | undefined): string {
  if (!tail) return 'Asking for the log…';
  const asOf = tail.as_of === null ? '' : `As of ${clockTime(tail.as_of)}. `;
  if (tail.state === 'ended')
    return `${asOf}It has ended; the whole log comes when the PPA has ended all of its builds.`;
  if (tail.state === 'waiting') return `${asOf}It waits for a builder again.`;
  if (tail.problem !== null) return `${asOf}${tail.problem.message}`;
  return tail.as_of === null
    ? 'It is being built. The end of its log comes in a few seconds.'
    : `${asOf}The end of the log, as it is written.`;
}
