import { useApi } from '../api/serve.ts';
import { addBuild } from '../support/rows.ts';
import { assertDone, call } from './call.ts';

const URL = 'http://127.0.0.1:9/hook';

afterEach(() => void jest.useRealTimers());

describe('airline webhook', () => {
  const api = useApi();
  const run = (...args: string[]) =>
    call(['webhook', ...args], { env: { AIRLINE_URL: api.now.url }, columns: 200 });

  it('adds a webhook, shows its secret once, and deletes it', async () => {
    const build = await addBuild(api.now.database);
    const added = await run('add', URL, '--ticket', String(build.ticketId), '--message', 'FAILURE');
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
    const id = /^Webhook (\d+)/.exec(added.stderr)?.[1] ?? '';
    const rest = [await run('list'), await run('show', id), await run('show', id, '--json')];
    for (const { code, stdout } of rest) {
      expect(code).toBe(0);
      expect(stdout).toContain(URL);
      expect(stdout).not.toContain('whsec_');
    }
    expect(rest[0]?.stdout).toMatch(new RegExp(`FAILURE of ticket ${build.ticketId} +active`));
    expect((await run('delete', id)).stdout).toBe(`Webhook ${id} is deleted.\n`);
    expect((await run('delete', id)).code).toBe(3);
  });

  it('shows what was sent, and has it sent again', async () => {
    const { id } = JSON.parse((await run('add', URL, '--json')).stdout) as { id: number };
    const webhook = String(id);
    const { stdout: delivery } = await run('ping', webhook, '--quiet');
    const { WebhookDelivery } = api.now.database;
    const failed = {
      state: 'failed',
      tries: 20,
      statusCode: 500,
      error: 'It answered 500',
    } as const;
    await WebhookDelivery.update(failed, { where: { webhookId: id } });
    expect((await run('deliveries', webhook)).stdout).toMatch(
      /ping:\d+ +failed +20 +500 .*It answered 500/,
    );
    assertDone(await run('resend', webhook, delivery.trim()));
    expect((await run('deliveries', webhook)).stdout).toMatch(/ping:\d+ +pending/);
  });

  it('says why one is off, and goes on with it', async () => {
    const { id } = JSON.parse((await run('add', URL, '--json')).stdout) as { id: number };
    const off = { isActive: false, inactiveReason: 'It answered 410.' };
    await api.now.database.Webhook.update(off, { where: { id } });
    expect((await run('show', String(id))).stdout).toMatch(/State +off\n +Why +It answered 410\./);
    expect((await run('ping', String(id))).code).toBe(5);
    expect((await run('activate', String(id))).stdout).toBe(`Webhook ${id} is active.\n`);
    expect((await run('ping', String(id))).code).toBe(0);
  });

  it('goes on with one for which so much waits that the answer takes three minutes', async () => {
    const fetch = async (_url: unknown, init: RequestInit = {}) => {
      jest.advanceTimersByTime(180_000);
      init.signal?.throwIfAborted();
      return Response.json({ id: 7, is_active: true }, { status: 202 });
    };
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const called = await call(['webhook', 'activate', '7'], {
      env: { AIRLINE_URL: api.now.url },
      fetch,
      sleep: async () => {},
    });
    expect(called).toEqual({ code: 0, stdout: 'Webhook 7 is active.\n', stderr: '' });
  });
});
