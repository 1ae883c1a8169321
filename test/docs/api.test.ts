import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describeApi } from '../../api/openapi/document.ts';
import { OPERATIONS } from '../../api/operations.ts';
import { contractTypes } from '../../scripts/contract-types.ts';
import { programArguments } from '../support/program.ts';

const DESCRIBE_API = await programArguments('scripts/describe-api.ts');

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

  it('names how long the texts of new objects may be', async () => {
    const page = await readFile('docs/api.md', 'utf8');
    const [paragraph] = /^Texts have at most [^]*?\n\n/m.exec(page) ?? [];
    const { components } = describeApi(OPERATIONS, { version: '', authentication: 'token' });
    const creations = Object.entries(components['schemas'] ?? {}).filter(([name]) =>
      name.endsWith('_creation'),
    );
    const limits = [...JSON.stringify(creations).matchAll(/"maxLength":(\d+)/g)].map(([, limit]) =>
      Number(limit),
    );
    const named = [...(paragraph ?? '').matchAll(/\d[\d,]*\d/g)].map(([number]) => number);
    expect(new Set(named)).toEqual(new Set(limits.map((limit) => limit.toLocaleString('en'))));
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
