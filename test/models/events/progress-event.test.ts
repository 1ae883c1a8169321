import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { failureOf } from '../../../domain/builds/failure.ts';
import { messageId, type ProgressMessage } from '../../../domain/builds/progress.ts';
import type { Build } from '../../../models/builds/build.ts';
import { candidatesSql, countUnpublished } from '../../../models/events/publish-events.ts';
import { addBuild, architectureBuild, report, retryBuild } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const look = (build: Build, key: string) =>
  database.now.ProgressEvent.record({ buildId: build.id, key, message: 'INPROGRESS' });
const numbersOf = async (build: Build) =>
  (await database.now.ProgressEvent.findAfter(build.id, 0, 1_000)).map(({ seq }) => seq);
const A_TIME = expect.stringMatching(/^\d{4}-.*Z$/) as string;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const UNDER_WAY = architectureBuild({
  buildstate: 'Dependency wait',
  web_link: 'https://launchpad.example/+build/1',
  started_at: null,
  built_at: null,
});

/** A build whose acceptance is published already. */
async function addToldBuild(): Promise<Build> {
  const build = await addBuild(database.now);
  await publishAll();
  return build;
}

/** Publishes everything that waits, of all builds, and gives the message ids in their order. */
async function publishAll(publish: (message: ProgressMessage) => Promise<void> = async () => {}) {
  const ids: string[] = [];
  for (;;) {
    const outcome = await database.now.ProgressEvent.publishNextBuild(async (message) => {
      await publish(message);
      ids.push(messageId(message));
    });
    if (outcome === null || outcome.fault !== undefined) return ids;
  }
}

/** How many rows of a table a plan has read, as EXPLAIN tells it. */
function rowsReadOf(plan: string, table: string): number {
  let count = 0;
  JSON.parse(plan, (_, node: Record<string, unknown>) => {
    if (node && node['Relation Name'] === table)
      for (const name of ['Actual Rows', 'Rows Removed by Filter'])
        count += Number(node[name] ?? 0) * Number(node['Actual Loops'] ?? 1);
    return node;
  });
  return count;
}

describe('recording events', () => {
  afterEach(() => publishAll());

  it('numbers them without a gap, however many report at once', async () => {
    const build = await addBuild(database.now);
    const keys = upTo(40).map((index) => `look-${index}`);
    const messages = await Promise.all(keys.map((key) => look(build, key)));
    expect(messages.map((message) => message?.seq ?? 0).toSorted((a, b) => a - b)).toEqual(
      upTo(41).slice(1),
    );
    expect(await numbersOf(build)).toEqual(upTo(41));
    await build.reload();
    expect(build).toMatchObject({ lastSeq: 41, state: 'building' });
  });

  it('says of no package of a build that has ended that it waits, whoever ended it', async () => {
    const build = await addBuild(database.now);
    const first = { package: 'base', version: '1.0', level: 0, after: [] };
    const second = { package: 'lib', version: '1.0', level: 1, after: ['base'] };
    await database.now.ProgressEvent.record({
      buildId: build.id,
      key: 'uploaded',
      message: 'INPROGRESS',
      sequence: [
        { ...first, state: 'uploaded' },
        { ...second, state: 'waiting' },
      ],
    });
    const message = await database.now.ProgressEvent.record({
      buildId: build.id,
      key: 'final',
      message: 'FAILURE',
      failure: failureOf('cancelled', 'cancelled by ann'),
    });
    const ended = [
      { ...first, state: 'uploaded' },
      { ...second, state: 'not_built', reason: 'the build ended before' },
    ];
    expect(message).toMatchObject({ sequence: ended });
    await build.reload();
    expect(build.sequence).toEqual(ended);
  });

  it('leaves out a poll that was given up and reports after a later one', async () => {
    const build = await addBuild(database.now);
    await look(build, 'poll-9');
    await look(build, 'poll-10');
    expect(await look(build, 'poll-9:try-2')).toBeNull();
    expect(await look(build, 'poll-10:try-2')).not.toBeNull();
    expect(await numbersOf(build)).toEqual(upTo(4));
  });

  it('takes nothing from the workflow of an earlier build that had the same id', async () => {
    const build = await addBuild(database.now);
    const { attemptKey } = build.toRequest();
    const reportOf = (key: string | undefined) =>
      database.now.ProgressEvent.record({
        buildId: build.id,
        ...(key ? { attemptKey: key } : {}),
        key: 'final',
        message: 'COMPLETE',
      });
    expect(await reportOf(randomUUID())).toBeNull();
    expect(await build.reload()).toMatchObject({ finishedAt: null });
    expect(await reportOf(attemptKey)).not.toBeNull();
    expect((await database.now.Build.findByPk(build.id))?.finishedAt).not.toBeNull();
  });

  it('takes a repeated report for the event that it was', async () => {
    const build = await addBuild(database.now);
    const first = await look(build, 'look-1');
    await look(build, 'look-2');
    const again = await Promise.all(upTo(5).map(() => look(build, 'look-1')));
    expect(again).toEqual(Array(5).fill(first));
    expect(await numbersOf(build)).toEqual([1, 2, 3]);
  });

  it('ends a build once, whoever comes first, and takes nothing after that', async () => {
    const build = await addBuild(database.now);
    const ends = await Promise.all([
      database.now.ProgressEvent.record({
        buildId: build.id,
        key: 'final',
        message: 'COMPLETE',
        logs: ['l'],
      }),
      database.now.ProgressEvent.record({ buildId: build.id, key: 'other', message: 'FAILURE' }),
      database.now.ProgressEvent.record({ buildId: build.id, key: 'third', message: 'FAILURE' }),
    ]);
    expect(ends.filter((message) => message !== null)).toHaveLength(1);
    expect(await look(build, 'late')).toBeNull();
    expect(await numbersOf(build)).toEqual([1, 2]);
    const [, final] = await database.now.ProgressEvent.findAfter(build.id, 0, 10);
    await build.reload();
    expect(final).toMatchObject({
      exit: true,
      seq: 2,
      build_id: build.id,
      ticket_id: build.ticketId,
    });
    expect(build.state).toBe(final?.state === 'COMPLETED' ? 'completed' : 'failed');
    expect(build.finishedAt).toBeInstanceOf(Date);
  });

  it('tells the workflow of an attempt that has ended nothing but how it ended', async () => {
    const build = await addBuild(database.now);
    const say = (key: string, message: 'STARTED' | 'FAILURE', attempt = 1) =>
      database.now.ProgressEvent.record({ buildId: build.id, attempt, key, message });
    const started = await say('started', 'STARTED');
    expect(await say('started', 'STARTED')).toEqual(started);
    const final = await say('final', 'FAILURE');
    expect(await say('started', 'STARTED')).toBeNull();
    expect(await say('final', 'FAILURE')).toEqual(final);

    await retryBuild(database.now, build);
    expect(await say('started', 'STARTED')).toBeNull();
    expect(await say('final', 'FAILURE')).toEqual(final);
    expect(await say('started', 'STARTED', 2)).toMatchObject({ attempt: 2 });
    // Old events are removed but for the final one of each attempt.
    await database.now.sequelize.query(
      `DELETE FROM progress_event WHERE build_id = ${build.id} AND key <> 'final'`,
    );
    expect(await say('started', 'STARTED')).toBeNull();
    expect(await say('final', 'FAILURE')).toEqual(final);
  });

  it('keeps what a failed build has made until it is retried', async () => {
    const build = await addBuild(database.now);
    const made = {
      name: 'hello',
      version: '1',
      architecture: 'amd64',
      url: null,
      size: null,
      sha256: null,
    };
    await database.now.ProgressEvent.record({
      buildId: build.id,
      key: 'final',
      message: 'FAILURE',
      failure: failureOf('build_failed', 'hello on arm64'),
      built: { packages: [made], apt: 'deb', lists: ['http://store/builds/1/list.json'] },
    });
    expect(await build.reload()).toMatchObject({ builtPackages: [made], apt: 'deb' });
    await retryBuild(database.now, build);
    expect(await build.reload()).toMatchObject({ builtPackages: [], apt: null });
  });

  it('records what PostgreSQL would refuse in its texts, made visible', async () => {
    const build = await addBuild(database.now);
    const failure = { ...failureOf('build_failed', 'x\ud83d'), excerpt: 'error: \ude00' };
    const dependencies = { ...UNDER_WAY, dependencies: 'lib\u0000' };
    await database.now.ProgressEvent.record({
      buildId: build.id,
      key: 'final',
      message: 'FAILURE',
      failure,
      builds: [dependencies],
    });
    const [, final] = await database.now.ProgressEvent.findAfter(build.id, 0, 10);
    expect(final).toMatchObject({
      failure: { message: 'x<U+D83D>', excerpt: 'error: <U+DE00>' },
      builds: [{ dependencies: 'lib␀' }],
    });
  });

  it('begins with the acceptance, and echoes the request in every message', async () => {
    const build = await addBuild(database.now);
    await report(database.now, build, 'STARTED');
    const echo = {
      source_packages: build.sourcePackages,
      ppa: 'ppa:airline/demo',
      progress_trigger: build.progressTrigger,
      attempt: 1,
      build_id: build.id,
      ticket_id: build.ticketId,
      builds: [],
    };
    const [accepted, started, ...others] = await database.now.ProgressEvent.findAfter(
      build.id,
      0,
      10,
    );
    const at = { timestamp: A_TIME, phase_since: A_TIME };
    expect(accepted).toEqual({
      ...echo,
      ...at,
      state: 'WAITING',
      message: null,
      phase: 'queued',
      seq: 1,
      waiting: expect.objectContaining({ for: 'temporal', since: A_TIME }) as object,
    });
    expect(started).toEqual({
      ...echo,
      ...at,
      state: 'WAITING',
      message: 'STARTED',
      phase: 'checking',
      seq: 2,
    });
    expect(others).toEqual([]);
  });

  it('keeps the phase on the row, since when, and the coarser state', async () => {
    const build = await addBuild(database.now);
    const standing = async () => {
      const { state, phase, phaseSince } = await build.reload();
      return { state, phase, phaseSince };
    };
    const seen = [await standing()];
    const shown = (buildstate: string) => [architectureBuild({ buildstate })];
    for (const [message, more] of [
      ['STARTED', {}],
      ['STARTED', { key: 'up', phase: 'uploading' }],
      ['STARTED', { key: 'sent', phase: 'accepting' }],
      ['INPROGRESS', { key: 'one', builds: shown('Needs building') }],
      ['INPROGRESS', { key: 'two', builds: shown('Currently building') }],
      ['INPROGRESS', { key: 'three', builds: shown('Gathering build output') }],
      ['INPROGRESS', { key: 'four', builds: shown('Dependency wait') }],
      ['INPROGRESS', { key: 'logs', phase: 'collecting' }],
      ['FAILURE', { failure: failureOf('cancelled', 'by ana') }],
    ] as const) {
      await report(database.now, build, message, more);
      seen.push(await standing());
    }
    expect(seen.map(({ state, phase }) => [state, phase])).toEqual([
      ['queued', 'queued'],
      ['checking', 'checking'],
      ['uploading', 'uploading'],
      ['accepting', 'accepting'],
      ['building', 'waiting_for_builder'],
      ['building', 'building'],
      ['building', 'building'],
      ['building', 'dependency_wait'],
      ['collecting', 'collecting'],
      ['failed', 'cancelled'],
    ]);
    const events = await database.now.ProgressEvent.findAfter(build.id, 0, 20);
    expect(events.map(({ phase }) => phase)).toEqual(seen.map(({ phase }) => phase));
    expect(events.map((event) => new Date(event.phase_since))).toEqual(
      seen.map(({ phaseSince }) => phaseSince),
    );
    expect(seen[6]?.phaseSince).toEqual(seen[5]?.phaseSince);
  });
});

describe('publishing events', () => {
  it('goes build by build, each in order, once', async () => {
    const [one, two] = [await addToldBuild(), await addToldBuild()];
    for (const key of ['a', 'b']) for (const build of [one, two]) await look(build, key);
    expect(await database.now.ProgressEvent.unpublished()).toBe(4);
    expect(await publishAll()).toEqual([
      `${one.id}:2`,
      `${one.id}:3`,
      `${two.id}:2`,
      `${two.id}:3`,
    ]);
    expect(await database.now.ProgressEvent.unpublished()).toBe(0);
    expect(await publishAll()).toEqual([]);
  });

  it('is counted up to a limit, as it may be millions', async () => {
    const build = await addToldBuild();
    for (const key of ['a', 'b', 'c']) await look(build, key);
    const { ProgressEvent, LandingEvent } = database.now;
    expect(await ProgressEvent.unpublished(2)).toBe(2);
    expect(await ProgressEvent.unpublished(4)).toBe(3);
    jest.spyOn(LandingEvent, 'unpublished').mockResolvedValueOnce(99_999);
    expect(await countUnpublished(database.now)).toBe(100_000);
    await publishAll();
  });

  it('has nothing to do with a build without a queue', async () => {
    const build = await addBuild(database.now, { progressTrigger: null });
    await look(build, 'a');
    expect(await database.now.ProgressEvent.unpublished()).toBe(0);
    expect(await publishAll()).toEqual([]);
    expect(await database.now.ProgressEvent.findAfter(build.id, 0, 10)).toHaveLength(2);
  });

  it('leaves out builds up to one, and those whose queue is refused', async () => {
    const builds = [
      await addToldBuild(),
      await addToldBuild(),
      await addToldBuild(),
      await addToldBuild(),
    ];
    for (const build of builds) await look(build, 'a');
    const [first, second, third, last] = builds as [Build, Build, Build, Build];
    const next = (afterId: number, ...refused: Build[]) =>
      database.now.ProgressEvent.publishNextBuild(async () => {}, {
        afterId,
        refusedQueues: refused.map(({ progressTrigger }) => String(progressTrigger)),
      });
    expect(await next(0, first)).toMatchObject({
      id: second.id,
      queue: second.progressTrigger,
      published: 1,
    });
    expect(await next(second.id, third)).toMatchObject({ id: last.id });
    expect(await next(last.id)).toBeNull();
    expect(await publishAll()).toEqual([`${first.id}:2`, `${third.id}:2`]);
  });

  it('marks what a slow broker has confirmed when its time is over, and repeats none of it', async () => {
    const build = await addToldBuild();
    for (const key of ['a', 'b', 'c']) await look(build, key);
    const sent: string[] = [];
    const publish = async (message: ProgressMessage) => void sent.push(messageId(message));
    for (const left of [2, 1, 0]) {
      const outcome = await database.now.ProgressEvent.publishNextBuild(publish, { maxMs: 0 });
      expect(outcome).toMatchObject({ id: build.id, published: 1 });
      expect(await database.now.ProgressEvent.unpublished()).toBe(left);
    }
    expect(sent).toEqual([2, 3, 4].map((seq) => `${build.id}:${seq}`));
  });

  it('says of which trace each message is, where that of its build is recorded', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const traced = await addBuild(database.now, { traceparent });
    const { id: untracedId } = await addBuild(database.now);
    const told: unknown[] = [];
    const note = async ({ build_id }: ProgressMessage, queue: string, trace: string | null) =>
      void told.push([build_id, queue, trace]);
    for (let times = 0; times < 2; times++) await database.now.ProgressEvent.publishNextBuild(note);
    expect(told).toEqual([
      [traced.id, traced.progressTrigger, traceparent],
      [untracedId, expect.any(String), null],
    ]);
  });

  it('reads large events a few at a time, and all in the end', async () => {
    const build = await addToldBuild();
    for (const key of upTo(12)) await look(build, `poll-${key}`);
    await database.now.sequelize.query(
      "UPDATE progress_event SET body = body || jsonb_build_object('pad', repeat('x', 1048576)) WHERE build_id = $1",
      { bind: [build.id] },
    );
    const first = await database.now.ProgressEvent.publishNextBuild(async () => {});
    expect(first).toMatchObject({ id: build.id, published: 8 });
    expect(await publishAll()).toHaveLength(4);
  });

  it('goes on where the broker stopped taking', async () => {
    const build = await addToldBuild();
    for (const key of ['a', 'b', 'c']) await look(build, key);
    const refusing = async ({ seq }: ProgressMessage) => {
      if (seq === 3) throw new Error('the broker is away');
    };
    expect(await publishAll(refusing)).toEqual([`${build.id}:2`]);
    expect(await database.now.ProgressEvent.unpublished()).toBe(2);
    expect(await publishAll()).toEqual([`${build.id}:3`, `${build.id}:4`]);
  });

  it('repeats what was confirmed before a crash, under the same ids, in order', async () => {
    const build = await addToldBuild();
    for (const key of ['a', 'b']) await look(build, key);
    const sent: string[] = [];
    const crash = database.now.ProgressEvent.publishNextBuild(async (message) => {
      sent.push(messageId(message));
      // The process dies after the confirmation and before the commit: its connection is gone, and with it its locks.
      if (message.seq === 3)
        await database.now.ProgressEvent.sequelize?.query(
          "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
        );
    });
    // Sequelize tells the console of a transaction that it cannot roll back.
    const warning = jest.spyOn(console, 'warn').mockImplementation(() => {});
    await expect(crash).rejects.toThrow();
    warning.mockRestore();
    sent.push(...(await publishAll()));
    expect(sent).toEqual([2, 3, 2, 3].map((seq) => `${build.id}:${seq}`));
  });

  it('finds the next build without a look at those before it', async () => {
    const { sequelize } = database.now;
    const measuring = sequelize.transaction(async (transaction) => {
      const { ticketId } = await addBuild(database.now);
      const run = (sql: string, bind: unknown[]) => sequelize.query(sql, { bind, transaction });
      await run(
        `WITH added AS (
           INSERT INTO build (ticket_id, source_packages, series, ppa, archive, progress_trigger)
           SELECT $1, '[]', 'noble', 'p', 'ubuntu', 'q' FROM generate_series(1, 3000) RETURNING id
         ) INSERT INTO progress_event (build_id, seq, key, body) SELECT id, 1, 'k', '{}' FROM added`,
        [ticketId],
      );
      await run('ANALYZE build, progress_event', []);
      const last = await database.now.Build.max<number, Build>('id', { transaction });
      const [rows] = await run(
        `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${candidatesSql('build')}`,
        [last - 1_500, []],
      );
      expect(rowsReadOf(JSON.stringify(rows), 'build')).toBeLessThanOrEqual(1_500);
      throw new Error('none of these rows stays');
    });
    await expect(measuring).rejects.toThrow('none of these rows stays');
  });

  it('leaves a build to who is publishing it already', async () => {
    const build = await addToldBuild();
    await look(build, 'a');
    let others: unknown = 'not asked';
    await database.now.ProgressEvent.publishNextBuild(async () => {
      others = await database.now.ProgressEvent.publishNextBuild(async () => {});
    });
    expect(others).toBeNull();
  });

  it('does not hold up the next report', async () => {
    const build = await addToldBuild();
    await look(build, 'a');
    await database.now.ProgressEvent.publishNextBuild(async () => {
      await look(build, 'b');
    });
    expect(await numbersOf(build)).toEqual([1, 2, 3]);
    expect(await publishAll()).toEqual([`${build.id}:3`]);
  });
});

it('announces nothing by NOTIFY, which would let all commits of the database take turns', async () => {
  const { url, now } = database;
  const listener = new Client({ connectionString: url });
  await listener.connect();
  try {
    const channels: string[] = [];
    listener.on('notification', ({ channel }) => channels.push(channel));
    await listener.query('LISTEN airline_progress; LISTEN airline_changes');
    await look(await addBuild(now), 'a look');
    // What was announced before comes with this answer.
    await listener.query('SELECT 1');
    expect(channels).toEqual([]);
  } finally {
    await listener.end();
  }
});
