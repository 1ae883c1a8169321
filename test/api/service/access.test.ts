import { SCOPES, type Scope } from '../../../domain/access/access.ts';
import type { OpenApiDocument } from '../../../api/openapi/document.ts';
import { useApi } from '../serve.ts';

const api = useApi({ authentication: 'token' });

type Rule = [operation: string, scope: Scope | null];

/** What a resource has that is only read at its address. */
const readAt = (name: string): Rule[] => [
  [`GET /api/v1/${name}/`, 'read'],
  [`GET /api/v1/${name}/schema/`, 'read'],
  [`GET /api/v1/${name}/set/{ids}/`, 'read'],
  [`GET /api/v1/${name}/{id}/`, 'read'],
];

/** What a resource has that is read and written at its address. */
const writtenAt = (name: string): Rule[] => [
  ...readAt(name),
  [`POST /api/v1/${name}/`, 'ticket:write'],
  [`PATCH /api/v1/${name}/`, 'ticket:write'],
  [`PUT /api/v1/${name}/{id}/`, 'ticket:write'],
  [`PATCH /api/v1/${name}/{id}/`, 'ticket:write'],
  [`DELETE /api/v1/${name}/{id}/`, 'ticket:write'],
];

/** Who may do what. A route that is not here fails the suite. */
const RULES: readonly Rule[] = [
  ['GET /healthz', null],
  ['GET /readyz', null],
  ['GET /startupz', null],
  ['GET /openapi.json', null],
  ['GET /api/v1/asyncapi.json', null],
  ['GET /api/v1/landing-message.schema.json', null],
  ['GET /api/v1/message.schema.json', null],
  ['GET /docs/', null],
  ['GET /docs/{file}', null],
  ['GET /metrics', 'read'],
  ['GET /api/v1/status', 'read'],
  ['GET /api/v1/', null],

  ...writtenAt('ticket'),
  ['GET /api/v1/ticket/{id}/history/', 'read'],
  ['POST /api/v1/ticket/bundle/', 'ticket:write'],
  ['GET /api/v1/fullticket/', 'read'],
  ['GET /api/v1/fullticket/{id}/', 'read'],
  ['GET /api/v1/opentickets/', 'read'],
  ['GET /api/v1/opentickets/{id}/', 'read'],
  ['GET /api/v1/ticketstatus/{id}/', 'read'],
  ['GET /api/v1/updateticketstatus/', 'read'],
  ['GET /api/v1/updateticketstatus/{id}/', 'read'],
  ['GET /api/v1/updatesubticketstatus/', 'read'],
  ['GET /api/v1/updatesubticketstatus/{id}/', 'read'],
  ['GET /api/v1/ticketstatus/', 'read'],
  ['PATCH /api/v1/updateticketstatus/{id}/', 'ticket:write'],
  ['GET /api/v1/fullticket/schema/', 'read'],
  ['GET /api/v1/opentickets/schema/', 'read'],
  ['GET /api/v1/ticketstatus/schema/', 'read'],
  ['GET /api/v1/updateticketstatus/schema/', 'read'],
  ['GET /api/v1/updatesubticketstatus/schema/', 'read'],
  ...writtenAt('subticket'),
  ['GET /api/v1/subticket/{id}/history/', 'read'],
  ['PATCH /api/v1/updatesubticketstatus/{id}/', 'ticket:write'],
  ...writtenAt('ticketartifact'),
  ...writtenAt('subticketartifact'),
  ...writtenAt('sourcepackage'),
  ...writtenAt('spu'),
  ...writtenAt('sourcepackageupload'),
  ...writtenAt('binarypackage'),
  ['POST /api/v1/binarypackage/import/', 'ticket:write'],
  ...writtenAt('person'),
  ...writtenAt('project'),
  ...writtenAt('branch'),
  ...writtenAt('mergeproposal'),
  ...writtenAt('testsuite'),
  ...writtenAt('testsuites'),
  ...writtenAt('reference'),
  ...writtenAt('ticketowner'),
  ...writtenAt('ticketppa'),
  ...writtenAt('tickettestsuite'),

  ...readAt('build'),
  ...readAt('buildsummary'),
  ['POST /api/v1/build_source', 'build:write'],
  ['POST /api/v1/check_upload', 'build:write'],
  ['POST /api/v1/subticket/{id}/build_proposal/', 'build:write'],
  ['GET /api/v1/build/{id}/events/', 'read'],
  ['GET /api/v1/build/{id}/workflow-history/', 'read'],
  ['POST /api/v1/build/{id}/cancel/', 'build:write'],
  ['POST /api/v1/build/{id}/retry/', 'build:write'],
  ['GET /api/v1/build/{id}/attempts/', 'read'],

  ...readAt('landing'),
  ...readAt('image'),
  ...readAt('testrun'),
  ['POST /api/v1/ticket/{id}/land/', 'build:write'],
  ['GET /api/v1/landing/{id}/events/', 'read'],
  ['GET /api/v1/landing/{id}/gate/', 'read'],
  ['GET /api/v1/ticket/{id}/gate/', 'read'],
  ['GET /api/v1/landingpolicy/', 'read'],
  ['POST /api/v1/landing/{id}/decide/', 'landing:approve'],
  ['POST /api/v1/landing/{id}/cancel/', 'build:write'],
  ['POST /api/v1/landing/{id}/pause/', 'build:write'],
  ['POST /api/v1/landing/{id}/resume/', 'build:write'],
  ['POST /api/v1/landing/{id}/retry/', 'build:write'],
  ...readAt('testoverride'),
  ['POST /api/v1/testoverride/', 'landing:approve'],

  ...readAt('ppapool'),
  ['POST /api/v1/ppapool/', 'admin'],
  ['POST /api/v1/ppapool/{id}/clean/', 'admin'],
  ['POST /api/v1/ppapool/{id}/retire/', 'admin'],

  ['GET /api/v1/webhook/', 'build:write'],
  ['POST /api/v1/webhook/', 'build:write'],
  ['GET /api/v1/webhook/{id}/', 'build:write'],
  ['PATCH /api/v1/webhook/{id}/', 'build:write'],
  ['DELETE /api/v1/webhook/{id}/', 'build:write'],
  ['GET /api/v1/webhook/{id}/deliveries/', 'build:write'],
  ['GET /api/v1/webhook/{id}/deliveries/{delivery}/', 'build:write'],
  ['POST /api/v1/webhook/{id}/deliveries/{delivery}/resend/', 'build:write'],
  ['POST /api/v1/webhook/{id}/ping/', 'build:write'],

  ['GET /api/v1/token/', 'admin'],
  ['POST /api/v1/token/', 'admin'],
  ['GET /api/v1/token/self/', 'read'],
  ['GET /api/v1/token/{id}/', 'admin'],
  ['POST /api/v1/token/{id}/revoke/', 'admin'],

  ['GET /api/v1/changes/', 'read'],
  ['GET /api/v1/search/', 'read'],
  ['GET /api/v1/about/', 'read'],
  ['GET /api/v1/ticketevent/', 'read'],
  ['GET /api/v1/packagestatistics/', 'read'],
  ['GET /api/v1/packagestatistics/{name}/', 'read'],
  ['GET /api/v1/build/{id}/expected/', 'read'],
  ['GET /api/v1/build/{id}/log_tail/', 'read'],
  ['GET /api/v1/status/history/', 'read'],
  ['GET /api/v1/status/workers/', 'read'],

  ['GET /api/v1/session/', null],
  ['POST /api/v1/session/', null],
  ['DELETE /api/v1/session/', null],

  ['GET /store/{key}', 'read'],
  ['PUT /store/{key}', 'ticket:write'],
];

/** Parameters of paths. What they name is not there, so that nothing happens to what is. */
const PARAMETERS: Readonly<Record<string, string>> = {
  id: '999999999',
  ids: '1;2',
  delivery: '999999999',
  key: 'uploads/hello.dsc',
  file: 'start.js',
  asset: 'start.js',
  name: 'hello',
};

/** What open operations answer that do not answer 200 to a request that says nothing. */
const OPEN_ANSWERS: Readonly<Record<string, number>> = {
  'POST /api/v1/session/': 400,
  'DELETE /api/v1/session/': 204,
};

/** Operations whose answer has no end. */
const STREAMS = ['GET /api/v1/changes/'];

const tokens = new Map<Scope, string>();

beforeAll(async () => {
  const { AccessToken } = api.now.database;
  const lifetimes = { defaultMs: 3_600_000, maxMs: 3_600_000 };
  const work = { actor: 'the test', requestId: undefined };
  for (const scope of SCOPES) {
    const request = { name: `only-${scope.replace(':', '-')}`, scopes: [scope] };
    tokens.set(scope, (await AccessToken.issue(request, lifetimes, work)).text);
  }
});

/** The status that an operation answers who shows a token. */
async function statusFor(operation: string, token: string | undefined): Promise<number> {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => PARAMETERS[name] ?? '');
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  if (STREAMS.includes(operation)) {
    const response = await fetch(new URL(path, api.now.url), { headers });
    await response.body?.cancel();
    return response.status;
  }
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};
  return (await api.now.call(method, path, body, headers)).status;
}

describe('every route has a rule', () => {
  it('in the table of this test, and the table has no other routes', async () => {
    const { paths } = (await api.now.call('GET', '/openapi.json')).json as OpenApiDocument;
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(RULES.map(([operation]) => operation).toSorted()).toEqual(routes.toSorted());
  });
});

describe('who may do what', () => {
  const guarded = RULES.filter(([, scope]) => scope !== null);
  const open = RULES.filter(([, scope]) => scope === null);

  it.each(guarded)('%s is for %s and admin only', async (operation, needed) => {
    expect(await statusFor(operation, undefined)).toBe(401);
    expect(await statusFor(operation, `airline_${'a'.repeat(43)}`)).toBe(401);
    for (const scope of SCOPES) {
      const status = await statusFor(operation, tokens.get(scope));
      if (scope === needed || scope === 'admin') {
        expect([401, 403]).not.toContain(status);
        expect(status).toBeLessThan(500);
      } else expect({ scope, status }).toEqual({ scope, status: 403 });
    }
  });

  it.each(open)('%s is for everybody', async (operation) => {
    for (const token of [undefined, `airline_${'a'.repeat(43)}`, ...tokens.values()])
      expect(await statusFor(operation, token)).toBe(OPEN_ANSWERS[operation] ?? 200);
  });
});

describe('a change of nothing', () => {
  it('shows what is there to those alone who may read', async () => {
    const { Ticket } = api.now.database;
    const context = { actor: 'the test', reason: '', requestId: undefined };
    const ticket = { owner: 'ed@example.org', title: 'secret', description: '', bugId: '' };
    const { id } = await Ticket.createOne(ticket, context);
    const { text: both } = await api.now.database.AccessToken.issue(
      { name: 'reads-and-writes', scopes: ['read', 'ticket:write'] },
      { defaultMs: 3_600_000, maxMs: 3_600_000 },
      { actor: 'the test', requestId: undefined },
    );
    const patch = (path: string, body: object, token = tokens.get('ticket:write') ?? '') =>
      api.now.call('PATCH', path, body, { Authorization: `Bearer ${token}` });
    const list = { objects: [{ resource_uri: `/api/v1/ticket/${id}/` }] };

    for (const [path, body] of [
      [`/api/v1/ticket/${id}/`, {}],
      ['/api/v1/ticket/', list],
    ] as const) {
      expect(await patch(path, body)).toMatchObject({ status: 202, text: '' });
      expect(await patch(path, body, both)).toMatchObject({
        status: 202,
        text: expect.stringContaining('secret'),
      });
    }
  });
});
