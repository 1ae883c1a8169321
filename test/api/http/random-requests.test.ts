import { verifyChanges } from '../../../models/tickets/status-change.ts';
import { useApi, type Answer } from '../serve.ts';

const api = useApi();

const CLIENTS = 16;
const REQUESTS_EACH = 120;
const SEED = 20_140_404;
const STEPS = [100, 200, 300, 400, 500, 999, 1000];
/** What may come of requests that know nothing of each other. */
const FORESEEN = new Set([200, 201, 202, 204, 304, 400, 404, 409, 412]);

jest.setTimeout(600_000);

/** Numbers that look random and are the same in every run. @returns a whole number from 0 to `below` - 1 */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    // The generator of Park and Miller, https://doi.org/10.1145/63039.63042
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** One request on few rows, so that clients meet. */
function randomRequest(random: (below: number) => number): [string, string, unknown?] {
  const of = (resource: string) => `/api/v1/${resource}/${1 + random(6)}/`;
  const name = `package-${random(4)}`;
  const step = () => STEPS[random(STEPS.length)];
  const sourcepackage = random(2) === 0 ? { name } : of('sourcepackage');
  const upload = { sourcepackage, version: String(random(3)) };
  const part = { source_package_upload: random(2) === 0 ? upload : of('spu') };
  const person = { name, email: 'dev@example.org' };
  const project = { name, display_name: name, maintainer: person, contact: of('person') };
  const status = { current_workflow_step: step(), status: step(), reason: 'by chance' };
  const requests: [string, string, unknown?][] = [
    ['POST', '/api/v1/ticket/', { owner: 'dev@example.org', title: name }],
    ['POST', '/api/v1/ticket/bundle/', { owner: 'a@b', title: name, subtickets: [part, part] }],
    ['POST', '/api/v1/subticket/', { ticket: of('ticket'), ...part }],
    ['POST', '/api/v1/sourcepackage/', { name }],
    ['POST', '/api/v1/spu/', upload],
    ['POST', '/api/v1/binarypackage/', { name, sourcepackage }],
    ['POST', '/api/v1/project/', project],
    [
      'POST',
      '/api/v1/ticketartifact/',
      { ticket: of('ticket'), name, reference: 'r', type: 'LOGS' },
    ],
    ['PUT', of('ticket'), { owner: 'a@b', title: name }],
    ['PUT', of('sourcepackage'), { name }],
    ['PUT', of('spu'), upload],
    ['PUT', of('subticket'), { ticket: of('ticket'), ...part }],
    ['PATCH', of('ticket'), { title: name, ...status }],
    ['PATCH', of('updateticketstatus'), status],
    ['PATCH', of('updatesubticketstatus'), status],
    ['PATCH', of('updatesubticketstatus'), status],
    ['PATCH', of('sourcepackage'), { name }],
    ['PATCH', of('binarypackage'), { name, sourcepackage }],
    [
      'PATCH',
      '/api/v1/subticket/',
      {
        objects: [
          { resource_uri: of('subticket'), ...status },
          { resource_uri: of('subticket'), ...status },
        ],
        deleted_objects: random(4) === 0 ? [of('subticket')] : [],
      },
    ],
    [
      'PATCH',
      '/api/v1/sourcepackage/',
      { objects: [{ name }, { resource_uri: of('sourcepackage'), name: `other-${random(9)}` }] },
    ],
    [
      'PATCH',
      '/api/v1/ticket/',
      {
        objects: [
          { resource_uri: of('ticket'), ...status },
          { resource_uri: of('ticket'), title: name },
        ],
      },
    ],
    ['DELETE', of('ticket')],
    ['DELETE', of('subticket')],
    ['DELETE', of('spu')],
    ['DELETE', of('sourcepackage')],
    ['DELETE', of('binarypackage')],
    ['DELETE', of('person')],
    ['DELETE', of('ticketartifact')],
    ['GET', of('fullticket')],
    ['GET', of('fullticket')],
    ['GET', `/api/v1/spu/?sourcepackage__name=${name}&limit=3`],
    ['GET', `${of('ticket')}history/`],
  ];
  return requests[random(requests.length)] ?? ['GET', '/api/v1/ticket/'];
}

it('many clients who know nothing of each other get answers that are foreseen, and break no history', async () => {
  const answers: { request: string; answer: Answer }[] = [];
  const client = async (_: unknown, index: number) => {
    const random = randomNumbers(SEED + index * 7_919);
    for (let count = 0; count < REQUESTS_EACH; count++) {
      const [method, path, body] = randomRequest(random);
      const headers: Record<string, string> = {};
      if (method !== 'GET' && random(4) === 0)
        headers['idempotency-key'] = `client-${index}-request-${count}`;
      if (method !== 'GET' && random(5) === 0) headers['if-match'] = `"${1 + random(3)}"`;
      const answer = await api.now.call(method, path, body, headers);
      answers.push({ request: `${method} ${path} ${JSON.stringify(body)}`, answer });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  expect(answers).toHaveLength(CLIENTS * REQUESTS_EACH);
  const unforeseen = answers.filter(({ answer }) => !FORESEEN.has(answer.status));
  expect(
    unforeseen.slice(0, 5).map(({ request, answer }) => ({ request, text: answer.text })),
  ).toEqual([]);
  // It was not all refused.
  const done = answers.filter(({ answer }) => [201, 202, 204].includes(answer.status));
  expect(done.length).toBeGreaterThan(answers.length / 10);
  const verified = await verifyChanges(api.now.database.sequelize, 10);
  expect(verified.broken).toEqual([]);
  expect(verified.changes).toBeGreaterThan(50);
});
