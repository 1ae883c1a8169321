import { happensOnce } from '../http/idempotency.ts';
import type { Operation } from '../http/operation.ts';

type Header = { readonly description: string; readonly schema: Readonly<Record<string, unknown>> };

const TEXT = { type: 'string' };

/** Headers of requests, by their names. */
export const REQUEST_HEADERS = {
  'X-Request-Id': {
    description:
      'The id of the request, for the log and the answer. One with other characters is replaced.',
    schema: TEXT,
  },
  traceparent: {
    description: 'The trace that the request is a part of (W3C Trace Context).',
    schema: TEXT,
  },
  'If-None-Match': {
    description:
      'An ETag that the caller has: 304 while it holds. `*` on a PUT: add, never change.',
    schema: TEXT,
  },
  Range: {
    description:
      'The bytes to send, as `bytes=<first>-<last>`, `bytes=<first>-` or `bytes=-<how many>`. All are sent for others.',
    schema: TEXT,
  },
  'If-Range': {
    description:
      'The ETag of what the caller has a part of: all bytes are sent where it is another.',
    schema: TEXT,
  },
  'If-Match': {
    description:
      'The ETag of what is to be changed or, of a file, read; 412 where there is a newer one.',
    schema: TEXT,
  },
  Prefer: {
    description:
      '`return=minimal`: the answer has no body. `handling=strict`: fields that are not known are refused.',
    schema: TEXT,
  },
  'Idempotency-Key': {
    description:
      'A text that the caller makes up for each new request. A request that is repeated with it is done once.',
    schema: {
      type: 'string',
      pattern: String.raw`^(?:"[ !#-\[\]-~]{1,255}"|[!#-~]{1,255})$`,
    },
  },
  'Last-Event-ID': {
    description: 'For the stream: the seq of the last event that the caller has. Pages ignore it.',
    schema: TEXT,
  },
} as const satisfies Record<string, Header>;

/** Headers of answers, by their names. */
export const ANSWER_HEADERS = {
  'X-Request-Id': { description: 'The id of the request.', schema: TEXT },
  traceparent: { description: 'The trace, with the request as its latest part.', schema: TEXT },
  ETag: {
    description:
      'The version that is answered; after a write, only for resources that count their changes.',
    schema: TEXT,
  },
  'Accept-Ranges': { description: '`Range` can ask for a part.', schema: { const: 'bytes' } },
  'Content-Range': {
    description: 'The bytes that are sent, and how many there are (RFC 9110, 14.4).',
    schema: TEXT,
  },
  Location: { description: 'Where the new one is.', schema: TEXT },
  Link: {
    description:
      'The next and the previous page (RFC 8288), unless that gets too long; of the list of resources, the documents that describe the API (RFC 8631).',
    schema: TEXT,
  },
  'Airline-Ignored': {
    description: 'The fields of the request that were ignored, at most 20, separated by commas.',
    schema: TEXT,
  },
  'Preference-Applied': { description: 'The preference that was followed.', schema: TEXT },
  'Idempotency-Replayed': {
    description: 'This is the answer to the first request with the key.',
    schema: { const: 'true' },
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  RateLimit: { description: 'How much of the limit is left, if there is a limit.', schema: TEXT },
  'RateLimit-Policy': { description: 'The limit, if there is one.', schema: TEXT },
  'WWW-Authenticate': {
    description: 'How to sign in, or the scope that is missing (RFC 6750).',
    schema: TEXT,
  },
} as const satisfies Record<string, Header>;

type RequestHeader = keyof typeof REQUEST_HEADERS;
type AnswerHeader = keyof typeof ANSWER_HEADERS;

const ALWAYS = ['X-Request-Id', 'traceparent'] as const;
const RATE = ['RateLimit', 'RateLimit-Policy'] as const;
const WITH_RETRY_AFTER: readonly number[] = [409, 429, 503];

/** The headers that an operation looks at. */
export function requestHeadersOf(operation: Operation): RequestHeader[] {
  const { errors, query } = operation;
  const resumes =
    query?.shape['after'] !== undefined &&
    Object.values(operation.answers).some(({ mediaType }) => mediaType === 'text/event-stream');
  return [
    ...ALWAYS,
    ...when(hasEtag(operation) || operation.method === 'put', 'If-None-Match'),
    ...(givesParts(operation) ? (['Range', 'If-Range'] as const) : []),
    ...when(errors.includes('precondition_failed'), 'If-Match'),
    ...when(answersWriting(operation) || operation.body !== undefined, 'Prefer'),
    ...when(happensOnce(operation), 'Idempotency-Key'),
    ...when(resumes, 'Last-Event-ID'),
  ];
}

/** The headers that may be in an operation's answer of a status, when it has done what it was asked for. */
export function answerHeadersOf(operation: Operation, status: number): AnswerHeader[] {
  const isPage = (operation.query ?? operation.listQuery)?.shape['limit'] !== undefined;
  const writesOne = answersWriting(operation) && operation.resource !== undefined;
  return [
    ...ALWAYS,
    ...when(hasEtag(operation) || writesOne, 'ETag'),
    ...when(givesParts(operation), 'Accept-Ranges'),
    ...when(status === 206, 'Content-Range'),
    ...when(isPage || operation.hasLinks === true, 'Link'),
    ...when(namesWhereItIs(operation, status), 'Location'),
    ...when(operation.body !== undefined, 'Airline-Ignored'),
    ...when(answersWriting(operation), 'Preference-Applied'),
    ...when(happensOnce(operation), 'Idempotency-Replayed'),
    ...(operation.scope === null ? [] : RATE),
  ];
}

/** The headers that may be in an error's answer. */
export function errorHeadersOf(status: number): AnswerHeader[] {
  return [
    ...ALWAYS,
    ...RATE,
    ...when(status === 416, 'Content-Range'),
    ...when(WITH_RETRY_AFTER.includes(status), 'Retry-After'),
    ...when(status === 401 || status === 403, 'WWW-Authenticate'),
  ];
}

/** Whether the operation tells a caller that it has the answer already. */
export function hasEtag({ method, isVolatile }: Operation): boolean {
  return method === 'get' && isVolatile === undefined;
}

function givesParts({ answers }: Operation): boolean {
  return answers[206] !== undefined;
}

function answersWriting(operation: Operation): boolean {
  const hasBody = Object.values(operation.answers).some(({ schema }) => schema !== undefined);
  return happensOnce(operation) && hasBody;
}

/** A file of the data store tells its address when it was there already, too. */
function namesWhereItIs({ method, bodyMediaType }: Operation, status: number): boolean {
  return method !== 'get' && (status === 201 || status === 202 || bodyMediaType !== undefined);
}

function when<const Name extends string>(condition: boolean, name: Name): Name[] {
  return condition ? [name] : [];
}
