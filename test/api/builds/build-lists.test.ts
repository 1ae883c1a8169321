import { createWorld } from '../../support/world.ts';
import { failureOf } from '../../../domain/builds/failure.ts';
import { report } from '../../support/rows.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);

const list = async (query: string) =>
  (await api.now.call('GET', `/api/v1/buildsummary/?${query}`)).json.objects as {
    id: number;
    ticket_id: number;
    failure: { class: string } | null;
  }[];

describe('lists of builds', () => {
  it('are filtered by the class of the failure', async () => {
    const ticket = await world.ticket();
    const broken = await world.build(ticket);
    const cancelled = await world.build(ticket);
    await world.build(ticket);
    await report(api.now.database, broken, 'FAILURE', { failure: failureOf('build_failed', 'x') });
    await report(api.now.database, cancelled, 'FAILURE', { failure: failureOf('cancelled', 'x') });
    const idsOf = async (classes: string) =>
      (await list(`ticket=${ticket.id}&failure_class=${classes}`)).map(({ id }) => id);
    expect(await idsOf('build_failed')).toEqual([broken.id]);
    expect(await idsOf('cancelled,build_failed')).toEqual([broken.id, cancelled.id]);
    const { status, json } = await api.now.call('GET', '/api/v1/build/?failure_class=bad_luck');
    expect([status, json.error]).toEqual([400, expect.stringContaining('Enter classes of')]);
  });

  it('give of each ticket its latest build alone, however many it has', async () => {
    const [one, other] = [await world.ticket(), await world.ticket()];
    await world.build(one);
    const latest = await world.build(one);
    const only = await world.build(other);
    const found = await list(`ticket__in=${one.id},${other.id}&latest_of=ticket`);
    expect(found.map(({ id }) => id)).toEqual([latest.id, only.id]);
  });

  it('in short have what a row shows, and no sources, logs or architectures', async () => {
    const build = await world.build(await world.ticket());
    const { json } = await api.now.call('GET', `/api/v1/buildsummary/${build.id}/`);
    expect(json).toMatchObject({
      id: build.id,
      phase: 'queued',
      failure: null,
      versions: [],
      architectures: { total: 0, completed: 0, failed: 0 },
      resource_uri: `/api/v1/buildsummary/${build.id}/`,
    });
    for (const left of ['source_packages', 'logs', 'builds', 'built_packages'])
      expect(json).not.toHaveProperty(left);
  });
});
