import { compile } from 'json-schema-to-typescript';

type Schemas = Readonly<Record<string, object>>;

const HEADER = `// The types of what the API is sent and answers, made of its OpenAPI document by \`npm run docs:api\`.`;
const ROOT = 'all_schemas';
const ROOT_TYPE = /export interface AllSchemas \{[^}]*\}\n/;
/** What the compiler says of where it found a type is not news here. */
const WHERE_FROM = /\/\*\*\n \* This interface was referenced by [^/]*?\*\/\n/g;

/**
 * TypeScript for the named schemas of an OpenAPI document: one exported type each, its name in PascalCase.
 *
 * @throws Error where a schema refers to one that there is not
 */
export async function contractTypes(schemas: Schemas): Promise<string> {
  const definitions = JSON.parse(
    JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/definitions/'),
  ) as Schemas;
  const text = await compile({ title: ROOT, definitions }, ROOT, {
    additionalProperties: false,
    bannerComment: HEADER,
    style: { printWidth: 100, singleQuote: true, trailingComma: 'all' },
    unreachableDefinitions: true,
  });
  return text.replace(ROOT_TYPE, '').replaceAll(WHERE_FROM, '');
}
