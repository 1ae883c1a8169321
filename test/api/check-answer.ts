import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type {
  DescribedAnswer,
  DescribedOperation,
  OpenApiDocument,
} from '../../api/openapi/document.ts';

/** A request and what came of it. */
export type Exchange = {
  method: string;
  path: string;
  requestHeaders?: Readonly<Record<string, string>>;
  status: number;
  headers: Headers;
  text: string;
};

/** Fails a test whose API has answered as its OpenAPI document does not say. */
export type CheckAnswer = (exchange: Exchange) => void;

const DOCUMENT = 'openapi';
/** What stands in a path for the parameters that are not any text without a slash. */
const PARAMETERS: Readonly<Record<string, string>> = { id: '\\d+', key: '.+' };
const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
const PROBLEM = '/components/schemas/problem';

/** The answers of errors. Their names are the codes that they stand for. */
const ERROR_ANSWERS = '/components/responses/';

/**
 * Makes what holds answers to a document: their status, their media type, their JSON, the code of an error, and those
 * of their headers that the document knows. An address or a method that it has not is passed over.
 */
export function createAnswerCheck(document: OpenApiDocument): CheckAnswer {
  // Each schema checks a few answers only: to make its code short would take longer than it saves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema(document, DOCUMENT);
  const compiled = new Map<string, ValidateFunction>();
  const routes = Object.entries(document.paths)
    .map(([path, methods]) => ({ path, methods, pattern: patternOf(path) }))
    // A fixed address goes before one with a parameter in its place.
    .toSorted((one, other) => (sortKey(one.path) < sortKey(other.path) ? -1 : 1));
  const knownHeaders = Object.keys(document.components['headers'] ?? {});

  return (exchange) => {
    const [path = ''] = exchange.path.split('?');
    const route = routes.find(({ pattern }) => pattern.test(path));
    const method = methodOf(exchange);
    const operation = route?.methods[method];
    if (!route || !operation) return;
    const problems = problemsOf(exchange, operation, `/paths/${escape(route.path)}/${method}`);
    if (problems.length > 0)
      throw new Error(
        [
          `${exchange.method} ${exchange.path} answered ${exchange.status}, and not as ${operation.operationId} is documented:`,
          ...problems,
          exchange.text.slice(0, 1_000),
        ].join('\n'),
      );
  };

  function problemsOf(exchange: Exchange, operation: DescribedOperation, at: string): string[] {
    const pointer = pointerOf(operation, String(exchange.status), at);
    if (pointer === undefined) return [`the status ${exchange.status} is not documented`];
    const answer = lookUp(document, pointer) as DescribedAnswer;
    const documented = Object.keys(answer.headers ?? {});
    const headers = knownHeaders
      .filter((name) => exchange.headers.has(name) && !documented.includes(name))
      .map((name) => `the header ${name} is not documented`);
    return [
      ...headers,
      ...problemsOfBody(exchange, answer, pointer),
      ...problemsOfCode(exchange, pointer),
    ];
  }

  function problemsOfBody(exchange: Exchange, { content }: DescribedAnswer, at: string): string[] {
    const { headers, text, method } = exchange;
    if (method === 'HEAD' || headers.has('Preference-Applied'))
      return text === '' ? [] : ['there is a body'];
    const [type = ''] = (headers.get('Content-Type') ?? '').split(';');
    if (type === PROBLEM_TYPE) return problemsOfJson(text, PROBLEM);
    if (content === undefined) return text === '' ? [] : ['there is a body'];
    const known = [type, '*/*'].find((one) => content[one] !== undefined);
    if (known === undefined) return [`the media type ${JSON.stringify(type)} is not documented`];
    if (known !== JSON_TYPE) return [];
    return problemsOfJson(text, `${at}/content/${escape(known)}/schema`);
  }

  function problemsOfCode({ text, headers }: Exchange, at: string): string[] {
    const isJson = [JSON_TYPE, PROBLEM_TYPE].includes(headers.get('Content-Type') ?? '');
    if (!at.startsWith(ERROR_ANSWERS) || !isJson || text === '') return [];
    const { code } = JSON.parse(text) as { code?: unknown };
    const documented = at.slice(ERROR_ANSWERS.length).split('.');
    // What is keyed by a resource's fields has none.
    if (typeof code !== 'string' || documented.includes(code)) return [];
    return [`the code ${code} is not documented, but ${documented.join(', ')}`];
  }

  function problemsOfJson(text: string, at: string): string[] {
    const validate = compiled.get(at) ?? ajv.compile({ $ref: `${DOCUMENT}#${encodeURI(at)}` });
    compiled.set(at, validate);
    if (validate(JSON.parse(text))) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
    );
  }
}

function methodOf({ method, requestHeaders = {} }: Exchange): string {
  const override = new Headers(requestHeaders).get('X-HTTP-Method-Override');
  if (method === 'POST' && override !== null) return override.toLowerCase();
  return method === 'HEAD' ? 'get' : method.toLowerCase();
}

/** Where the answer of a status is described; undefined: nowhere. */
function pointerOf(operation: DescribedOperation, status: string, at: string): string | undefined {
  const answer = operation.responses[status];
  if (answer === undefined) return undefined;
  return '$ref' in answer && typeof answer.$ref === 'string'
    ? answer.$ref.replace(/^#/, '')
    : `${at}/responses/${status}`;
}

function lookUp(document: unknown, pointer: string): unknown {
  let found = document;
  for (const part of pointer.split('/').slice(1))
    found = (found as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  return found;
}

function escape(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

function patternOf(path: string): RegExp {
  const fixed = path.replace(/\/$/, '').replaceAll('.', String.raw`\.`);
  const pattern = fixed.replaceAll(/\{(\w+)\}/g, (_, name: string) => PARAMETERS[name] ?? '[^/]+');
  return new RegExp(`^${pattern}/?$`);
}

function sortKey(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '~');
}
