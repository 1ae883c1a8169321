import { useRef } from 'preact/hooks';
import { landingAddress } from '../addresses.ts';
import { ErrorNote, Skeleton } from '../components/notes.tsx';
import { LOG_HASH, linesHash, logPlace, type LineRange } from '../log/log-address.ts';
import { LogPane } from '../log/log-pane.tsx';
import { useLogLink } from '../log/use-log-link.ts';
import type { Landing, Testrun } from '../server/api-types.ts';
import { useResource } from '../server/use-resource.ts';

/** The page of a landing at the log of a test run. */
export function testLogAddress(landing: Landing, runId: number, lines?: LineRange): string {
  return `${landingAddress(landing)}&run=${runId}${lines ? linesHash(lines) : LOG_HASH}`;
}

/** The log of a test run: one of the landing, or one that it is compared with. */
export function TestLog({ runId, landing }: { runId: number; landing: Landing }) {
  const section = useRef<HTMLElement>(null);
  useLogLink(section);
  // A run without the landing tells nothing by itself, but the landing is judged by it.
  const {
    data: run,
    error,
    reload,
  } = useResource<Testrun>(`/api/v1/testrun/${runId}/`, (change) =>
    change.landing.includes(landing.id),
  );
  const shown = run?.id === runId ? run : undefined;
  return (
    <section ref={section} aria-labelledby="log" class="log-section">
      <h2 id="log" tabIndex={-1}>
        {shown ? `Log of ${shown.source} on ${shown.architecture}` : 'Log'}
        {shown?.landing_id === null && ', without the landing'}
      </h2>
      {error && <ErrorNote what="The test run" error={error} retry={reload} />}
      {!shown && !error && <Skeleton lines={4} />}
      {shown && shown.log_url === null && <p class="muted">It has no log yet.</p>}
      {shown && shown.log_url !== null && (
        <div class="log-frame">
          <LogPane
            key={runId}
            place={logPlace(shown.log_url)}
            markedLine={undefined}
            addressOf={(lines) => testLogAddress(landing, runId, lines)}
          />
        </div>
      )}
    </section>
  );
}
