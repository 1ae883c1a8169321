import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const { get } = world;

/** The URIs of one ticket and of one subticket that the API hands out. */
async function handedOut() {
  const bundle = await world.ticketOf('hello');
  const listed = async (list: string) =>
    (await get(`${list}/?id=${bundle.id}`)).json.objects[0].resource_uri;
  const [subticket] = bundle.subtickets;
  const step = { status: '100' };
  return {
    ticket: [
      bundle.resource_uri,
      await listed('ticket'),
      await listed('opentickets'),
      await listed('ticketstatus'),
      await listed('fullticket'),
      (await world.patch(`updateticketstatus/${bundle.id}/`, step)).json.resource_uri,
    ],
    subticket: [
      subticket.resource_uri,
      (await world.patch(`updatesubticketstatus/${subticket.id}/`, step)).json.resource_uri,
    ],
  };
}

describe('every resource_uri that is handed out', () => {
  it('answers with what it names, under the same URI', async () => {
    const { ticket, subticket } = await handedOut();
    expect(new Set(ticket).size).toBe(5);
    for (const uri of [...ticket, ...subticket]) {
      const answer = await api.now.call('GET', uri);
      expect({ uri, status: answer.status }).toEqual({ uri, status: 200 });
      expect(answer.json).toMatchObject({ resource_uri: uri, status: '100' });
    }
  });

  it('is taken as a reference to it', async () => {
    const { ticket, subticket } = await handedOut();
    const artifact = { name: 'log', type: 'LOGS', reference: 'https://files.example/log' };
    for (const uri of ticket)
      expect(await world.create('ticketartifact/', { ...artifact, ticket: uri })).toMatchObject({
        ticket: ticket[1],
      });
    for (const uri of subticket)
      expect(
        await world.create('subticketartifact/', { ...artifact, subticket: uri }),
      ).toMatchObject({ subticket: subticket[0] });
    const wrong = { ...artifact, ticket: subticket[0] };
    expect((await world.post('ticketartifact/', wrong)).status).toBe(400);
  });
});
