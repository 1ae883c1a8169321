import type { ProgressMessage } from '../../domain/builds/progress.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { EventSource } from '../requests/event-stream.ts';

/** Where the events of a build come from. */
export function eventsOfBuild(
  { database: { Build, ProgressEvent }, feed }: Pick<HandlerDependencies, 'database' | 'feed'>,
  id: number,
): EventSource<ProgressMessage> {
  return {
    read: (...of) => ProgressEvent.findAfter(id, ...of),
    latestAttempt: async () => (await Build.findByPk(id, { attributes: ['attempt'] }))?.attempt,
    subscribe: (wake) => feed.subscribe('build', id, wake),
  };
}
