import { landingMessageId, type LandingEventBody } from '../domain/landings/landing.ts';
import { messageId, type ProgressMessage } from '../domain/builds/progress.ts';
import type { Database } from '../models/database.ts';
import type { Published, PublishOptions } from '../models/events/publish-events.ts';

/** A message for a caller's queue. */
export type QueuedMessage = {
  queue: string;
  /** The build that it tells of. */
  buildId?: number;
  /** The trace that the build is part of; null where none is recorded. */
  traceparent?: string | null;
  /** AMQP `message_id`, by which a consumer recognises a redelivery. */
  id: string;
  /** AMQP `type`. */
  type: string | undefined;
  /** RFC 3339, UTC. */
  timestamp: string;
  body: object;
};

/** Events that are to be messages. */
export type Outbox = {
  /** How many wait for the broker, counted up to a limit. */
  unpublished(limit: number): Promise<number>;
  /** Publishes what waits of one owner, as `publishNext` does. */
  publishNext(
    publish: (message: QueuedMessage) => Promise<void>,
    options: PublishOptions,
  ): Promise<Published | null>;
};

/** Those of the builds, and those of the landings whose requests named a queue. */
export function outboxesOf({
  ProgressEvent,
  LandingEvent,
}: Pick<Database, 'ProgressEvent' | 'LandingEvent'>): Outbox[] {
  return [
    {
      unpublished: (limit) => ProgressEvent.unpublished(limit),
      publishNext: (publish, options) =>
        ProgressEvent.publishNextBuild(
          (body, _queue, traceparent) => publish(buildMessage(body, traceparent)),
          options,
        ),
    },
    {
      unpublished: (limit) => LandingEvent.unpublished(limit),
      publishNext: (publish, options) =>
        LandingEvent.publishNextLanding(
          (body, queue) => publish(landingMessage(body, queue)),
          options,
        ),
    },
  ];
}

function buildMessage(body: ProgressMessage, traceparent: string | null): QueuedMessage {
  const { progress_trigger: queue, timestamp, message } = body;
  if (queue === null) throw new Error(`${messageId(body)} is of a build without a queue`);
  return {
    queue,
    buildId: body.build_id,
    traceparent,
    id: messageId(body),
    type: message ?? undefined,
    timestamp,
    body,
  };
}

function landingMessage(body: LandingEventBody, queue: string): QueuedMessage {
  return {
    queue,
    id: landingMessageId(body),
    type: 'LANDING',
    timestamp: body.timestamp,
    body,
  };
}
