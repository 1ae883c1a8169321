import { createWorld } from '../../support/world.ts';
import { useApi } from '../serve.ts';

const api = useApi();
const world = createWorld(api);
const isReplay = ({ headers }: { headers: Headers }) =>
  headers.get('idempotency-replayed') === 'true';

/** A landing whose attempt has failed. */
async function failedLanding(): Promise<number> {
  const { id } = await world.landable(world.newName());
  const target = {
    series: 'bookworm',
    archive: 'debian',
    ppa: 'ppa:airline/silo',
    target: 'ppa:airline/landed',
  };
  const landing = (await world.post(`ticket/${id}/land/`, target)).json;
  await fail(landing.id, 1);
  return landing.id;
}

const fail = (landingId: number, attempt: number) =>
  api.now.database.LandingEvent.record({ landingId, attempt, key: 'failed', phase: 'failed' });

describe('an Idempotency-Key where no body is read', () => {
  // Some clients send an empty object where they have nothing to say.
  it.each([['no body', undefined] as const, ['a body', {}] as const])(
    'lets a landing be tried again once, with %s',
    async (what, body) => {
      const id = await failedLanding();
      const retry = () =>
        world.post(`landing/${id}/retry/`, body, {
          'idempotency-key': `retry with ${what}`.replaceAll(' ', '-'),
        });
      const first = await retry();
      expect(first).toMatchObject({ status: 202, json: { attempt: 2 } });
      await fail(id, 2);
      const again = await retry();
      expect(again.text).toBe(first.text);
      expect(isReplay(again)).toBe(true);
      expect((await world.get(`landing/${id}/`)).json.attempt).toBe(2);
    },
  );

  it('lets a webhook be pinged once, and deleted once, whatever comes along', async () => {
    const { json: webhook } = await world.post('webhook/', { url: 'http://127.0.0.1:9/hook' });
    const key = { 'idempotency-key': 'ping' };
    const ping = () => world.post(`webhook/${webhook.id}/ping/`, {}, key);
    const first = await ping();
    expect(first.status).toBe(202);
    expect(await ping()).toMatchObject({ status: 202, text: first.text });
    const remove = () => world.call('DELETE', `webhook/${webhook.id}/`, { reason: 'Old' }, key);
    expect((await remove()).status).toBe(204);
    const again = await remove();
    expect(again.status).toBe(204);
    expect(isReplay(again)).toBe(true);
  });
});

it('an Idempotency-Key does not count for a file of the data store, nor for a read', async () => {
  const headers = { 'idempotency-key': 'file', 'content-type': 'application/octet-stream' };
  const put = (body: string) =>
    fetch(`${api.now.url}/store/uploads/keyed/a.tar.gz`, { method: 'PUT', headers, body });
  for (const status of [201, 200]) {
    const stored = await put('the same');
    expect(stored.status).toBe(status);
    expect(isReplay(stored)).toBe(false);
  }
  expect((await put('another')).status).toBe(409);
  const read = () => world.call('GET', 'ticket/', undefined, headers);
  expect([isReplay(await read()), isReplay(await read())]).toEqual([false, false]);
});
