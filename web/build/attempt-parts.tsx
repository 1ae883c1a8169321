import { count } from '../format.ts';
import type { Build, ExpectedDuration, Page } from '../server/api-types.ts';
import type { Events } from '../server/use-events.ts';
import type { Resource } from '../server/use-resource.ts';
import type { OnRetry } from './architectures.tsx';
import { BuildsSection } from './builds-section.tsx';
import { BuiltPackages } from './built-packages.tsx';
import { EventList } from './event-list.tsx';
import { RequestDetails } from './request-details.tsx';
import { Verdict } from './verdict.tsx';

/**
 * All that is told of one attempt: what came of it, its logs, what was asked for, and its events.
 *
 * @param build as it was in this attempt
 * @param askForEvents loads the events, where that waits until they are asked for
 */
export function AttemptParts({
  build,
  events,
  askForEvents,
  expected,
  onRetry,
}: {
  build: Build;
  events: Events;
  askForEvents: (() => void) | undefined;
  expected: Resource<Page<ExpectedDuration>>;
  onRetry: OnRetry | undefined;
}) {
  return (
    <>
      <Verdict key={build.attempt} build={build} />
      <BuildsSection build={build} events={events.events} expected={expected} onRetry={onRetry} />
      <BuiltPackages build={build} />
      <div class="build-columns">
        <section aria-labelledby="facts">
          <h2 id="facts">Request</h2>
          <RequestDetails build={build} />
        </section>
        <section aria-labelledby="events">
          <h2 id="events">Events</h2>
          {askForEvents ? (
            <p class="card events-asked">
              <button type="button" class="button" onClick={askForEvents}>
                Show the events
              </button>
              <span class="muted">Each tells of all {count(build.builds.length)} builds.</span>
            </p>
          ) : (
            <EventList key={build.attempt} {...events} isOpen={build.finished_at === null} />
          )}
        </section>
      </div>
    </>
  );
}
