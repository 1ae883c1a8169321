import { z } from 'zod';
import { PROGRESS_TRIGGER } from '../../domain/build-request.ts';
import type { ProgressState } from '../../domain/progress.ts';
import { progressMessageSchema } from '../resources/progress-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the messages of a state have besides what all have, and when they are sent. */
const STATES: Record<ProgressState, { summary: string; has: string[]; hasNot: string[] }> = {
  WAITING: {
    summary:
      'The PPA has not accepted the sources yet. The first one is sent when the request was accepted.',
    has: [],
    hasNot: ['exit', 'logs', 'failure', 'packages', 'apt'],
  },
  STATUS: {
    summary: 'The PPA has accepted the sources, and they are building.',
    has: [],
    hasNot: ['exit', 'logs', 'failure', 'packages', 'apt', 'upload'],
  },
  COMPLETED: {
    summary: 'The build has completed. The last message of its attempt.',
    has: ['exit', 'logs', 'packages', 'apt'],
    hasNot: ['failure', 'waiting', 'upload'],
  },
  FAILED: {
    summary:
      'The build has failed, or was cancelled. The last message of its attempt; a retry goes on in the same queue.',
    has: ['exit', 'logs', 'failure'],
    hasNot: ['packages', 'apt', 'waiting', 'upload'],
  },
};

/** Where the JSON Schema is served. */
export const SCHEMA_ADDRESS = '/api/v1/message.schema.json';

/**
 * The JSON Schema of the messages, made of the declaration that the API's own answers are checked by. It takes fields that
 * it does not know: later versions of Airline may add some.
 */
export function messageSchema(): Json {
  const {
    $schema,
    title: _,
    ...schema
  } = z.toJSONSchema(progressMessageSchema, {
    target: 'draft-7',
    io: 'output',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return {
    $schema,
    $id: SCHEMA_ADDRESS,
    title: 'A progress message of Airline',
    ...schema,
    oneOf: Object.entries(STATES).map(([state, { has, hasNot }]) => ({
      required: has,
      properties: {
        state: { const: state },
        ...Object.fromEntries(hasNot.map((name) => [name, false])),
      },
    })),
  };
}

/**
 * The AsyncAPI 3.0 document of the progress queues.
 *
 * @param version of Airline
 */
export function describeMessages(version: string): Json {
  const { $schema: _, $id: __, ...payload } = messageSchema();
  const names = Object.keys(STATES) as ProgressState[];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Progress messages of Airline',
      version,
      description:
        'A build request names a queue, `progress_trigger`, a webhook, or both. Airline declares the queue, durable, and sends the progress of the build to it: at every step, and at the regular interval. The events endpoint and its stream have the same messages.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      broker: {
        host: '{host}',
        protocol: 'amqp',
        protocolVersion: '0.9.1',
        description: 'The RabbitMQ of this Airline.',
        variables: { host: { description: 'Its address; ask the operator.' } },
      },
    },
    channels: {
      progress: {
        address: '{progress_trigger}',
        summary: "The caller's queue, in the broker's default exchange.",
        description:
          'A queue may have the messages of several builds. Within a build they come in the order of `seq`, each at least once: a consumer passes over what it has had.',
        parameters: {
          progress_trigger: {
            description: `The name that the request gave: ${PROGRESS_TRIGGER.source}`,
            examples: ['lander-ticket-7'],
          },
        },
        messages: Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: {
          amqp: {
            is: 'queue',
            queue: {
              name: '{progress_trigger}',
              durable: true,
              exclusive: false,
              autoDelete: false,
            },
            bindingVersion: '0.3.0',
          },
        },
      },
    },
    operations: {
      sendProgress: {
        action: 'send',
        channel: { $ref: '#/channels/progress' },
        summary: 'Airline tells where a build stands.',
        messages: names.map((name) => ({ $ref: `#/channels/progress/messages/${name}` })),
        bindings: { amqp: { deliveryMode: 2, mandatory: true, bindingVersion: '0.3.0' } },
      },
    },
    components: {
      messages: Object.fromEntries(
        names.map((name) => [name, { name, ...describeState(name, STATES[name].summary) }]),
      ),
      schemas: { progress_message: payload },
    },
  };
}

function describeState(state: ProgressState, summary: string): Json {
  return {
    title: state,
    summary,
    description:
      'AMQP: `message_id` is `<build_id>:<seq>`, `type` is the worker message where there is one, `app_id` is `airline`.',
    contentType: 'application/json',
    payload: {
      allOf: [
        { $ref: '#/components/schemas/progress_message' },
        { properties: { state: { const: state } } },
      ],
    },
    bindings: { amqp: { contentEncoding: 'utf-8', bindingVersion: '0.3.0' } },
  };
}
