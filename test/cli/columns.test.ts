import { call } from './call.ts';
import { json, useScript } from './script-server.ts';

const page = (...objects: object[]) =>
  json(200, {
    meta: { limit: 20, offset: 0, total_count: objects.length, next: null, previous: null },
    objects,
  });
const AT = '2026-01-01T00:00:00.000Z';
const BUILD = { id: 5, ticket_id: 7, phase: 'completed', source_packages: [], requested_at: AT };
const TICKET = {
  id: 7,
  title: 'Say hello',
  current_workflow_step: '200',
  status: '200',
  failed_at_step: null,
  created_at: AT,
  updated_at: AT,
  references: [],
  owners: [],
  components: [],
  ppas: [],
  testsuites: [],
  artifacts: [],
  subtickets: [
    { id: 9, source_package_upload: null, merge_proposal: null, current_workflow_step: '200' },
  ].map((one) => ({ ...one, artifacts: [] })),
  builds: [BUILD],
};

describe('--columns', () => {
  const server = useScript();
  const run = (line: string) => call(line.split(' '), { env: server.environment });

  it('chooses the columns of a list, in their order', async () => {
    server.play(page(BUILD));
    expect((await run('build list --columns state,id')).stdout).toBe(
      'STATE      ID\ncompleted  5\n',
    );
  });

  it('of a list that is empty has to name columns, too', async () => {
    server.play(page());
    expect((await run('build list --columns state')).stdout).toBe('No builds match.\n');
    server.play(page());
    expect(await run('build list --columns colour')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('The columns are id, ticket, state'),
    });
  });

  it('is not of a page of several tables, each of which has its own', async () => {
    server.play(json(200, TICKET), page());
    const { code, stdout } = await run('ticket show 7 --columns state');
    expect(code).toBe(0);
    expect(stdout).toMatch(/SUBTICKET +SOURCE PACKAGE/);
    expect(stdout).toMatch(/ID +TICKET +STATE/);
  });
});
