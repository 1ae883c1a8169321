import type { TestResult } from '../../../domain/testing/test-run.ts';
import { addImage, addLanding } from '../../support/rows.ts';
import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const { get } = createWorld(api);

const PASS: TestResult = { name: 'smoke', status: 'PASS', detail: '' };
const RUN = {
  source: 'mksh',
  version: '59c-28',
  architecture: 'amd64',
  reason: 'depends' as const,
  why: 'depends on ed',
  files: [] as string[],
};

describe('test runs', () => {
  let ofLanding: number;
  let landingId: number;
  let baseline: number;

  beforeAll(async () => {
    const { database } = api.now;
    const { id: imageId } = await addImage(database);
    const landing = await addLanding(database);
    landingId = landing.id;
    const place = { imageId, landingId, attempt: 1 };
    const run = await database.TestRun.create({
      ...RUN,
      ...place,
      state: 'finished',
      exitCode: 4,
      results: [PASS, { name: 'regress', status: 'FAIL', detail: 'non-zero exit status 1' }],
      exercised: [{ name: 'ed', version: '1.20-1' }],
      logUrl: 'http://127.0.0.1/files/tests/1/mksh.test.log',
    });
    ofLanding = run.id;
    await database.TestRun.create({ ...RUN, ...place, source: 'shell', state: 'running' });
    ({ id: baseline } = await database.TestRun.create({ ...RUN, imageId }));
  });

  const idsOf = async (query: string): Promise<number[]> =>
    (await get(`testrun/?${query}`)).json.objects.map(({ id }: { id: number }) => id);

  it('show what was tested, why, and how each test ended', async () => {
    const { json } = await get(`testrun/${ofLanding}/`);
    expect(json).toMatchObject({
      landing: `/api/v1/landing/${landingId}/`,
      landing_id: landingId,
      attempt: 1,
      source: 'mksh',
      reason: 'depends',
      why: 'depends on ed',
      try: 1,
      state: 'finished',
      exit_code: 4,
      results: [
        { name: 'smoke', status: 'PASS', detail: '' },
        { name: 'regress', status: 'FAIL', detail: 'non-zero exit status 1' },
      ],
      results_left: 0,
      exercised: [{ name: 'ed', version: '1.20-1' }],
      log_url: 'http://127.0.0.1/files/tests/1/mksh.test.log',
      resource_uri: `/api/v1/testrun/${ofLanding}/`,
    });
  });

  it('are listed by landing, source, architecture and state', async () => {
    const of = `landing_id=${landingId}`;
    expect(await idsOf(`${of}&source=mksh&architecture=amd64&state=finished`)).toEqual([ofLanding]);
    expect(await idsOf(`${of}&architecture=arm64`)).toEqual([]);
    expect(await idsOf(of)).toHaveLength(2);
  });

  it('are told apart by whether a landing is tested', async () => {
    expect(await idsOf('source=mksh&baseline=true')).toEqual([baseline]);
    expect(await idsOf('source=mksh&baseline=True')).toEqual([baseline]);
    expect(await idsOf('source=mksh&baseline=false')).toEqual([ofLanding]);
    expect((await get('testrun/?baseline=maybe')).status).toBe(400);
  });

  it('show no more than 500 results, and how many there are beyond', async () => {
    const { database } = api.now;
    const run = await database.TestRun.create({
      ...RUN,
      imageId: (await addImage(database)).id,
      results: Array.from({ length: 501 }, (_, at) => ({ ...PASS, name: `test-${at}` })),
    });
    const { json } = await get(`testrun/${run.id}/`);
    expect(json.results).toHaveLength(500);
    expect(json.results_left).toBe(1);
  });
});
