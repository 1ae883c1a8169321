import { useEffect, useRef } from 'preact/hooks';
import { durationText } from '../../domain/text/quantity-text.ts';
import { nowMs } from '../clock.ts';
import type { BuildPlace } from './build-place.ts';
import { isCancelling } from './cancel-and-retry.ts';
import { logsOf, type Opened } from './cells.ts';
import { Empty } from '../components/notes.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import type { ArchitectureBuild, Build } from '../server/api-types.ts';
import { architectureLabel } from '../states.ts';
import { linesInAddress } from '../log/log-address.ts';
import { LogPane } from '../log/log-pane.tsx';
import { useLogLink } from '../log/use-log-link.ts';
import { failureLogPlace, logAddress } from './build-log-address.ts';
import { LogTailPane } from './log-tail-pane.tsx';

/** The log of what is open of a build; what there is to know of it, where it has none. */
export function LogSection({
  build,
  place,
  opened: { one, log },
}: {
  build: Build;
  place: BuildPlace;
  opened: Opened;
}) {
  const section = useShownOnChoice(`${place.log} ${place.cell}`);
  useLogLink(section);
  const failedIn = failureLogPlace(build);
  const markedLine = log && failedIn?.name === log.name ? build.failure?.line : undefined;
  const own = one ? logsOf(build, one) : [];
  return (
    <div ref={section} class="log-section">
      <div class="log-head">
        <h2 id="log" tabIndex={-1}>
          {one ? `${one.package} on ${one.architecture}` : 'Log'}
        </h2>
        {one && (
          <span class="log-head-state">
            <StateBadge label={architectureLabel(one, isCancelling(build))} isPlain />
            <ExternalLink to={one.web_link}>{one.buildstate}</ExternalLink>
          </span>
        )}
      </div>
      <div class="log-frame">
        {own.length > 1 && (
          <nav class="log-tabs" aria-label="Logs">
            {own.map(({ name }) => (
              <a
                key={name}
                href={logAddress(build, name)}
                aria-current={name === log?.name ? 'true' : undefined}
              >
                {name.endsWith('.upload.log') ? 'Upload log' : 'Build log'}
              </a>
            ))}
          </nav>
        )}
        {log ? (
          <LogPane
            key={`${build.attempt} ${log.name}`}
            place={log}
            markedLine={markedLine}
            addressOf={(lines) => logAddress(build, log.name, lines)}
          />
        ) : (
          <NoLog key={`${build.attempt} ${place.cell}`} build={build} one={one} />
        )}
      </div>
    </div>
  );
}

function NoLog({ build, one }: { build: Build; one: ArchitectureBuild | undefined }) {
  // What was followed stays until the whole log is here.
  const wasBuilding = useRef(false);
  wasBuilding.current ||= one?.state === 'building';
  if (build.finished_at === null && one && wasBuilding.current)
    return <LogTailPane build={build} one={one} />;
  if (build.finished_at !== null)
    return (
      <Empty icon="queued" title="There is no log.">
        <p>{one ? 'The PPA kept none of it.' : 'It ended before anything was built.'}</p>
      </Empty>
    );
  return (
    <Empty icon="queued" title="The log is not here yet.">
      {one && <p>{sentenceOf(one)}</p>}
      <p>Logs are collected when the PPA has ended its builds. Follow in the terminal, too:</p>
      <pre class="command">airline build watch {build.id}</pre>
    </Empty>
  );
}

function sentenceOf({
  state,
  architecture,
  started_at: startedAt,
  created_at: createdAt,
  dependencies,
}: ArchitectureBuild): string {
  const sinceText = (at: string | null | undefined) =>
    at ? ` for ${durationText(nowMs.value - Date.parse(at))}` : '';
  switch (state) {
    case 'waiting':
      return `It has waited for a builder of ${architecture}${sinceText(createdAt)}.`;
    case 'building':
      return `It has been building${sinceText(startedAt)}.`;
    case 'dependency_wait':
      return `It waits for ${dependencies ?? 'build dependencies'}, which neither the series nor the PPA has.`;
    case 'completed':
      return 'It is built.';
    default:
      return 'Its build has ended.';
  }
}

/** What was chosen above on a narrow page is scrolled to; beside it, it is seen already. */
function useShownOnChoice(choice: string) {
  const section = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && !linesInAddress())
      section.current?.scrollIntoView({ block: 'nearest' });
    isFirst.current = false;
  }, [choice]);
  return section;
}
