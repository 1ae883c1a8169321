import type { LandingEventBody } from '../../domain/landings/landing.ts';
import type { EventSource } from '../requests/event-stream.ts';
import type { HandlerDependencies } from '../dependencies.ts';

/** Where the events of a landing come from. Each one changes the landing's row, too. */
export function eventsOfLanding(
  { database: { Landing, LandingEvent }, feed }: Pick<HandlerDependencies, 'database' | 'feed'>,
  landingId: number,
): EventSource<LandingEventBody> {
  return {
    read: (...of) => LandingEvent.findAfter(landingId, ...of),
    latestAttempt: async () =>
      (await Landing.findByPk(landingId, { attributes: ['attempt'] }))?.attempt,
    subscribe: (wake) =>
      feed.subscribeToChanges({
        missed: wake,
        changed: (kind, id) => {
          if (kind === 'landing' && id === landingId) wake();
        },
      }),
  };
}
