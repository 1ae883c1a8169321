import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  connect,
  type Channel,
  type ChannelModel,
  type ConfirmChannel,
  type GetMessage,
} from 'amqplib';
import { pino } from 'pino';
import type { LandingPhase } from '../../domain/landings/landing-phase.ts';
import type { ProgressReport } from '../../domain/builds/progress.ts';
import { openDatabase, type Database } from '../../models/database.ts';
import { withDeadline } from '../../timing/deadline.ts';
import { startProgressPublisher, type ProgressPublisher } from '../../progress/publish-progress.ts';
import { amqpUrl } from '../support/addresses.ts';
import { assertLandingMessage, assertMessage } from '../support/assert-message.ts';
import { readQueue } from '../support/read-queue.ts';
import { addBuild, addLanding, addUntoldBuild, retryBuild } from '../support/rows.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const INTERVAL_MS = 50;
/** No broker that works takes so long: a message that it has not confirmed in time is sent again. */
const ANSWER_MS = 60_000;
/** It publishes only when it is woken. */
const WHEN_WOKEN = { intervalMs: 3_600_000 };

const bodyOf = (message: GetMessage) => assertMessage(JSON.parse(message.content.toString('utf8')));

describe('the progress publisher', () => {
  let testDatabase: { url: string; drop: () => Promise<void> };
  let database: Database;
  let broker: ChannelModel;
  let channel: Channel;
  const publishers: ProgressPublisher[] = [];
  const queues: string[] = [];
  const logged: { alarm?: string; msg: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) });

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase(testDatabase.url, 8);
    broker = await connect(amqpUrl());
    channel = await broker.createChannel();
  });
  afterEach(async () => {
    await Promise.all(publishers.splice(0).map((publisher) => publisher.stop()));
    for (const queue of queues.splice(0)) await channel.deleteQueue(queue);
    await database.sequelize.query('TRUNCATE build CASCADE');
    logged.splice(0);
  });
  afterAll(async () => {
    await broker.close();
    await database.close();
    await testDatabase.drop();
  });

  function start(
    url = amqpUrl(),
    options: {
      maxRefused?: number;
      answerMs?: number;
      intervalMs?: number;
      stopMs?: number;
    } = {},
  ): ProgressPublisher {
    const publisher = startProgressPublisher({
      database,
      amqpUrl: url,
      intervalMs: INTERVAL_MS,
      answerMs: ANSWER_MS,
      ...options,
      logger,
    });
    publishers.push(publisher);
    return publisher;
  }
  /** The broker, by way of a proxy that a test closes or freezes. */
  async function startBrokerProxy() {
    const way = new URL(amqpUrl());
    const proxy = await startTcpProxy(way.hostname, Number(way.port));
    way.host = `127.0.0.1:${proxy.port}`;
    return { proxy, url: way.href };
  }
  function newQueue(): string {
    const queue = `progress-test-${process.pid}-${Date.now()}-${Math.random().toString(36).slice(2)}`;
    queues.push(queue);
    return queue;
  }
  /** A build that reports to a queue. */
  async function buildOf(queue: string): Promise<number> {
    return (await addUntoldBuild(database, { progressTrigger: queue })).id;
  }
  async function report(buildId: number, ...messages: ProgressReport['message'][]) {
    for (const [index, message] of messages.entries())
      await database.ProgressEvent.record({
        buildId,
        key: `${message}-${index}`,
        message,
        ...(message === 'COMPLETE' ? { logs: ['http://127.0.0.1/log'] } : {}),
      });
  }
  const allPublished = () =>
    until(
      'every event is published',
      async () => (await database.ProgressEvent.unpublished()) === 0,
    );
  const read = (queue: string) => readQueue(channel, queue);

  it('puts the events of a landing into the queue that its request named, and of no other', async () => {
    const queue = newQueue();
    const named = await addLanding(database, { progressTrigger: queue, isQueueNamed: true });
    const other = await addLanding(database, { progressTrigger: newQueue() });
    for (const { id: landingId } of [named, other])
      for (const [key, phase] of ['queued', 'building', 'approving', 'cancelled'].entries())
        await database.LandingEvent.record({
          landingId,
          attempt: 1,
          key: String(key),
          phase: phase as LandingPhase,
        });
    expect(await database.LandingEvent.unpublished()).toBe(4);

    start();
    await until(
      'every event is published',
      async () => (await database.LandingEvent.unpublished()) === 0,
    );

    const messages = await read(queue);
    expect(messages.map(({ properties }) => properties.messageId)).toEqual(
      [1, 2, 3, 4].map((seq) => `landing:${named.id}:${seq}`),
    );
    expect(messages[0]?.properties).toMatchObject({ type: 'LANDING', deliveryMode: 2 });
    const bodies = messages.map(({ content }) => JSON.parse(content.toString()) as object);
    expect(bodies).toEqual(await database.LandingEvent.findAfter(named.id, 0, 10));
    for (const body of bodies) assertLandingMessage(body);
  });

  it('puts the events of a build into its queue, in order, persistent, each with its id', async () => {
    const queue = newQueue();
    const buildId = await buildOf(queue);
    await report(buildId, 'STARTED', 'INPROGRESS', 'COMPLETE');

    start();
    await allPublished();

    const messages = await read(queue);
    expect(messages.map(bodyOf)).toEqual(await database.ProgressEvent.findAfter(buildId, 0, 10));
    expect(messages.map((message) => bodyOf(message).seq)).toEqual([1, 2, 3]);
    expect(messages.map((message) => bodyOf(message).state)).toEqual([
      'WAITING',
      'STATUS',
      'COMPLETED',
    ]);
    expect(bodyOf(messages[2] as GetMessage)).toMatchObject({
      exit: true,
      logs: ['http://127.0.0.1/log'],
      progress_trigger: queue,
    });
    expect(messages[1]?.properties).toMatchObject({
      messageId: `${buildId}:2`,
      type: 'INPROGRESS',
      contentType: 'application/json',
      deliveryMode: 2,
      timestamp: Math.floor(Date.parse(bodyOf(messages[1] as GetMessage).timestamp) / 1_000),
    });
  });

  it('tells of the acceptance before any worker has the build: the queue is there', async () => {
    const queue = newQueue();
    const { id: buildId } = await addBuild(database, { progressTrigger: queue });

    start();
    await allPublished();

    const [message, ...others] = await read(queue);
    expect(others).toEqual([]);
    expect(message?.properties).toMatchObject({ messageId: `${buildId}:1`, type: undefined });
    expect(bodyOf(message as GetMessage)).toMatchObject({
      state: 'WAITING',
      message: null,
      phase: 'queued',
      seq: 1,
      build_id: buildId,
      phase_since: bodyOf(message as GetMessage).timestamp,
    });
  });

  it('publishes at once when it is woken', async () => {
    const queue = newQueue();
    const buildId = await buildOf(queue);
    const publisher = start(amqpUrl(), WHEN_WOKEN);
    for (const message of ['STARTED', 'INPROGRESS', 'COMPLETE'] as const) {
      await report(buildId, message);
      publisher.wake();
      await allPublished();
    }

    expect((await read(queue)).map((message) => bodyOf(message).seq)).toEqual([1, 2, 3]);
  });

  it('is read by a client that is not written in JavaScript', async () => {
    const queue = newQueue();
    const buildId = await buildOf(queue);
    await report(buildId, 'STARTED', 'COMPLETE');
    start();
    await allPublished();

    const { stdout } = await run(
      '/usr/bin/python3',
      [
        '-c',
        [
          'import json, pika, sys',
          'channel = pika.BlockingConnection(pika.URLParameters(sys.argv[1])).channel()',
          'channel.queue_declare(sys.argv[2], durable=True)',
          'for method, properties, body in channel.consume(sys.argv[2], inactivity_timeout=60):',
          '    message = json.loads(body)',
          '    print(properties.message_id, properties.delivery_mode, message["state"], message.get("exit"))',
          '    channel.basic_ack(method.delivery_tag)',
          '    if message.get("exit"): break',
          'channel.connection.close()',
        ].join('\n'),
        amqpUrl(),
        queue,
      ],
      { timeout: 100_000 },
    );

    expect(stdout.trim().split('\n')).toEqual([
      `${buildId}:1 2 WAITING None`,
      `${buildId}:2 2 COMPLETED True`,
    ]);
  });

  it('shares the work with other publishers and keeps the order of each build', async () => {
    const builds = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const queue = newQueue();
        return { queue, buildId: await buildOf(queue) };
      }),
    );
    for (let publisher = 0; publisher < 3; publisher++) start();

    const messages = ['STARTED', ...Array<'INPROGRESS'>(8).fill('INPROGRESS'), 'COMPLETE'] as const;
    await Promise.all(builds.map(({ buildId }) => report(buildId, ...messages)));
    await allPublished();

    for (const { queue } of builds)
      expect((await read(queue)).map((message) => bodyOf(message).seq)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
      ]);
  });

  it('keeps events while the broker is away, and publishes them in order when it is back', async () => {
    const { proxy, url } = await startBrokerProxy();
    try {
      const queue = newQueue();
      const buildId = await buildOf(queue);
      start(url);
      await report(buildId, 'STARTED');
      await allPublished();

      proxy.close();
      await report(buildId, 'INPROGRESS', 'COMPLETE');
      await until('the publisher notices', () =>
        logged.some(({ msg }) => msg.startsWith('progress events wait')),
      );
      expect(await database.ProgressEvent.unpublished()).toBe(2);

      proxy.open();
      await allPublished();
      expect((await read(queue)).map((message) => bodyOf(message).seq)).toEqual([1, 2, 3]);
    } finally {
      await Promise.all(publishers.splice(0).map((publisher) => publisher.stop()));
      await proxy.stop();
    }
  });

  it('looks only whether anything waits while the broker is away, and not how much', async () => {
    const { proxy, url } = await startBrokerProxy();
    proxy.close();
    await report(await buildOf(newQueue()), 'STARTED');
    const asked = jest.spyOn(database.ProgressEvent, 'unpublished');
    const publisher = start(url);
    await until('the publisher has tried again', () => logged.length > 1);
    await publisher.stop();
    await proxy.stop();
    expect(asked.mock.calls.length).toBeGreaterThan(1);
    for (const [limit] of asked.mock.calls) expect(limit).toBe(1);
  });

  it('gives up on a broker that hangs, and publishes when it is reached again', async () => {
    const { proxy, url } = await startBrokerProxy();
    try {
      const queue = newQueue();
      const buildId = await buildOf(queue);
      start(url, { answerMs: 500 });
      await report(buildId, 'STARTED');
      await allPublished();

      proxy.freeze();
      await report(buildId, 'COMPLETE');
      await allPublished();

      expect(logged.some(({ msg }) => msg.startsWith('progress events wait'))).toBe(true);
      const seen = (await read(queue)).map((message) => bodyOf(message).seq);
      expect([...new Set(seen)]).toEqual([1, 2]);
    } finally {
      await Promise.all(publishers.splice(0).map((publisher) => publisher.stop()));
      await proxy.stop();
    }
  });

  it('stops in limited time in the middle of a message that a broker does not confirm, and leaves it to others', async () => {
    const { proxy, url } = await startBrokerProxy();
    try {
      const queue = newQueue();
      const buildId = await buildOf(queue);
      const publisher = start(url, { stopMs: 300 });
      await report(buildId, 'STARTED');
      await allPublished();
      proxy.freeze();
      await report(buildId, 'COMPLETE');
      await until('a message to be under way', async () => {
        const [waiting] = await database.sequelize.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database()
             AND state = 'idle in transaction' AND clock_timestamp() - xact_start > interval '200 ms'`,
        );
        return waiting.length > 0;
      });

      await withDeadline(publisher.stop(), 10_000);

      start();
      await allPublished();
      const seen = (await read(queue)).map((message) => bodyOf(message).seq);
      expect([...new Set(seen)]).toEqual([1, 2]);
    } finally {
      await proxy.stop();
    }
  });

  it('makes a queue again that is gone, and sends what was in it again, under the same ids', async () => {
    const queue = newQueue();
    const [first, second] = [await buildOf(queue), await buildOf(queue)];
    start();
    await report(first, 'STARTED', 'INPROGRESS');
    await report(second, 'STARTED');
    await allPublished();
    await channel.deleteQueue(queue);

    await report(first, 'COMPLETE');
    await allPublished();
    await report(second, 'FAILURE');
    await allPublished();

    expect((await read(queue)).map(({ properties }) => properties.messageId as string)).toEqual([
      ...[1, 2, 3].map((seq) => `${first}:${seq}`),
      ...[1, 2].map((seq) => `${second}:${seq}`),
    ]);
  });

  it('makes a queue again that is gone with what others have published, before they publish more', async () => {
    const queue = newQueue();
    const [first, second] = [await buildOf(queue), await buildOf(queue)];
    const [one, other] = [start(amqpUrl(), WHEN_WOKEN), start(amqpUrl(), WHEN_WOKEN)];
    for (const [buildId, publisher] of [[first, one] as const, [second, other] as const]) {
      await report(buildId, 'STARTED');
      publisher.wake();
      await allPublished();
    }
    await channel.deleteQueue(queue);

    await report(first, 'INPROGRESS');
    one.wake();
    await allPublished();
    await report(second, 'INPROGRESS');
    other.wake();
    await allPublished();

    const messages = (await read(queue)).map(bodyOf);
    for (const buildId of [first, second])
      expect(messages.filter((body) => body.build_id === buildId).map(({ seq }) => seq)).toEqual([
        1, 2,
      ]);
  });

  it('sends of a retry into a queue that its caller has deleted what the retry has told, once, whoever tells it', async () => {
    const queue = newQueue();
    const buildId = await buildOf(queue);
    const [one, other] = [start(amqpUrl(), WHEN_WOKEN), start(amqpUrl(), WHEN_WOKEN)];
    const retell = (message: 'STARTED' | 'INPROGRESS') =>
      database.ProgressEvent.record({ buildId, attempt: 2, key: message, message });
    await report(buildId, 'STARTED', 'FAILURE');
    one.wake();
    await allPublished();
    await channel.deleteQueue(queue);

    await retryBuild(database, { id: buildId });
    one.wake();
    await allPublished();
    await retell('STARTED');
    other.wake();
    await allPublished();
    await retell('INPROGRESS');
    one.wake();
    await allPublished();

    expect((await read(queue)).map((message) => bodyOf(message).seq)).toEqual([3, 4, 5]);
  });

  it('sends nothing again into a queue that is there, whoever publishes', async () => {
    const queue = newQueue();
    const buildId = await buildOf(queue);
    const publisher = start();
    await report(buildId, 'STARTED');
    await allPublished();
    await publisher.stop();

    start();
    await report(buildId, 'INPROGRESS');
    await allPublished();

    expect((await read(queue)).map((message) => bodyOf(message).seq)).toEqual([1, 2]);
  });

  it('is held up by no consumer: one that takes nothing back, one that is not there', async () => {
    const [stuck, unread, good] = [newQueue(), newQueue(), newQueue()];
    await channel.assertQueue(stuck, { durable: true });
    const holding = await broker.createChannel();
    const held: string[] = [];
    await holding.prefetch(1);
    await holding.consume(stuck, (message) => {
      if (message) held.push(message.properties.messageId as string);
    });
    const builds = await Promise.all([stuck, unread, good].map((queue) => buildOf(queue)));
    start();
    for (const buildId of builds) await report(buildId, 'STARTED', 'INPROGRESS', 'COMPLETE');
    await allPublished();

    expect((await read(good)).map((message) => bodyOf(message).seq)).toEqual([1, 2, 3]);
    await until('the consumer holds one message', () => held.length === 1);
    await holding.close();
    for (const queue of [stuck, unread])
      expect((await channel.checkQueue(queue)).messageCount).toBeGreaterThan(0);
  });

  it('uses a queue as its caller has declared it, so long as it is durable', async () => {
    const queue = newQueue();
    await channel.assertQueue(queue, { durable: true, arguments: { 'x-max-length': 1_000 } });
    const buildId = await buildOf(queue);
    await report(buildId, 'STARTED', 'COMPLETE');

    start();
    await allPublished();

    expect((await read(queue)).map((message) => bodyOf(message).seq)).toEqual([1, 2]);
  });

  it('uses a durable queue that goes with its consumer', async () => {
    const queue = newQueue();
    await channel.assertQueue(queue, { durable: true, autoDelete: true });
    const buildId = await buildOf(queue);
    await report(buildId, 'STARTED', 'INPROGRESS', 'COMPLETE');

    start();
    await allPublished();

    expect((await read(queue)).map((message) => bodyOf(message).seq)).toEqual([1, 2, 3]);
  });

  it.each([
    ['that is not durable either', { durable: false, autoDelete: true }],
    [
      'that is not durable either, and has a limit',
      { durable: false, autoDelete: true, maxLength: 9 },
    ],
    ['of one connection alone', { durable: true, autoDelete: true, exclusive: true }],
  ])('refuses a queue that goes with its consumer, and %s', async (_which, options) => {
    const queue = newQueue();
    await channel.assertQueue(queue, options);
    await report(await buildOf(queue), 'STARTED');

    start();
    await until('the queue counts as refused', () =>
      logged.some(({ alarm }) => alarm === 'progress_queue_refused'),
    );

    expect((await channel.checkQueue(queue)).messageCount).toBe(0);
    expect(await database.ProgressEvent.unpublished()).toBe(1);
  });

  it('holds up no other build for a queue that the broker refuses, and publishes when it is mended', async () => {
    const [transient, full, good] = [newQueue(), newQueue(), newQueue()];
    await channel.assertQueue(transient, { durable: false });
    await channel.assertQueue(full, {
      durable: true,
      arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' },
    });
    const first = await buildOf(transient);
    const second = await buildOf(full);
    const third = await buildOf(good);
    await report(first, 'STARTED', 'COMPLETE');
    await report(second, 'STARTED', 'INPROGRESS', 'COMPLETE');
    await report(third, 'STARTED', 'COMPLETE');

    start();
    // Two of the first, two of the second, which takes one message.
    await until('all that can go has gone', async () => {
      const waiting = await database.ProgressEvent.unpublished();
      return waiting === 4;
    });
    expect((await read(good)).map((message) => bodyOf(message).seq)).toEqual([1, 2]);
    expect(logged.filter(({ alarm }) => alarm === 'progress_queue_refused').length).toBeGreaterThan(
      1,
    );

    await channel.deleteQueue(transient);
    const seen: number[] = [];
    await until('the events of the mended queues', async () => {
      for (const message of await read(full)) seen.push(bodyOf(message).seq);
      return (await database.ProgressEvent.unpublished()) === 0;
    });
    for (const message of await read(full)) seen.push(bodyOf(message).seq);
    expect(seen).toEqual([1, 2, 3]);
    expect((await read(transient)).map((message) => bodyOf(message).seq)).toEqual([1, 2]);
  });

  it('holds up no landing for a queue of a build that confirms nothing', async () => {
    const [silent, good] = [newQueue(), newQueue()];
    const confirming = await broker.createConfirmChannel();
    const prototype = Object.getPrototypeOf(confirming) as ConfirmChannel;
    const { publish } = prototype;
    const publishing = jest.spyOn(prototype, 'publish').mockImplementation(function (
      this: ConfirmChannel,
      exchange,
      queue,
      ...more
    ) {
      return queue === silent || publish.call(this, exchange, queue, ...more);
    });
    try {
      await report(await buildOf(silent), 'STARTED');
      const { id: landingId } = await addLanding(database, {
        progressTrigger: good,
        isQueueNamed: true,
      });
      await database.LandingEvent.record({ landingId, attempt: 1, key: '0', phase: 'queued' });

      start(amqpUrl(), { answerMs: 500 });
      await until(
        "the landing's event is published",
        async () => (await database.LandingEvent.unpublished()) === 0,
      );
      expect(await database.ProgressEvent.unpublished()).toBe(1);
      const ids = (await read(good)).map(({ properties }) => properties.messageId as string);
      expect(new Set(ids)).toEqual(new Set([`landing:${landingId}:1`]));
      await until('the queue counts as refused', () =>
        logged.some(({ alarm }) => alarm === 'progress_queue_refused'),
      );
    } finally {
      publishing.mockRestore();
      await confirming.close();
    }

    await allPublished();
    expect((await read(silent)).map((message) => bodyOf(message).seq)).toContain(1);
  });

  it('holds up no landing for builds that tell more while they are published', async () => {
    const [busy, good] = [newQueue(), newQueue()];
    const buildId = await buildOf(busy);
    await report(buildId, 'STARTED');
    const { id: landingId } = await addLanding(database, {
      progressTrigger: good,
      isQueueNamed: true,
    });
    await database.LandingEvent.record({ landingId, attempt: 1, key: '0', phase: 'queued' });
    const confirming = await broker.createConfirmChannel();
    const prototype = Object.getPrototypeOf(confirming) as ConfirmChannel;
    const { publish } = prototype;
    let told = 0;
    const publishing = jest.spyOn(prototype, 'publish').mockImplementation(function (
      this: ConfirmChannel,
      exchange,
      queue,
      ...more
    ) {
      const send = () => publish.call(this, exchange, queue, ...more);
      if (queue !== busy) return send();
      const key = `INPROGRESS-${(told += 1)}`;
      void database.ProgressEvent.record({ buildId, key, message: 'INPROGRESS' }).then(send);
      return true;
    });
    try {
      start(amqpUrl(), { answerMs: 1_000 });
      await until(
        "the landing's event is published",
        async () => (await database.LandingEvent.unpublished()) === 0,
        15_000,
      );
      expect(await database.ProgressEvent.unpublished()).toBeGreaterThan(0);
    } finally {
      publishing.mockRestore();
      await confirming.close();
    }
    expect(told).toBeGreaterThan(1);
    await allPublished();
    expect((await read(good)).map(({ properties }) => properties.messageId as string)).toEqual([
      `landing:${landingId}:1`,
    ]);
  });

  it('reaches every build, however many queues are refused before it', async () => {
    const transient = Array.from({ length: 7 }, newQueue);
    for (const queue of transient) {
      await channel.assertQueue(queue, { durable: false });
      await report(await buildOf(queue), 'STARTED');
    }
    const good = newQueue();
    await report(await buildOf(good), 'STARTED', 'COMPLETE');

    start(amqpUrl(), { maxRefused: 2 });
    await until(
      'the good one is through',
      async () => (await database.ProgressEvent.unpublished()) === transient.length,
    );
    expect((await read(good)).map((message) => bodyOf(message).seq)).toEqual([1, 2]);

    for (const queue of transient) await channel.deleteQueue(queue);
    await allPublished();
  });

  it('asks the broker once for all builds that report to a queue that it refuses', async () => {
    const transient = newQueue();
    await channel.assertQueue(transient, { durable: false });
    for (let index = 0; index < 5; index++) await report(await buildOf(transient), 'STARTED');
    const good = newQueue();
    await report(await buildOf(good), 'STARTED');

    // No time passes, after which it would ask again.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      start();
      await until(
        'the good one is through',
        async () => (await database.ProgressEvent.unpublished()) === 5,
      );
      expect(logged.filter(({ alarm }) => alarm === 'progress_queue_refused')).toHaveLength(1);
    } finally {
      clock.mockRestore();
    }

    await channel.deleteQueue(transient);
    await allPublished();
    expect(await read(transient)).toHaveLength(5);
  });

  it('stops while the broker refuses connections, and does not ask it once more', async () => {
    const { proxy, url } = await startBrokerProxy();
    proxy.close();
    const buildId = await buildOf(newQueue());
    await report(buildId, 'STARTED');
    const publisher = start(url);
    await until('the publisher has tried', () => logged.length > 0);

    await publisher.stop();

    // A round of the loop says when the next one comes; the last one of a publisher that stops has none.
    for (const line of logged) expect(line).toHaveProperty('waitMs');
    expect(await database.ProgressEvent.unpublished()).toBe(1);
    await proxy.stop();
  });
});
