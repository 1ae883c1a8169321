import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const post = async (path: string, body: unknown) => {
  const answer = await world.post(`${path}/`, body);
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  expect(answer.headers.get('location')).toBe(answer.json.resource_uri);
  return answer.json;
};

describe('the calls that create a full ticket', () => {
  it('create each part, link it by URI and show all of it nested', async () => {
    const ticket = await post('ticket', {
      owner: 'dev@example.org',
      title: 'A fix',
      description: 'd',
      bug_id: 7,
    });
    expect(ticket).toMatchObject({
      id: expect.any(Number),
      bug_id: '7',
      current_workflow_step: '100',
      status: '100',
      resource_uri: `/api/v1/ticket/${ticket.id}/`,
    });
    const source = await post('sourcepackage', { name: 'hello' });
    const spu = await post('spu', {
      sourcepackage: `${api.now.url}${source.resource_uri}`,
      version: '2.10-3',
    });
    expect(spu.sourcepackage).toBe(source.resource_uri);
    const subticket = await post('subticket', {
      ticket: ticket.resource_uri,
      source_package_upload: `/api/v1/sourcepackageupload/${spu.id}`,
      assignee: 'dev@example.org',
    });
    expect(subticket.source_package_upload).toBe(`/api/v1/spu/${spu.id}/`);
    await post('ticketartifact', {
      name: 'log',
      ticket: ticket.resource_uri,
      reference: 'http://x/l',
      type: 'LOGS',
    });
    await post('subticketartifact', {
      name: 'dsc',
      subticket: subticket.resource_uri,
      reference: 'http://x/d',
      type: 'SPU',
    });

    const full = await world.get(`fullticket/${ticket.id}/`);
    expect(full.status).toBe(200);
    expect(full.json).toMatchObject({
      resource_uri: `/api/v1/fullticket/${ticket.id}/`,
      artifacts: [{ name: 'log', ticket: ticket.resource_uri }],
      builds: [],
      subtickets: [
        {
          ticket: ticket.resource_uri,
          artifacts: [{ name: 'dsc' }],
          source_package_upload: { version: '2.10-3', sourcepackage: { name: 'hello' } },
        },
      ],
    });
  });
});
