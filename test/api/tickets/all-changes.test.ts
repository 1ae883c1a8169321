import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

type Change = { ticket: string; to_step: string; reason: string };
const changes = async (query: string) =>
  (await api.now.call('GET', `/api/v1/statuschange/?${query}`)).json as {
    meta: { total_count: number };
    objects: Change[];
  };

describe('GET /api/v1/statuschange/', () => {
  it('has the changes of all tickets, the newest first, and finds them', async () => {
    const [one, other] = [await world.ticket(), await world.ticket()];
    await world.patch(`ticket/${one.id}/`, { current_workflow_step: 200, reason: 'first' });
    await world.patch(`ticket/${other.id}/`, { current_workflow_step: 999, reason: 'second' });
    await world.patch(`ticket/${one.id}/`, { current_workflow_step: 300, reason: 'third' });
    const reasons = async (query: string) =>
      (await changes(query)).objects.map(({ reason }) => reason);
    expect(await reasons('')).toEqual(['third', 'second', 'first']);
    expect(await reasons(`ticket=${one.id}`)).toEqual(['third', 'first']);
    expect(await reasons('to_step=999')).toEqual(['second']);
    expect(await reasons('actor=anonymous&limit=1&offset=1')).toEqual(['second']);
    expect(await reasons('actor=nobody')).toEqual([]);
    expect(await reasons(`since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect((await changes('')).meta.total_count).toBe(3);
  });

  it.each(['ticket=x', 'to_step=250', 'since=yesterday', `actor=${'x'.repeat(301)}`])(
    'refuses %s',
    async (query) => {
      expect((await api.now.call('GET', `/api/v1/statuschange/?${query}`)).status).toBe(400);
    },
  );
});

describe('GET /api/v1/about/', () => {
  it('has the version, and where the UI of Temporal is', async () => {
    const { json } = await api.now.call('GET', '/api/v1/about/');
    expect(json).toEqual({ version: expect.any(String), temporal_ui: expect.anything() });
  });
});
