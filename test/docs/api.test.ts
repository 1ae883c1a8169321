import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describeApi } from '../../api/openapi/document.ts';
import { OPERATIONS } from '../../api/operations.ts';
import { contractTypes } from '../../scripts/contract-types.ts';
import { programArguments } from '../support/program.ts';

const DESCRIBE_API = await programArguments('scripts/describe-api.ts');

/** The texts with a limit in what a document says, each by its field, what is referred to included. */
function limitedTexts(
  described: unknown,
  schemas: Readonly<Record<string, unknown>>,
  field = '',
  seen = new Set<string>(),
): (readonly [field: string, limit: number])[] {
  if (typeof described !== 'object' || described === null) return [];
  return Object.entries(described).flatMap(([key, value]) => {
    if (key === 'maxLength') return [[field, value as number] as const];
    if (key === '$ref') {
      const name = (value as string).split('/').at(-1) ?? '';
      if (seen.has(name)) return [];
      return limitedTexts(schemas[name], schemas, field, seen.add(name));
    }
    if (key !== 'properties') return limitedTexts(value, schemas, field, seen);
    return Object.entries(value as object).flatMap(([name, schema]) =>
      limitedTexts(schema, schemas, name, seen),
    );
  });
}

describe('docs/api.md', () => {
  it('has the endpoints as the operations are; else: npm run docs:api', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [...DESCRIBE_API, '--print'], {
      maxBuffer: 10_000_000,
    });
    expect(await readFile('docs/api.md', 'utf8')).toBe(stdout);
  });

  it.each([
    ['POST', 'session/', 'invalid_field unauthenticated rate_limited database_unavailable'],
    ['GET', 'session/', 'rate_limited database_unavailable'],
    [
      'POST',
      'ticket/bundle/',
      'invalid_field unknown_reference conflict phase_forbids_proposals answer_too_large',
    ],
    [
      'PATCH',
      'subticket/{id}/',
      'invalid_field unknown_reference not_found conflict precondition_failed',
    ],
    [
      'DELETE',
      'subticket/{id}/',
      'invalid_field not_found referenced ticket_under_way precondition_failed',
    ],
    ['DELETE', 'spu/{id}/', 'invalid_field not_found referenced precondition_failed'],
  ])('names the errors of %s %s, and no more', async (method, path, codes) => {
    const rows = (await readFile('docs/api.md', 'utf8')).split('\n');
    const row = rows.find((one) => one.startsWith(`| ${method} `) && one.includes(`/v1/${path}\``));
    const errors = row?.split('|').at(-2) ?? '';
    const named = [...errors.matchAll(/`(\w+)`/g)].map(([, code]) => code);
    expect(new Set(named)).toEqual(new Set(codes.split(' ')));
  });

  it('names which texts of requests are not limited as all others are', async () => {
    const page = await readFile('docs/api.md', 'utf8');
    const [, table = ''] = /^Texts have at most 4,096 [^|]*((?:\|.*\n)+)/m.exec(page) ?? [];
    const named = table.split('\n').flatMap((row) => {
      const [, texts = '', limit = ''] = row.split('|');
      return [...texts.matchAll(/`(\w+)`/g)].map(([, field]) => `${field} ${limit.trim()}`);
    });
    const { paths, components } = describeApi(OPERATIONS, { version: '', authentication: 'token' });
    const bodies = Object.values(paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ requestBody }) => requestBody ?? []);
    const limits = limitedTexts(bodies, components['schemas'] ?? {});
    expect(new Set(named)).toEqual(
      new Set(
        limits
          .filter(([, limit]) => limit !== 4_096)
          .map(([field, limit]) => `${field} ${limit.toLocaleString('en')}`),
      ),
    );
  });

  it('has what a body needs in bold, and in italics that of which it needs one', async () => {
    const rows = (await readFile('docs/api.md', 'utf8')).split('\n');
    const rowOf = (start: string) => rows.find((one) => one.startsWith(start));
    expect(rowOf('| POST   | `/api/v1/subticket/`')).toContain('**ticket**, assignee,');
    expect(rowOf('| PATCH  | `/api/v1/updateticketstatus/{id}/`')).toContain(
      '_current_workflow_step_, _status_',
    );
  });

  it('shows a whole life of a ticket with curl and with slumber; else: npm run docs:transcripts', async () => {
    const page = await readFile('docs/api.md', 'utf8');
    const [, curl = '', slumber = ''] = page.split('\n## The life of a ticket with ');
    for (const call of ['-X POST', '-X PATCH', '-X PUT', '-X DELETE', 'history/'])
      expect(curl).toContain(call);
    for (const call of ['.post(', '.patch(', '.put(', '.delete()', '.opentickets.get()'])
      expect(slumber).toContain(call);
  });
});

describe('api/openapi/contract.generated.ts', () => {
  it('has the types as the schemas are; else: npm run build:clients', async () => {
    const types = await contractTypes();
    expect(await readFile('api/openapi/contract.generated.ts', 'utf8')).toBe(types);
    expect(types).toMatch(/^\/\/ GENERATED /);
  });
});
