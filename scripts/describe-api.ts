import { readFileSync, writeFileSync } from 'node:fs';
import { OPERATIONS } from '../api/operations.ts';
import { describeApi, type OpenApiDocument } from '../api/openapi/document.ts';
import { errorsOf } from '../api/openapi/error-answers.ts';
import type { Operation } from '../api/http/operation.ts';
import { ERRORS, type ErrorCode } from '../domain/errors.ts';
import { replaceSection } from './marked-section.ts';
import { markdownTable } from './markdown-table.ts';

// Writes the table of endpoints into docs/api.md (`npm run docs:api`); with --print, the page to standard output.

const PAGE = new URL('../docs/api.md', import.meta.url);
const SECTION = 'endpoints';

/** Of the way to every operation, not of what it does. */
const COMMON: readonly ErrorCode[] = [
  'unknown_fields',
  'host_header_refused',
  'cross_site_refused',
  'internal',
  'malformed_json',
  'not_utf8',
  'too_large',
  'unsupported_media_type',
  'request_in_flight',
  'idempotency_key_reused',
];

/** Of the way to every operation with a scope. */
const OF_SCOPE: readonly ErrorCode[] = [
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'took_too_long',
  'database_unavailable',
];

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
};

const document = describeApi(OPERATIONS, { version: '', authentication: 'token' });
const page = replaceSection(
  readFileSync(PAGE, 'utf8'),
  SECTION,
  tables(OPERATIONS, document).join('\n\n'),
);
if (process.argv.includes('--print')) process.stdout.write(page);
else writeFileSync(PAGE, page);

/** A table for each tag of the document, in the order of the operations. */
function tables(all: readonly Operation[], { paths, components }: OpenApiDocument): string[] {
  const byTag = new Map<string, string[][]>();
  for (const operation of all.filter(({ isOfWebUi }) => !isOfWebUi)) {
    const { method, path, scope, answers } = operation;
    const described = paths[path]?.[method];
    const [tag = ''] = described?.tags ?? [];
    const rows = byTag.get(tag) ?? [];
    byTag.set(tag, rows);
    const schema = described?.requestBody?.content?.['application/json']?.schema;
    rows.push([
      method.toUpperCase(),
      `\`${path}\``,
      scope === null ? '' : `\`${scope}\``,
      operation.bodyMediaType === undefined ? bodyOf(schema, components['schemas']) : 'a file',
      Object.keys(answers).join(' '),
      errorsOf(operation)
        .filter((code) => !COMMON.includes(code) && (scope === null || !OF_SCOPE.includes(code)))
        .map((code) => `${ERRORS[code].httpStatus} \`${code}\``)
        .join(', '),
    ]);
  }
  return [...byTag].flatMap(([tag, rows]) => [
    `### ${tag}`,
    markdownTable([['method', 'path', 'scope', 'body', 'answers', 'errors'], ...rows]),
  ]);
}

/** The fields of a body, the required ones in bold; in italics those of which one is needed. */
function bodyOf(
  schema: Schema | undefined,
  components: OpenApiDocument['components'][string] = {},
): string {
  const found = resolve(schema, components);
  if (!found) return '';
  if (found.type === 'array') return `a list of: ${bodyOf(found.items, components)}`;
  const oneNeeded = found.anyOf?.flatMap(({ required = [] }) => required);
  return Object.keys(found.properties ?? {})
    .map((name) => {
      if (found.required?.includes(name)) return `**${name}**`;
      return oneNeeded?.includes(name) ? `_${name}_` : name;
    })
    .join(', ');
}

function resolve(
  schema: Schema | undefined,
  components: OpenApiDocument['components'][string],
): Schema | undefined {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? schema : components[name];
}
