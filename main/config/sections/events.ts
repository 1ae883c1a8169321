import { count, milliseconds, section } from '../setting.ts';

export const events = section('Streams of events', {
  api: {
    limits: {
      streams: {
        heartbeatMs: milliseconds(
          'AIRLINE_EVENT_HEARTBEAT_MS',
          15_000,
          'A stream of events without new events sends a heartbeat this often. The command `airline` takes one that is silent for a minute for dead.',
          { max: 30_000 },
        ),
        pollMs: milliseconds(
          'AIRLINE_EVENT_POLL_MS',
          5_000,
          'A stream of events polls the database this often, told of a change or not.',
        ),
        max: count(
          'AIRLINE_EVENT_STREAMS',
          500,
          'Streams of events that an API process keeps open at once.',
        ),
        maxOfToken: count(
          'AIRLINE_EVENT_STREAMS_PER_TOKEN',
          100,
          'Streams of events that an API process keeps open at once for one token.',
        ),
      },
      changesMs: milliseconds(
        'AIRLINE_CHANGES_INTERVAL_MS',
        1_000,
        'Shortest time between two events of the stream of changes. Changes are polled four times as often.',
      ),
    },
  },
});
