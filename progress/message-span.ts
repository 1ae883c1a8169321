import { SpanKind } from '@opentelemetry/api';
import { inSpan } from '../timing/spans.ts';
import type { QueuedMessage } from './outboxes.ts';

/** Gives the trace that a build is part of; null where there is none. */
export type ReadTrace = (buildId: number) => Promise<{ readonly traceparent: string } | null>;

/**
 * Publishes a message of a build as a span of the build's trace.
 *
 * @param readTrace undefined: no traces are recorded
 */
export async function asSpan(
  { buildId, id, queue, type }: QueuedMessage,
  readTrace: ReadTrace | undefined,
  publish: () => Promise<void>,
): Promise<void> {
  if (!readTrace || buildId === undefined) return publish();
  const attributes = {
    'airline.build_id': buildId,
    'messaging.system': 'rabbitmq',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
  };
  const { traceparent = null } = (await readTrace(buildId)) ?? {};
  return inSpan(
    `publish ${type ?? 'WAITING'}`,
    traceparent,
    { kind: SpanKind.PRODUCER, attributes },
    publish,
  );
}
