import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { pino } from 'pino';
import { openDatabase, type Database } from '../../models/database.ts';
import { startProgressPublisher, type ProgressPublisher } from '../../progress/publish-progress.ts';
import { amqpUrl, stackAddresses } from '../support/addresses.ts';
import { createTestDatabase } from '../support/database.ts';
import { controlEnvironment, rabbitmqctl } from '../support/rabbitmqctl.ts';
import { addBuild } from '../support/rows.ts';
import { until } from '../support/until.ts';

const LIMIT_MS = 300_000;
jest.setTimeout(LIMIT_MS);
const [NAME, PASSWORD] = ['jürgen@строй', 'pässwörd/@:%41'] as const;

let testDatabase: { url: string; drop: () => Promise<void> };
let database: Database;
let publisher: ProgressPublisher;
let broker: ChannelModel;
let channel: ConfirmChannel;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, 4);
  const logger = pino({ level: 'silent' });
  publisher = startProgressPublisher({ database, amqpUrl: amqpUrl(), intervalMs: 50, logger });
  broker = await connect(amqpUrl());
  channel = await broker.createConfirmChannel();
  await control('add_user', NAME, PASSWORD);
  await control('set_permissions', '-p', '/', NAME, '.*', '.*', '.*');
}, LIMIT_MS);
afterAll(async () => {
  await control('delete_user', NAME);
  await publisher.stop();
  await broker.close();
  await database.close();
  await testDatabase.drop();
}, LIMIT_MS);

/** Runs rabbitmqctl on the node that all tests share. */
function control(...args: string[]): Promise<string> {
  const port = Number(new URL(amqpUrl()).port);
  return rabbitmqctl(controlEnvironment(stackAddresses().stateDir, port), ...args);
}

describe.each([
  ['consumer.py', '/usr/bin/python3'],
  ['consumer.mjs', process.execPath],
])('docs/lander/%s', (file, program) => {
  const queue = `documented-${file}-${process.pid}`;
  const children: ReturnType<typeof spawn>[] = [];

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await channel.deleteQueue(queue);
  });

  function follow(url = amqpUrl()) {
    const child = spawn(program, [`docs/lander/${file}`, url, queue]);
    children.push(child);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
    const ended = once(child, 'close');
    return { said, ended };
  }

  it('has all of a queue that was lost before it came', async () => {
    const { id: buildId } = await addBuild(database, { progressTrigger: queue });
    const published = () =>
      until('every event is published', async () => !(await database.ProgressEvent.unpublished()));
    await database.ProgressEvent.record({ buildId, key: '2', message: 'INPROGRESS' });
    await published();
    await channel.deleteQueue(queue);

    const { said, ended } = follow();
    await until('it says that there is no queue', () => said.stderr.includes('NOT_FOUND'));
    await database.ProgressEvent.record({ buildId, key: '3', message: 'COMPLETE' });
    await ended;
    expect(said.stdout.trim().split('\n')).toEqual([
      '1 WAITING queued',
      expect.stringMatching(/^2 STATUS /),
      '3 COMPLETED completed',
    ]);
  });

  it('says where the messages are that it has lost, and goes on', async () => {
    await channel.assertQueue(queue, { durable: true });
    for (const seq of [7, 8, 1_000_009]) {
      const end = seq > 8 && { exit: true, packages: [] };
      const message = { build_id: 1, seq, state: 'STATUS', phase: 'building', ...end };
      channel.sendToQueue(queue, Buffer.from(JSON.stringify(message)));
    }
    await channel.waitForConfirms();
    const { said, ended } = follow();
    await ended;
    expect(said.stderr.trim()).toBe('Lost: GET /api/v1/build/1/events/?after=8');
    expect(said.stdout.trim().split('\n')).toHaveLength(3);
  });

  it('comes in with letters outside ASCII, and signs of a URL, in name and password', async () => {
    await channel.assertQueue(queue, { durable: true });
    const last = { build_id: 1, seq: 1, state: 'COMPLETED', phase: 'completed', exit: true };
    channel.sendToQueue(queue, Buffer.from(JSON.stringify({ ...last, packages: [] })));
    await channel.waitForConfirms();
    const { host } = new URL(amqpUrl());
    const account = [NAME, PASSWORD].map(encodeURIComponent).join(':');
    const { said } = follow(`amqp://${account}@${host}/`);
    await until('it has the message, or is refused', () =>
      (said.stdout + said.stderr).endsWith('\n'),
    );
    expect(said).toEqual({ stdout: '1 COMPLETED completed\n', stderr: '' });
  });
});
