import { SpanKind } from '@opentelemetry/api';
import { inSpan } from '../timing/spans.ts';
import type { QueuedMessage } from './outboxes.ts';

/** Publishes a message of a build as a span of the build's trace. */
export async function asSpan(
  { buildId, traceparent = null, id, queue, type }: QueuedMessage,
  publish: () => Promise<void>,
): Promise<void> {
  if (buildId === undefined) return publish();
  const attributes = {
    'airline.build_id': buildId,
    'messaging.system': 'rabbitmq',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
  };
  return inSpan(
    `publish ${type ?? 'WAITING'}`,
    traceparent,
    { kind: SpanKind.PRODUCER, attributes },
    publish,
  );
}
