import { useLocation } from 'preact-iso/router';
import { useState } from 'preact/hooks';
import { Empty, ErrorNote } from '../components/notes.tsx';
import { useStableHeight } from '../components/use-stable-height.ts';
import { count } from '../format.ts';
import { LogSection } from './log-section.tsx';
import type { Build, ExpectedDuration, Page, ProgressMessage } from '../server/api-types.ts';
import type { Resource } from '../server/use-resource.ts';
import { Architectures, type OnRetry } from './architectures.tsx';
import { BuildMatrix } from './build-matrix.tsx';
import { buildPlaceAddress, buildPlaceOf, type BuildPlace } from './build-place.ts';
import { cellsOf, openedOf } from './cells.ts';
import { countGroups, GROUP_WORDS, groupOf, summaryOf } from './record-groups.ts';

/** So many packages can be looked through without a search. */
const FEW_PACKAGES = 8;

/** What the PPA builds, and beside it the log of the one that is open. */
export function BuildsSection({
  build,
  events,
  expected,
  onRetry,
}: {
  build: Build;
  events: readonly ProgressMessage[];
  expected: Resource<Page<ExpectedDuration>>;
  onRetry: OnRetry | undefined;
}) {
  const { query } = useLocation();
  const [search, setSearch] = useState('');
  // What comes in the place of what was awaited may need less room.
  const part = useStableHeight<HTMLDivElement>(build.builds.length, 'minHeight');
  const place = buildPlaceOf(query);
  const opened = openedOf(build, place);
  const known = { place, opened, events, expected: expected.data?.objects ?? [] };
  const cells = cellsOf(build, known);
  const packages = new Set(build.builds.map((one) => one.package));
  const hasMany = packages.size > 1;
  const groups = countGroups(build.builds);
  const shown = groups.find(({ group }) => group === place.show)?.group;
  const wanted = search.trim().toLowerCase();
  return (
    <section class="builds-and-log" aria-label="Builds and their logs">
      <div ref={part} class="builds-part">
        <div class="builds-head">
          <h2 id="architectures">{hasMany ? summaryOf(build.builds) : 'Architectures'}</h2>
          {packages.size > FEW_PACKAGES && (
            <input
              type="search"
              class="builds-search"
              aria-label="Packages whose name has"
              placeholder="Package"
              spellcheck={false}
              onInput={(event) => setSearch(event.currentTarget.value)}
            />
          )}
        </div>
        {hasMany && groups.length > 1 && <Groups {...{ build, place, groups, shown }} />}
        {build.builds.length === 0 && <NoBuilds isUnderWay={build.finished_at === null} />}
        {build.builds.length > 0 && !hasMany && <Architectures cells={cells} onRetry={onRetry} />}
        {hasMany && (
          <BuildMatrix
            cells={cells}
            choice={`${build.attempt} ${shown} ${wanted}`}
            wanted={(one) =>
              (shown === undefined || groupOf(one) === shown) &&
              one.package.toLowerCase().includes(wanted)
            }
          />
        )}
        {expected.error && (
          <ErrorNote
            what="How long it usually takes"
            error={expected.error}
            retry={expected.reload}
          />
        )}
      </div>
      <LogSection build={build} place={place} opened={opened} />
    </section>
  );
}

/** Which of the builds are shown: all, or those of one group. */
function Groups({
  build,
  place,
  groups,
  shown,
}: {
  build: Build;
  place: BuildPlace;
  groups: ReturnType<typeof countGroups>;
  shown: string | undefined;
}) {
  const choices = [
    { group: undefined, word: 'All', count: build.builds.length },
    ...groups.map((one) => ({ ...one, word: GROUP_WORDS[one.group] })),
  ];
  return (
    <nav class="chips" aria-label="Builds that are shown">
      {choices.map(({ group, word, count: number }) => (
        <a
          key={word}
          class={`chip chip-${group ?? 'all'}`}
          href={buildPlaceAddress(build.id, { ...place, show: group })}
          aria-current={group === shown ? 'true' : undefined}
        >
          {word} <span class="figure">{count(number)}</span>
        </a>
      ))}
    </nav>
  );
}

function NoBuilds({ isUnderWay }: { isUnderWay: boolean }) {
  return (
    <div class="builds-none">
      <Empty icon={isUnderWay ? 'queued' : 'cancelled'} title="The PPA has no builds of it.">
        <p>
          {isUnderWay
            ? 'Each package and architecture gets a line here when the PPA says what it builds.'
            : 'It ended before the PPA had said what it builds.'}
        </p>
      </Empty>
    </div>
  );
}
