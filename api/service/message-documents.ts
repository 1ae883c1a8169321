import { z } from 'zod';
import { PROGRESS_TRIGGER } from '../../domain/builds/build-request.ts';
import type { ProgressState } from '../../domain/builds/progress.ts';
import { landingEventSchema } from '../resources/landing.ts';
import { progressMessageSchema } from '../resources/progress-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the messages of a state have besides what all have, and when they are sent. */
const STATES: Record<ProgressState, { summary: string; has: string[]; hasNot: string[] }> = {
  WAITING: {
    summary:
      'The PPA has not accepted the sources yet; with an order, those of the next level. The first one is sent when the request was accepted.',
    has: [],
    hasNot: ['exit', 'logs', 'failure', 'packages', 'apt'],
  },
  STATUS: {
    summary:
      'The PPA has accepted the sources: they are built, wait there (`phase` says for what), or their logs are collected.',
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

/** Where the JSON Schemas are served. */
export const SCHEMA_ADDRESS = '/api/v1/message.schema.json';
export const LANDING_SCHEMA_ADDRESS = '/api/v1/landing-message.schema.json';

/**
 * The JSON Schema of the messages, made of the declaration that the API's own answers are checked by. It takes fields
 * that it does not know: later versions of Airline may add some.
 */
export function messageSchema(): Json {
  return {
    ...schemaOf(progressMessageSchema, SCHEMA_ADDRESS, 'A progress message of Airline'),
    oneOf: Object.entries(STATES).map(([state, { has, hasNot }]) => ({
      required: has,
      properties: {
        state: { const: state },
        ...Object.fromEntries(hasNot.map((name) => [name, false])),
      },
    })),
  };
}

/** The JSON Schema of the messages of a landing; it takes fields that it does not know, too. */
export function landingMessageSchema(): Json {
  return schemaOf(landingEventSchema, LANDING_SCHEMA_ADDRESS, 'A message of a landing');
}

function schemaOf(declared: z.ZodType, address: string, title: string): Json {
  const {
    $schema,
    title: _,
    ...schema
  } = z.toJSONSchema(declared, {
    target: 'draft-7',
    io: 'output',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return { $schema, $id: address, title, ...schema };
}

/**
 * The AsyncAPI 3.0 document of the progress queues.
 *
 * @param version of Airline
 */
export function describeMessages(version: string): Json {
  const messages = {
    ...Object.fromEntries(
      (Object.keys(STATES) as ProgressState[]).map((name) => [
        name,
        { name, ...describeState(name, STATES[name].summary) },
      ]),
    ),
    LANDING: LANDING_MESSAGE,
  };
  const names = Object.keys(messages);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Progress messages of Airline',
      version,
      description:
        'A build request names a queue, `progress_trigger`, a webhook, or both. Airline declares the queue, durable, and sends the progress of the build to it: at every step, and at the regular interval. A landing request names one, too. The events endpoints and the stream have the same messages.',
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
          'A queue may have the messages of several builds and landings. Those of one build, and those of one landing, come in the order of `seq`, each at least once: a consumer passes over what it has had. A message of a landing has no `build_id`.',
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
        summary: 'Airline tells where a build or a landing stands.',
        messages: names.map((name) => ({ $ref: `#/channels/progress/messages/${name}` })),
        bindings: { amqp: { deliveryMode: 2, mandatory: true, bindingVersion: '0.3.0' } },
      },
    },
    components: {
      messages,
      schemas: {
        progress_message: payloadOf(messageSchema()),
        landing_message: payloadOf(landingMessageSchema()),
      },
    },
  };
}

const LANDING_MESSAGE = {
  name: 'LANDING',
  title: 'LANDING',
  summary: 'Where a landing stands. The last one of an attempt has `exit`.',
  description:
    'AMQP: `message_id` is `landing:<landing_id>:<seq>`, `type` is `LANDING`, `app_id` is `airline`.',
  contentType: 'application/json',
  payload: { $ref: '#/components/schemas/landing_message' },
  bindings: { amqp: { contentEncoding: 'utf-8', bindingVersion: '0.3.0' } },
} as const;

function payloadOf(schema: Json): Json {
  const { $schema: _, $id: __, ...payload } = schema;
  return payload;
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
