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

  it('are filtered by a PPA, however the requests wrote it', async () => {
    const ticket = await world.ticket();
    const requested = async (ppa: string, archive: string) =>
      (await world.build(ticket, { ppa, archive })).id;
    const ofUbuntu = [
      await requested('c++.team/landing', 'ubuntu'),
      await requested('PPA:C++.Team/Landing', 'ubuntu'),
      await requested(' ppa:c++.team/ubuntu/landing\n', 'ubuntu'),
      await requested('https://launchpad.net/~c++.team/+archive/ubuntu/landing/', 'ubuntu'),
    ];
    const ofDebian = [
      await requested('~c++.team/debian/landing', 'debian'),
      await requested('ppa:c++.team/landing', 'debian'),
    ];
    for (const other of ['c++.team/landing2', 'c++xteam/landing', 'my-c++.team/landing'])
      await requested(other, 'ubuntu');
    const idsOf = async (ppa: string) =>
      (await list(`in_ppa=${encodeURIComponent(ppa)}`)).map(({ id }) => id);
    expect(await idsOf('C++.Team/landing')).toEqual([...ofUbuntu, ...ofDebian]);
    expect(await idsOf('~c++.team/ubuntu/landing')).toEqual(ofUbuntu);
    expect(await idsOf('ppa:c++.team/debian/landing')).toEqual(ofDebian);
    expect(await idsOf('c++.team/nothing')).toEqual([]);
    const { status, json } = await api.now.call('GET', '/api/v1/build/?in_ppa=landing');
    expect([status, json.error]).toEqual([400, expect.stringContaining('Enter ppa:owner/name')]);
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
