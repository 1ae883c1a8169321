import type { LandingEventBody } from '../../domain/landings/landing.ts';
import type { EventSource } from '../requests/event-stream.ts';
import type { HandlerDependencies } from '../dependencies.ts';

/** Where the events of a landing come from. */
export function eventsOfLanding(
  { database: { Landing, LandingEvent }, feed }: Pick<HandlerDependencies, 'database' | 'feed'>,
  landingId: number,
): EventSource<LandingEventBody> {
  return {
    read: (...of) => LandingEvent.findAfter(landingId, ...of),
    latestAttempt: async () =>
      (await Landing.findByPk(landingId, { attributes: ['attempt'] }))?.attempt,
    subscribe: (wake) => feed.subscribe('landing', landingId, wake),
  };
}
