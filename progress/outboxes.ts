import { landingMessageId, type LandingEventBody } from '../domain/landing.ts';
import { messageId, type ProgressMessage } from '../domain/progress.ts';
import type { Database } from '../models/database.ts';
import type { Published, PublishOptions } from '../models/publish-events.ts';

/** A message for a caller's queue. */
export type QueuedMessage = {
  queue: string;
  /** What it tells of, such as `build 7`. */
  of: string;
  /** The build that it tells of. */
  buildId?: number;
  /** Its number among those. */
  seq: number;
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
  /** How many wait for the broker. */
  unpublished(): Promise<number>;
  /** Publishes what waits of one owner, as `publishNext` does. */
  publishNext(
    publish: (message: QueuedMessage) => Promise<void>,
    options: PublishOptions,
  ): Promise<Published | null>;
  /** The messages of the same attempt before one, those closest to it. */
  earlier(message: QueuedMessage): Promise<QueuedMessage[]>;
};

/** Events that are sent again into a queue that had to be made anew: more than a build has in a day. */
const MAX_EARLIER = 1_000;

/** Those of the builds, and those of the landings whose requests named a queue. */
export function outboxesOf({
  ProgressEvent,
  LandingEvent,
}: Pick<Database, 'ProgressEvent' | 'LandingEvent'>): Outbox[] {
  return [
    {
      unpublished: () => ProgressEvent.unpublished(),
      async publishNext(publish, options) {
        const next = await ProgressEvent.publishNextBuild(
          (body) => publish(buildMessage(body)),
          options,
        );
        return next && { id: next.buildId, ...next };
      },
      earlier: async ({ of, seq }) =>
        (await beforeIn(ProgressEvent, of, seq)).map((body) => buildMessage(body)),
    },
    {
      unpublished: () => LandingEvent.unpublished(),
      publishNext: (publish, options) =>
        LandingEvent.publishNextLanding(
          (body, queue) => publish(landingMessage(body, queue)),
          options,
        ),
      earlier: async ({ of, seq, queue }) =>
        (await beforeIn(LandingEvent, of, seq)).map((body) => landingMessage(body, queue)),
    },
  ];
}

function buildMessage(body: ProgressMessage): QueuedMessage {
  const { progress_trigger: queue, seq, timestamp, message } = body;
  if (queue === null) throw new Error(`${messageId(body)} is of a build without a queue`);
  const of = `build ${body.build_id}`;
  return {
    queue,
    of,
    buildId: body.build_id,
    seq,
    id: messageId(body),
    type: message ?? undefined,
    timestamp,
    body,
  };
}

function landingMessage(body: LandingEventBody, queue: string): QueuedMessage {
  const { landing_id: id, seq, timestamp } = body;
  return {
    queue,
    of: `landing ${id}`,
    seq,
    id: landingMessageId(body),
    type: 'LANDING',
    timestamp,
    body,
  };
}

/** Events up to a final one belong to an earlier attempt: a caller must not take them for the retry's. */
async function beforeIn<Body extends { seq: number; exit?: true }>(
  events: { findAfter(id: number, seq: number, limit: number): Promise<Body[]> },
  of: string,
  seq: number,
): Promise<Body[]> {
  const id = Number(of.split(' ')[1]);
  const first = Math.max(0, seq - 1 - MAX_EARLIER);
  const before: Body[] = [];
  let after = first;
  while (after < seq - 1) {
    before.push(...(await events.findAfter(id, after, seq - 1 - after)));
    after = before.at(-1)?.seq ?? seq;
  }
  return before.slice(before.findLastIndex(({ exit }) => exit) + 1);
}
