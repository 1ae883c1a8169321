import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import { dialRule } from '../../activities/sources/source-address.ts';
import { loadConfig } from '../../main/config/config.ts';
import { newWebhookSecret, type WebhookFields } from '../../models/events/webhook.ts';
import {
  claimDelivery,
  countPendingDeliveries,
  markDelivered,
  markFailed,
  releaseDelivery,
  removeOldDeliveries,
  webhooksWithDue,
  type ClaimedDelivery,
} from '../../models/events/webhook-outbox.ts';
import {
  startWebhookSender,
  type WebhookLimits,
  type WebhookSender,
} from '../../progress/send-webhooks.ts';
import { signedHeaders } from '../../progress/sign-webhook.ts';
import { tryDelivery, type AddressRules } from '../../progress/try-delivery.ts';
import { useDatabase } from '../models/use-database.ts';
import { fakeDate } from '../support/fake-date.ts';
import { addBuild, addLanding, addWebhook, report } from '../support/rows.ts';
import { until } from '../support/until.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LIMITS: WebhookLimits = {
  // No receiver here that answers takes so long.
  answerMs: 120_000,
  maxBackoffMs: HOUR_MS,
  maxTries: 20,
  maxAgeMs: 24 * HOUR_MS,
  failingMs: 24 * HOUR_MS,
  keepMs: 7 * 24 * HOUR_MS,
};
const ARRIVED = { statusCode: 200, durationMs: 1, error: null };
const FAILED_TRY = { statusCode: 503, durationMs: 1, error: 'It answered 503' };
const LATER = { waitMs: MINUTE_MS, deactivate: () => undefined };
const RULES: AddressRules = {
  rule: { hosts: ['127.0.0.1'], refusedPorts: [1], storeUrl: '' },
  dialRule,
};

const database = useDatabase();
const senders: WebhookSender[] = [];
let receiver: WebhookReceiver;
let log: string;
/** The senders' clock. It stands still, ahead of that of the database, so that no wait ends unless a test says so. */
let clockMs: number;
const now = () => new Date(clockMs);

beforeEach(async () => {
  receiver = await startReceiver();
  log = '';
  clockMs = Date.now() + HOUR_MS;
});
afterEach(async () => {
  await stopSenders();
  await receiver.close();
  await database.now.sequelize.query('TRUNCATE build, webhook CASCADE');
});

function start(
  limits: Partial<WebhookLimits & AddressRules> = {},
  clock: { now?: () => Date } = { now },
): void {
  const logger = pino({ level: 'trace' }, { write: (line: string) => (log += line) });
  const common = { database: database.now, intervalMs: 20, logger, ...clock };
  senders.push(startWebhookSender({ ...common, ...RULES, ...LIMITS, ...limits }));
}

const stopSenders = () => Promise.all(senders.splice(0).map((sender) => sender.stop()));

/** A webhook whose receiver is the test's own. */
const addOwnWebhook = (fields: Partial<WebhookFields> = {}) =>
  addWebhook(database.now, { url: receiver.url, ...fields });

const changeWebhook = (id: number, fields: Partial<WebhookFields>) =>
  database.now.sequelize.transaction((transaction) =>
    database.now.Webhook.change(id, fields, { transaction }),
  );

/** A build with as many events, the first of which tells of its acceptance. */
async function buildWith(events: number) {
  const build = await addBuild(database.now);
  for (let seq = 2; seq <= events; seq++)
    await report(database.now, build, 'STARTED', { key: `event-${seq}` });
  return build;
}

/** A build with one event. @returns what records another */
async function eventsOfBuild() {
  const build = await buildWith(1);
  return (key: string) => report(database.now, build, 'STARTED', { key });
}

/** A landing that names a webhook, with one event. @returns what records another */
async function eventsOfLanding(webhookId: number) {
  const { id: landingId } = await addLanding(database.now, { webhookId });
  const record = (key: string) =>
    database.now.LandingEvent.record({ landingId, attempt: 1, key, phase: 'queued' });
  await record('1');
  return record;
}

const idsReceived = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));
const idsOf = ({ id }: { id: number }) => idsReceived().filter((one) => one.startsWith(`${id}:`));
const deliveries = () => database.now.WebhookDelivery.findAll({ order: ['id'] });
const states = async () => (await deliveries()).map(({ state }) => state);

/** Waits until each delivery is in one of some states. */
const untilAll = (...wanted: string[]) =>
  until(`deliveries are ${wanted.join(' or ')}`, async () =>
    (await states()).every((state) => wanted.includes(state)),
  );
const untilFailedOnce = () =>
  until('a try has failed', async () =>
    (await deliveries()).find(({ error, claimedUntil }) => error !== null && !claimedUntil),
  );

describe('a process whose clock is ten minutes behind that of the database', () => {
  beforeEach(() => fakeDate(Date.now() - 10 * MINUTE_MS));
  afterEach(() => jest.useRealTimers());

  it('sends what is due, and tries again after its wait', async () => {
    await addOwnWebhook();
    await buildWith(1);
    receiver.answer = (_, response) => response.writeHead(500).end();
    start({}, {});
    const failed = await untilFailedOnce();
    const waitMs = Number(failed?.nextTryAt) - Number(failed?.triedAt);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThan(5 * MINUTE_MS);
  });

  it('signs the time of the try by the database, since receivers refuse what seems old', async () => {
    await addOwnWebhook();
    await buildWith(1);
    start({}, {});
    await untilAll('delivered');
    const [delivery] = await deliveries();
    const signedMs = Number(receiver.received[0]?.headers['webhook-timestamp']) * 1_000;
    expect(signedMs).toBe(Math.floor(Number(delivery?.triedAt) / 1_000) * 1_000);
    expect(signedMs - Date.now()).toBeGreaterThan(9 * MINUTE_MS);
  });
});

describe('a process whose clock is eight days ahead of that of the database', () => {
  afterEach(() => jest.useRealTimers());

  it('removes nothing early, not even what waits for a webhook that is switched off', async () => {
    const { id } = await addOwnWebhook();
    await buildWith(2);
    await changeWebhook(id, { isActive: false });
    const [old, waiting] = await deliveries();
    await old?.update({ requestedAt: new Date(Date.now() - 8 * 24 * HOUR_MS) });
    fakeDate(Date.now() + 8 * 24 * HOUR_MS);
    start({}, {});
    await until('the old one is removed', async () => {
      const left = await deliveries();
      return !left.some((one) => one.id === old?.id);
    });
    expect((await deliveries()).map((one) => one.id)).toEqual([waiting?.id]);
  });
});

describe('what a webhook is told', () => {
  it('is each event as it is on the queue, in order, signed', async () => {
    const { secret } = await addOwnWebhook();
    const { id } = await buildWith(3);
    start();
    await untilAll('delivered');
    const events = await database.now.ProgressEvent.findAfter(id, 0, 10);
    expect(receiver.received.map(({ body }) => body)).toEqual(
      events.map((event) => JSON.stringify(event)),
    );
    expect(idsReceived()).toEqual([`${id}:1`, `${id}:2`, `${id}:3`]);
    for (const { headers, body } of receiver.received) {
      const at = String(headers['webhook-timestamp']);
      expect(at).toBe(String(Math.floor(clockMs / 1_000)));
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', key)
        .update(`${String(headers['webhook-id'])}.${at}.${body}`)
        .digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
      expect(headers['content-type']).toBe('application/json');
    }
    expect(log).not.toContain(secret);
    const [first] = await deliveries();
    expect(first).toMatchObject({ tries: 1, statusCode: 204, error: null });
  });

  it('is signed as the example of the specification is', () => {
    expect(
      signedHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        at: new Date(1_614_265_330_000),
        body: '{"test": 2432232314}',
      })['webhook-signature'],
    ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('is only what it asks for, and nothing while it is not active', async () => {
    const build = await addBuild(database.now);
    const other = await addBuild(database.now);
    const { id: final } = await addOwnWebhook({ ticketId: build.ticketId, messages: ['FAILURE'] });
    await addOwnWebhook({ isActive: false });
    for (const { id } of [build, other]) {
      await report(database.now, { id }, 'STARTED');
      await report(database.now, { id }, 'FAILURE');
    }
    expect(await deliveries()).toMatchObject([{ webhookId: final, buildId: build.id, seq: 3 }]);
  });

  it('is each event of the landings that name it, in order, and of no other', async () => {
    const { id: webhookId } = await addOwnWebhook({ messages: ['COMPLETE'] });
    await addOwnWebhook();
    const named = await addLanding(database.now, { webhookId, progressTrigger: null });
    const other = await addLanding(database.now);
    for (const { id: landingId } of [named, other])
      for (const phase of ['queued', 'building', 'cancelled'] as const)
        await database.now.LandingEvent.record({ landingId, attempt: 1, key: phase, phase });
    start();
    await untilAll('delivered');
    expect(idsReceived()).toEqual([1, 2, 3].map((seq) => `landing:${named.id}:${seq}`));
    expect(receiver.received.map(({ body }) => body)).toEqual(
      (await database.now.LandingEvent.findAfter(named.id, 0, 10)).map((one) =>
        JSON.stringify(one),
      ),
    );
  });

  it('waits for the earlier event of its landing where that failed', async () => {
    const { id: webhookId } = await addOwnWebhook();
    const { id: landingId } = await addLanding(database.now, { webhookId });
    const record = (phase: 'queued' | 'building') =>
      database.now.LandingEvent.record({ landingId, attempt: 1, key: phase, phase });
    await record('queued');
    const first = await claimDelivery(database.now, webhookId, MINUTE_MS, now());
    expect(first).toMatchObject({ landingId, seq: 1, buildId: null });
    await record('building');
    const [, second] = await deliveries();
    if (first) await markFailed(database.now, first, FAILED_TRY, LATER, now());
    // It is tried without its wait.
    await database.now.WebhookDelivery.resend(webhookId, second?.id ?? 0, undefined);
    expect(await webhooksWithDue(database.now, now())).toEqual([webhookId]);
    expect(await claimDelivery(database.now, webhookId, MINUTE_MS, now())).toBeUndefined();
  });
});

describe('a receiver that fails', () => {
  it('is tried again after a wait; the later events of that build wait, other builds do not', async () => {
    await addOwnWebhook();
    const held = await buildWith(3);
    const other = await buildWith(2);
    let isDown = true;
    receiver.answer = ({ headers }, response) => {
      const isHeld = String(headers['webhook-id']).startsWith(`${held.id}:`);
      response.writeHead(isHeld && isDown ? 503 : 200).end();
    };
    start();
    await until('the other build is told of', () => idsOf(other).length === 2);
    const failed = await untilFailedOnce();
    expect(failed).toMatchObject({ buildId: held.id, seq: 1, tries: 1, statusCode: 503 });
    expect(failed.error).toBe('It answered 503');
    expect(failed.nextTryAt).toEqual(new Date(clockMs + 5_000));
    expect(idsOf(held)).toEqual([`${held.id}:1`]);
    isDown = false;
    clockMs += 5_000;
    await untilAll('delivered');
    expect(idsOf(held)).toEqual([1, 1, 2, 3].map((seq) => `${held.id}:${seq}`));
  });

  it.each(['build', 'landing'] as const)(
    'is not looked for again until its next try because of later events of a %s',
    async (what) => {
      const { id: webhookId } = await addOwnWebhook();
      const record = what === 'build' ? await eventsOfBuild() : await eventsOfLanding(webhookId);
      const first = await claimDelivery(database.now, webhookId, MINUTE_MS, now());
      if (!first) throw new Error('nothing is due');
      await markFailed(database.now, first, FAILED_TRY, LATER, now());
      await record('2');
      expect(await webhooksWithDue(database.now, now())).toEqual([]);
      clockMs += MINUTE_MS;
      expect(await webhooksWithDue(database.now, now())).toEqual([webhookId]);
      expect(await claimDelivery(database.now, webhookId, MINUTE_MS, now())).toMatchObject({
        seq: 1,
        tries: 2,
      });
    },
  );

  it('is left alone for as long as it asks', async () => {
    await addOwnWebhook();
    await buildWith(1);
    receiver.answer = (_, response) => response.writeHead(503, { 'retry-after': '600' }).end();
    start();
    const { nextTryAt } = await untilFailedOnce();
    expect(nextTryAt).toEqual(new Date(clockMs + 600_000));
  });

  it('is tried again after the longest wait where it asks for a longer one', async () => {
    await addOwnWebhook();
    await buildWith(1);
    receiver.answer = (_, response) => response.writeHead(429, { 'retry-after': '600' }).end();
    start({ maxBackoffMs: MINUTE_MS });
    const { nextTryAt } = await untilFailedOnce();
    expect(nextTryAt).toEqual(new Date(clockMs + MINUTE_MS));
  });

  it('gets no further try of an event when there were enough; the next event is sent', async () => {
    await addOwnWebhook();
    const { id } = await buildWith(2);
    receiver.answer = ({ headers }, response) =>
      response.writeHead(headers['webhook-id'] === `${id}:1` ? 500 : 200).end();
    start({ maxTries: 2 });
    await untilFailedOnce();
    clockMs += MINUTE_MS;
    await untilAll('delivered', 'failed');
    expect(await states()).toEqual(['failed', 'delivered']);
    expect(idsReceived()).toEqual([`${id}:1`, `${id}:1`, `${id}:2`]);
  });

  it('is tried for a day where nothing else is set', async () => {
    await addOwnWebhook();
    await buildWith(1);
    const requestedAt = now();
    await database.now.WebhookDelivery.update({ requestedAt }, { where: {} });
    receiver.answer = (_, response) => response.writeHead(503).end();
    const { intervalMs: _, ...limits } = loadConfig({}).webhookSender;
    start(limits);
    const triedAgain = (tries: number) =>
      until(`it has failed ${tries} times`, async () => {
        const [one] = await deliveries();
        return one?.tries === tries && one.error !== null && one.claimedUntil === null && one;
      });
    let last = await triedAgain(1);
    while (last.state === 'pending') {
      clockMs = last.nextTryAt.getTime();
      last = await triedAgain(last.tries + 1);
    }
    expect(Number(last.triedAt) - Number(requestedAt)).toBeGreaterThanOrEqual(24 * HOUR_MS);
  });

  it('is not followed where it redirects', async () => {
    await addOwnWebhook();
    await buildWith(1);
    receiver.answer = (_, response) => response.writeHead(307, { location: '/other' }).end();
    start({ maxTries: 1 });
    await untilAll('failed');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    const [{ error } = { error: '' }] = await deliveries();
    expect(error).toBe('It answered 307, a redirect, which is not followed');
  });

  it('holds up no other webhook while it hangs', async () => {
    const hanging = await startReceiver();
    hanging.answer = () => undefined;
    await addOwnWebhook({ url: hanging.url });
    await addOwnWebhook();
    const build = await buildWith(3);
    start();
    await until('it hangs', () => hanging.received.length === 1);
    await report(database.now, build, 'STARTED', { key: 'while it hangs' });
    await until('the other one has all', () => receiver.received.length === 4);
    expect(hanging.received).toHaveLength(1);
    await hanging.close();
  });

  it('has a deadline', async () => {
    await addOwnWebhook();
    await buildWith(1);
    receiver.answer = () => undefined;
    start({ answerMs: 100 });
    const { error, statusCode } = await untilFailedOnce();
    expect({ error, statusCode }).toEqual({
      error: 'It gave no answer within 100 ms',
      statusCode: null,
    });
  });

  it('has not answered where it changes to another protocol; the sender stops all the same', async () => {
    await addOwnWebhook();
    await buildWith(1);
    receiver.answer = (_, response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end();
    start();
    const { error, statusCode } = await untilFailedOnce();
    expect({ error, statusCode }).toEqual({
      error: 'It ended the connection without an answer',
      statusCode: null,
    });
    await stopSenders();
  });

  it('is read no further than a little, and what it says is kept nowhere', async () => {
    await addOwnWebhook();
    await buildWith(1);
    receiver.answer = (_, response) => {
      response.writeHead(500);
      const pour = () => response.write('inside '.repeat(1_000), (error) => !error && pour());
      pour();
    };
    start();
    const { error } = await untilFailedOnce();
    expect(error).toBe('It answered 500');
    expect(log).not.toContain('inside');
  });

  it('is not called where the operator does not allow its address', async () => {
    await addOwnWebhook({ url: `http://localhost:${receiver.port}/hook` });
    await buildWith(1);
    start({ maxTries: 1 });
    await untilAll('failed');
    expect(receiver.received).toEqual([]);
    const [{ error } = { error: '' }] = await deliveries();
    expect(error).toContain('not on the allow-list');
  });

  it('is not called where its name leads to no public address, unless its network is allowed', async () => {
    await addOwnWebhook({ url: `http://receiver.example:${receiver.port}/hook` });
    await buildWith(1);
    const rules: AddressRules = {
      rule: { ...RULES.rule, hosts: ['receiver.example'] },
      dialRule: (url, rule) =>
        dialRule(url, rule, (_name, _options, found) =>
          found(null, [{ address: '127.0.0.1', family: 4 }]),
        ),
    };
    start({ ...rules, maxTries: 1 });
    await untilAll('failed');
    expect(receiver.received).toEqual([]);
    const [{ error } = { error: '' }] = await deliveries();
    expect(error).toContain('leads to 127.0.0.1: it is not a public address');
    await stopSenders();

    await buildWith(1);
    start({ ...rules, rule: { ...rules.rule, privateNetworks: ['127.0.0.1/32'] } });
    await until('the other delivery has arrived', () => receiver.received.length === 1);
  });

  it('is not called at a port of Airline itself, however its address is written', async () => {
    await addOwnWebhook({ url: receiver.url.replace('127.0.0.1', '0.0.0.0') });
    await buildWith(1);
    const rule = { ...RULES.rule, hosts: ['0.0.0.0'], refusedPorts: [receiver.port] };
    start({ rule, maxTries: 1 });
    await untilAll('failed');
    expect(receiver.received).toEqual([]);
    const [{ error } = { error: '' }] = await deliveries();
    expect(error).toContain('belongs to Airline itself');
  });
});

describe('a webhook is switched off', () => {
  it('at once where the receiver is gone', async () => {
    const { id } = await addOwnWebhook();
    await buildWith(2);
    receiver.answer = (_, response) => response.writeHead(410).end();
    start();
    const webhook = await until('it is off', async () => {
      const row = await database.now.Webhook.findByPk(id, { rejectOnEmpty: true });
      return !row.isActive && row;
    });
    expect(webhook.inactiveReason).toBe('It answered 410: the receiver wants no more requests.');
    expect(await states()).toEqual(['failed', 'pending']);
    expect(log).toContain('"alarm":"webhook_deactivated"');
    await report(database.now, await addBuild(database.now), 'STARTED');
    expect(await deliveries()).toHaveLength(2);
    await stopSenders();
    expect(receiver.received).toHaveLength(1);
  });

  it('when every try has failed for long; made active, it gets what waits', async () => {
    const { id } = await addOwnWebhook();
    await buildWith(1);
    receiver.answer = (_, response) => response.writeHead(500).end();
    start({ maxAgeMs: 48 * HOUR_MS });
    await untilFailedOnce();
    clockMs += 25 * HOUR_MS;
    const webhook = await until('it is off', async () => {
      const row = await database.now.Webhook.findByPk(id, { rejectOnEmpty: true });
      return !row.isActive && row;
    });
    expect(webhook.inactiveReason).toMatch(/^Every request has failed since .*It answered 500\.$/);
    receiver.answer = (_, response) => response.writeHead(200).end();
    await changeWebhook(id, { isActive: true });
    await untilAll('delivered');
    expect(await database.now.Webhook.findByPk(id)).toMatchObject({
      inactiveReason: null,
      failingSince: null,
    });
  });
});

describe('a webhook stays on', () => {
  const webhookNow = (id: number) => database.now.Webhook.findByPk(id, { rejectOnEmpty: true });

  it('where one event was given up days ago: the next that fails once is tried again', async () => {
    const { id } = await addOwnWebhook();
    await buildWith(1);
    receiver.answer = (_, response) => response.writeHead(500).end();
    start({ maxTries: 2 });
    await untilFailedOnce();
    clockMs += MINUTE_MS;
    await untilAll('failed');
    await stopSenders();
    clockMs += 72 * HOUR_MS;
    const ping = await database.now.WebhookDelivery.ping(id, null);
    await ping.update({ requestedAt: now() });
    start({ maxTries: 2 });
    await until(
      'the ping has failed once',
      async () => (await deliveries()).at(-1)?.statusCode === 500,
    );
    expect(await webhookNow(id)).toMatchObject({ isActive: true, inactiveReason: null });
    receiver.answer = (_, response) => response.writeHead(200).end();
    clockMs += MINUTE_MS;
    await untilAll('failed', 'delivered');
    expect(await states()).toEqual(['failed', 'delivered']);
    expect(await webhookNow(id)).toMatchObject({ isActive: true, failingSince: null });
  });

  it.each<[string, () => Partial<WebhookFields>]>([
    ['address', () => ({ url: new URL('/other', receiver.url).href })],
    ['secret', () => ({ secret: newWebhookSecret() })],
  ])('for as long as another one, once it has got another %s', async (_what, change) => {
    const { id } = await addOwnWebhook();
    await buildWith(1);
    receiver.answer = (_, response) => response.writeHead(500).end();
    start();
    await untilFailedOnce();
    await stopSenders();
    expect((await webhookNow(id)).failingSince).not.toBeNull();
    await changeWebhook(id, { description: 'as before' });
    expect((await webhookNow(id)).failingSince).not.toBeNull();
    await changeWebhook(id, change());
    expect((await webhookNow(id)).failingSince).toBeNull();
    // What waits is tried at once, and has all its tries again.
    start({ maxTries: 2 });
    await until('it is tried again', () => receiver.received.length === 2);
    await stopSenders();
    expect(await states()).toEqual(['pending']);
  });

  it.each<[string, (webhook: WebhookFields) => Partial<WebhookFields>]>([
    ['is made active while it is', () => ({ isActive: true })],
    ['gets the address and the secret that it has', ({ url, secret }) => ({ url, secret })],
  ])('no longer than before where it %s, however often', async (_what, repeated) => {
    const webhook = await addOwnWebhook();
    await buildWith(1);
    const failingSince = new Date(Date.now() - 23 * HOUR_MS);
    await database.now.Webhook.update({ failingSince }, { where: {} });
    const [delivery] = await deliveries();
    await delivery?.update({ requestedAt: failingSince, tries: 20 });
    await changeWebhook(webhook.id, repeated(webhook));
    expect(await webhookNow(webhook.id)).toMatchObject({ isActive: true, failingSince });
    expect(await deliveries()).toMatchObject([{ state: 'pending', requestedAt: failingSince }]);
  });

  it('once it is on again, and tries what waited for longer than a delivery may fail', async () => {
    const { id } = await addOwnWebhook();
    const builds = [await buildWith(2), await buildWith(1)];
    await changeWebhook(id, { isActive: false });
    for (const [at, delivery] of (await deliveries()).entries()) {
      const requestedAt = new Date(Date.now() - 48 * HOUR_MS + at);
      await delivery.update({ requestedAt, nextTryAt: requestedAt });
    }
    receiver.answer = (_, response) => response.writeHead(503).end();
    await changeWebhook(id, { isActive: true });
    start();
    await until('each build is tried', () => receiver.received.length >= 2);
    await stopSenders();
    expect(await states()).toEqual(['pending', 'pending', 'pending']);
    receiver.answer = (_, response) => response.writeHead(200).end();
    await changeWebhook(id, { isActive: true });
    start();
    await untilAll('delivered');
    expect(builds.map(idsOf)).toEqual([
      [`${builds[0]?.id}:1`, `${builds[0]?.id}:1`, `${builds[0]?.id}:2`],
      [`${builds[1]?.id}:1`, `${builds[1]?.id}:1`],
    ]);
  });
});

describe('several senders', () => {
  it('share the work: each event comes once, those of a build in order', async () => {
    for (const path of ['/one', '/two'])
      await addOwnWebhook({ url: new URL(path, receiver.url).href });
    const builds = await Promise.all([buildWith(4), buildWith(4), buildWith(4)]);
    start();
    start();
    await untilAll('delivered');
    expect(receiver.received).toHaveLength(24);
    for (const path of ['/one', '/two'])
      for (const { id } of builds)
        expect(
          receiver.received
            .filter((one) => one.path === path)
            .map(({ headers }) => headers['webhook-id'])
            .filter((one) => String(one).startsWith(`${id}:`)),
        ).toEqual([1, 2, 3, 4].map((seq) => `${id}:${seq}`));
  });

  it('have one request to a webhook under way, all together', async () => {
    const { id: webhookId } = await addOwnWebhook();
    await Promise.all([buildWith(1), buildWith(1), buildWith(1)]);
    const claim = () => claimDelivery(database.now, webhookId, MINUTE_MS, now());
    const [first, ...others] = (await Promise.all([claim(), claim(), claim()])).filter(
      (one) => one !== undefined,
    );
    expect(first).toBeDefined();
    expect([...others, await claim()]).toEqual([undefined]);
    if (first) await markDelivered(database.now, first, ARRIVED);
    expect(await claim()).toBeDefined();
  });

  it.each<[string, Date | null, (lapsed: ClaimedDelivery) => Promise<unknown>]>([
    [
      'has sent it',
      new Date('2026-01-01'),
      (lapsed) => markDelivered(database.now, lapsed, ARRIVED),
    ],
    ['has failed', null, (lapsed) => markFailed(database.now, lapsed, FAILED_TRY, LATER, now())],
    [
      'has failed for the last time',
      null,
      (lapsed) => markFailed(database.now, lapsed, FAILED_TRY, { ...LATER, waitMs: null }, now()),
    ],
    ['stops', null, (lapsed) => releaseDelivery(database.now, lapsed)],
  ])(
    'change nothing by what one, whose claim has lapsed, tells late: it %s',
    async (_what, failingSince, tell) => {
      const { id: webhookId } = await addOwnWebhook();
      await database.now.Webhook.update({ failingSince }, { where: { id: webhookId } });
      await buildWith(1);
      const claim = async () => {
        const claimed = await claimDelivery(database.now, webhookId, MINUTE_MS, now());
        if (!claimed) throw new Error('nothing is due');
        return claimed;
      };
      const rows = async () =>
        [...(await deliveries()), ...(await database.now.Webhook.findAll())].map((row) =>
          row.toJSON(),
        );
      const lapsed = await claim();
      clockMs += 2 * MINUTE_MS;
      const held = await claim();

      const underWay = await rows();
      await tell(lapsed);
      expect(await rows()).toEqual(underWay);

      await markDelivered(database.now, held, ARRIVED);
      expect(await states()).toEqual(['delivered']);
      await database.now.Webhook.update({ failingSince }, { where: { id: webhookId } });
      const settled = await rows();
      await tell(lapsed);
      expect(await rows()).toEqual(settled);
    },
  );

  it('send again what one has sent and not kept when it died, under the same id', async () => {
    const { id: webhookId } = await addOwnWebhook();
    const { id } = await buildWith(2);
    const claimed = await claimDelivery(database.now, webhookId, MINUTE_MS, now());
    if (!claimed) throw new Error('nothing is due');
    const signal = new AbortController().signal;
    await tryDelivery(claimed, { ...RULES, answerMs: LIMITS.answerMs, signal });
    expect(await claimDelivery(database.now, webhookId, MINUTE_MS, now())).toBeUndefined();
    clockMs += 2 * MINUTE_MS;
    start();
    await untilAll('delivered');
    expect(idsReceived()).toEqual([`${id}:1`, `${id}:1`, `${id}:2`]);
    const [first, second] = receiver.received;
    expect(first?.body).toBe(second?.body);
  });
});

describe('the log of deliveries', () => {
  it('has a delivery sent again, under the same id, while later events do not wait for it', async () => {
    const { id: webhookId } = await addOwnWebhook();
    const { id } = await buildWith(2);
    start();
    await untilAll('delivered');
    const [first] = await deliveries();
    receiver.answer = ({ headers }, response) =>
      response.writeHead(headers['webhook-id'] === `${id}:1` ? 500 : 200).end();
    await database.now.WebhookDelivery.resend(webhookId, first?.id ?? 0, undefined);
    await untilFailedOnce();
    await report(database.now, { id }, 'STARTED', { key: 'one more' });
    await until('the later event is there', () => idsReceived().at(-1) === `${id}:3`);
    expect(idsReceived()).toEqual([`${id}:1`, `${id}:2`, `${id}:1`, `${id}:3`]);
    receiver.answer = (_, response) => response.writeHead(200).end();
    await database.now.WebhookDelivery.resend(webhookId, first?.id ?? 0, undefined);
    await untilAll('delivered');
  });

  it.each(['build', 'landing'] as const)(
    'has a delivery that fails when it is sent again hold up no later event of its %s that came meanwhile',
    async (what) => {
      const { id: webhookId } = await addOwnWebhook();
      const record = what === 'build' ? await eventsOfBuild() : await eventsOfLanding(webhookId);
      const claim = async () => claimDelivery(database.now, webhookId, MINUTE_MS, now());
      const first = await claim();
      if (!first) throw new Error('nothing is due');
      await markFailed(database.now, first, FAILED_TRY, { ...LATER, waitMs: null }, now());
      await database.now.WebhookDelivery.resend(webhookId, first.id, undefined);

      const sentAgain = await claim();
      if (!sentAgain) throw new Error('nothing is due');
      await record('while it is sent again');
      await markFailed(database.now, sentAgain, FAILED_TRY, LATER, now());

      expect(sentAgain.seq).toBe(1);
      expect((await claim())?.seq).toBe(2);
    },
  );

  it('has a delivery that waits for an earlier one tried without its wait, but after that one', async () => {
    const { id: webhookId } = await addOwnWebhook();
    const { id } = await buildWith(2);
    receiver.answer = ({ headers }, response) =>
      response.writeHead(headers['webhook-id'] === `${id}:1` ? 500 : 200).end();
    start();
    await untilFailedOnce();
    const [, second] = await deliveries();
    await database.now.WebhookDelivery.resend(webhookId, second?.id ?? 0, undefined);
    // What is due later, and waits for nothing.
    const ping = await database.now.WebhookDelivery.ping(webhookId, null);
    await until('the ping is there', () => idsReceived().includes(`ping:${ping.id}`));
    receiver.answer = (_, response) => response.writeHead(200).end();
    clockMs += MINUTE_MS;
    await untilAll('delivered');
    expect(idsReceived()).toEqual([`${id}:1`, `ping:${ping.id}`, `${id}:1`, `${id}:2`]);
  });

  it('is counted, as far as it waits for webhooks that are on, up to a limit', async () => {
    const [on, onToo, off] = [await addOwnWebhook(), await addOwnWebhook(), await addOwnWebhook()];
    await buildWith(3);
    await database.now.WebhookDelivery.update(
      { state: 'delivered' },
      { where: { webhookId: on.id, seq: 1 } },
    );
    await changeWebhook(off.id, { isActive: false });
    const counts = [1, 2, 4, 5, 6].map((limit) => countPendingDeliveries(database.now, limit));
    expect(await Promise.all(counts)).toEqual([1, 2, 4, 5, 5]);
    await changeWebhook(onToo.id, { isActive: false });
    expect(await countPendingDeliveries(database.now)).toBe(2);
  });

  it('tells of a ping as of an event', async () => {
    const { id: webhookId } = await addOwnWebhook();
    const { id } = await database.now.WebhookDelivery.ping(webhookId, null);
    start();
    await untilAll('delivered');
    expect(receiver.received).toMatchObject([
      {
        headers: { 'webhook-id': `ping:${id}` },
        body: `{"type":"ping","webhook_id":${webhookId}}`,
      },
    ]);
  });

  it('forgets what is old, unless it still waits', async () => {
    const { id } = await addOwnWebhook();
    await buildWith(2);
    const [first] = await deliveries();
    await first?.update({ state: 'delivered' });
    const removeAt = (at: Date) => removeOldDeliveries(database.now, LIMITS.keepMs, 10, at);
    const later = new Date(Date.now() + LIMITS.keepMs + HOUR_MS);
    expect(await removeAt(now())).toBe(0);
    expect(await removeAt(later)).toBe(1);
    expect(await states()).toEqual(['pending']);
    await changeWebhook(id, { isActive: false });
    expect(await removeAt(later)).toBe(1);
  });
});
