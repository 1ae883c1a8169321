import { packageAddress } from '../addresses.ts';
import { nowMs } from '../clock.ts';
import { ErrorNote } from '../components/notes.tsx';
import { ExternalLink } from '../components/external-link.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { useStableHeight } from '../components/use-stable-height.ts';
import { counted, duration, roughDuration } from '../format.ts';
import type {
  ArchitectureBuild,
  Build,
  ExpectedDuration,
  Page,
  ProgressMessage,
} from '../server/api-types.ts';
import type { Resource } from '../server/use-resource.ts';
import { architectureLabel } from '../states.ts';
import { timesOf, type BuildTimes } from './build-times.ts';

/** Each architecture's state, how long it takes and is expected to take, and where that expectation comes from. */
export function Architectures({
  build,
  events,
  expected,
}: {
  build: Build;
  events: readonly ProgressMessage[];
  expected: Resource<Page<ExpectedDuration>>;
}) {
  const room = useStableHeight<HTMLDivElement>(`${build.builds.length} ${expected.error?.message}`);
  const isUnderWay = build.finished_at === null;
  return (
    <div ref={room}>
      {build.builds.length === 0 ? (
        <p class={`card muted architectures-none ${isUnderWay ? 'architectures-awaited' : ''}`}>
          {isUnderWay
            ? 'The PPA has not said yet what it builds. Each package and architecture gets a line here.'
            : 'It ended before the PPA had said what it builds.'}
        </p>
      ) : (
        <ul class="card architectures">
          {build.builds.map((one) => (
            <Architecture
              key={`${one.package} ${one.architecture}`}
              one={one}
              times={timesOf(one, events, build.finished_at)}
              expected={expected.data?.objects.find(
                ({ package: name, architecture }) =>
                  name === one.package && architecture === one.architecture,
              )}
            />
          ))}
        </ul>
      )}
      {expected.error && (
        <ErrorNote
          what="How long it usually takes"
          error={expected.error}
          retry={expected.reload}
        />
      )}
    </div>
  );
}

function Architecture({
  one,
  times,
  expected,
}: {
  one: ArchitectureBuild;
  times: BuildTimes;
  expected: ExpectedDuration | undefined;
}) {
  const { startedAt, endedAt } = times;
  const elapsedMs =
    startedAt === undefined
      ? undefined
      : (endedAt === undefined ? nowMs.value : Date.parse(endedAt)) - Date.parse(startedAt);
  const medianMs = expected?.median_ms ?? undefined;
  return (
    <li class="architecture">
      <span class="architecture-name">
        <b>{one.architecture}</b>
        <a class="breakable" href={packageAddress(one.package)}>
          {one.package}
        </a>
      </span>
      <span class="architecture-state">
        <StateBadge label={architectureLabel(one)} />
      </span>
      <span class="architecture-time">
        <span class="figure">
          {elapsedMs === undefined ? '–' : duration(elapsedMs)}
          {medianMs !== undefined && <span class="muted"> of about {roughDuration(medianMs)}</span>}
        </span>
        <Progress
          state={one.state}
          share={medianMs && elapsedMs !== undefined ? elapsedMs / medianMs : undefined}
          label={`${one.package} on ${one.architecture}`}
        />
        <span class="muted architecture-source">{sourceOf(one, expected)}</span>
      </span>
      <span class="architecture-ppa">
        <ExternalLink to={one.web_link}>{one.buildstate}</ExternalLink>
        {one.dependencies !== undefined && <span class="breakable"> on {one.dependencies}</span>}
      </span>
    </li>
  );
}

/** A bar that fills as the expected time passes; never full before the build is done. */
function Progress({
  state,
  share,
  label,
}: {
  state: string;
  share: number | undefined;
  label: string;
}) {
  const isDone = state === 'completed';
  const isOver = isDone || state === 'failed';
  const value = isOver ? 100 : Math.min(97, Math.round((share ?? 0) * 100));
  return (
    <progress
      class={`bar ${state === 'failed' ? 'bar-bad' : isDone ? 'bar-ok' : ''}`}
      max={100}
      value={value}
      aria-label={`Time of ${label}, as a share of what is expected`}
    />
  );
}

function sourceOf(one: ArchitectureBuild, expected: ExpectedDuration | undefined): string {
  if (!expected) return 'usual time not known yet';
  if (expected.median_ms === null || expected.builds === 0)
    return `no earlier build on ${one.architecture} to go by`;
  return expected.builds === 1
    ? 'as its one earlier build took'
    : `median of its last ${counted(expected.builds, 'build')}`;
}
