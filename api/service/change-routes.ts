import { answerStream, EVENT_STREAM } from '../http/answer-stream.ts';
import { streamChanges } from './change-stream.ts';
import type { Operation } from '../http/operation.ts';

/** The stream of changes, for pages that show tickets, builds and landings as they are now. */
export const changesOperation: Operation = {
  method: 'get',
  path: '/api/v1/changes/',
  summary: 'Follow which tickets, builds and landings change, as Server-Sent Events',
  scope: 'read',
  isVolatile: true,
  answers: {
    200: {
      description:
        '`ready`: every change from now on is sent, so load now what you show. `change`: `{"ticket": [ids], "build": [ids], "landing": [ids]}`. `heartbeat` comes where there is nothing else to tell. `ready` and `heartbeat` have `{"heartbeat_ms": ms}`: there is another event by then.',
      mediaType: EVENT_STREAM,
    },
  },
  errors: ['overloaded'],
  handle: (ctx, { feed, streams, limits }) => {
    const intervals = { changesMs: limits.changesMs, heartbeatMs: limits.streams.heartbeatMs };
    answerStream(ctx, streams, (output, signal) => streamChanges(feed, intervals, output, signal));
  },
};
