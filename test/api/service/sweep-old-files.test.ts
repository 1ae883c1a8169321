import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pino from 'pino';
import { startFileSweep, sweepOldFiles } from '../../../api/service/sweep-old-files.ts';
import type { Landing } from '../../../models/landings/landing.ts';
import { query } from '../../../models/sql/query.ts';
import { createFileStore } from '../../../store/file.ts';
import { StoreUnavailableError } from '../../../store/store.ts';
import { fakeDate } from '../../support/fake-date.ts';
import {
  addBuild,
  addImage,
  addLanding,
  addSubticket,
  addTestRun,
  addTicket,
} from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../../models/use-database.ts';

const database = useDatabase();
const DAY_MS = 86_400_000;
const KEEP_MS = 30 * DAY_MS;
const NOW = new Date('2026-05-04T12:00:00Z');
const daysAgo = (days: number, now = NOW) => new Date(now.getTime() - days * DAY_MS);

describe('the sweep of old files', () => {
  let directory: string;
  let clockMs = 0;
  const open = () => createFileStore({ directory, baseUrl: 'http://127.0.0.1:8080/store/' });

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sweep-'));
    await query(database.now.sequelize, 'DELETE FROM file_sweep');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function put(key: string, days: number, now = NOW) {
    await open().put(key, Readable.from(['content']));
    const place = key.replace(/^uploads\/(.*)\//, 'uploads/$1%/');
    await utimes(join(directory, place), daysAgo(days, now), daysAgo(days, now));
  }
  /** A build that ended a number of days ago, or that runs. */
  async function add(endedDaysAgo: number | null, sourcePackages: string[] = [], now = NOW) {
    const build = await addBuild(database.now, { sourcePackages });
    if (endedDaysAgo !== null)
      await query(database.now.sequelize, 'UPDATE build SET finished_at = $2 WHERE id = $1', [
        build.id,
        daysAgo(endedDaysAgo, now),
      ]);
    return build;
  }
  /** A sweep that takes a minute for each look at its clock. */
  const sweep = ({
    keepFilesMs = KEEP_MS,
    now = NOW,
    store = open(),
    clock = () => (clockMs += 60_000),
  } = {}) =>
    sweepOldFiles(
      { database: database.now, store, keepFilesMs, clockMs: clock },
      now,
      new AbortController().signal,
    );
  /** A file that a subticket names, which has not changed for long. */
  async function nameInOldTicket(key: string) {
    const ticket = await addTicket(database.now);
    const subticket = await addSubticket(database.now, ticket);
    await query(
      database.now.sequelize,
      `INSERT INTO subticket_artifact (subticket_id, name, reference, type, created_at, updated_at)
       VALUES ($1, 'a', $2, 'SPU', $3, $3)`,
      [subticket.id, open().urlOf(key), daysAgo(60)],
    );
    for (const [table, id] of [
      ['subticket', subticket.id],
      ['ticket', ticket.id],
    ] as const)
      await query(database.now.sequelize, `UPDATE ${table} SET updated_at = $2 WHERE id = $1`, [
        id,
        daysAgo(60),
      ]);
  }
  const changeTicketOf = (key: string) =>
    query(
      database.now.sequelize,
      `UPDATE ticket SET updated_at = $2 FROM subticket JOIN subticket_artifact artifact
         ON artifact.subticket_id = subticket.id
       WHERE subticket.ticket_id = ticket.id AND artifact.reference = $1`,
      [open().urlOf(key), NOW],
    );
  /** Is called with each statement, which fails where it throws. */
  function beforeStatements(look: (text: string) => void) {
    const sequelize: { query: (text: string, options?: object) => Promise<unknown> } =
      database.now.sequelize;
    const ask = sequelize.query.bind(sequelize);
    return jest.spyOn(sequelize, 'query').mockImplementation(async (text, options) => {
      look(text);
      return ask(text, options);
    });
  }
  const isKept = async (key: string) => (await open().read(key)) !== undefined;

  it('removes the logs of builds that ended long ago, and no other', async () => {
    const [old, young, running, retried] = [
      await add(40),
      await add(20),
      await add(null),
      await add(40),
    ];
    await query(database.now.sequelize, 'UPDATE build SET finished_at = NULL WHERE id = $1', [
      retried.id,
    ]);
    const keyOf = ({ id }: { id: number }) => `builds/${id}/hello.log`;
    for (const build of [old, young, running, retried]) await put(keyOf(build), 50);
    await put(`builds/${old.id}/attempt-2/late.log`, 10);
    await put('builds/999999/of-another-database.log', 50);

    expect(await sweep()).toBe(1);

    expect(await isKept(keyOf(old))).toBe(false);
    for (const kept of [young, running, retried]) expect(await isKept(keyOf(kept))).toBe(true);
    expect(await isKept(`builds/${old.id}/attempt-2/late.log`)).toBe(true);
    expect(await isKept('builds/999999/of-another-database.log')).toBe(true);
  });

  describe('of a run of tests', () => {
    /** A landing that ended a number of days ago, or that runs. */
    async function land(endedDaysAgo: number | null) {
      const landing = await addLanding(database.now);
      const ended = endedDaysAgo === null ? null : daysAgo(endedDaysAgo);
      const text = 'UPDATE landing SET finished_at = $2 WHERE id = $1';
      await query(database.now.sequelize, text, [landing.id, ended]);
      return landing;
    }
    /** The files of a run that ended a number of days ago, or that has not ended, of a landing or of none. */
    async function test(landing: { id: number } | null, endedDaysAgo: number | null = 45) {
      const run = await database.now.TestRun.create({
        landingId: landing?.id ?? null,
        attempt: landing && 1,
        imageId: (await addImage(database.now)).id,
        source: 'hello',
        version: '2.10-3',
        architecture: 'amd64',
        reason: 'depends',
        why: 'depends on libc6',
        files: [],
        endedAt: endedDaysAgo === null ? null : daysAgo(endedDaysAgo),
      });
      const keys = ['test.log', 'tests.json', 'artifacts.tar.gz'].map(
        (suffix) => `tests/${run.id}/hello_2.10-3_amd64.${suffix}`,
      );
      for (const key of keys) await put(key, endedDaysAgo ?? 45);
      return { runId: run.id, keys };
    }
    const compare = (landing: { id: number }, { runId }: { runId: number }) =>
      database.now.TestVerdict.create({
        landingId: landing.id,
        attempt: 1,
        source: 'hello',
        architecture: 'amd64',
        test: 'smoke',
        verdict: 'always_failed',
        why: 'it fails in the archive, too',
        runId: null,
        baselineRunId: runId,
      });
    const kept = async ({ keys }: { keys: string[] }) =>
      (await Promise.all(keys.map(isKept))).filter(Boolean).length;

    it('removes all files once its landing ended long ago', async () => {
      const [old, young, running] = [
        await test(await land(40)),
        await test(await land(20)),
        await test(await land(null)),
      ];

      expect(await sweep()).toBe(3);

      expect([await kept(old), await kept(young), await kept(running)]).toEqual([0, 3, 3]);
    });

    it('removes those of one without a landing once the last landing that it was compared with ended long ago', async () => {
      const [compared, alone, wanted, open] = [
        await test(null, 400),
        await test(null, 400),
        await test(null, 400),
        await test(null, null),
      ];
      await compare(await land(40), compared);
      await compare(await land(40), wanted);
      await compare(await land(20), wanted);

      expect(await sweep()).toBe(6);

      expect([await kept(compared), await kept(alone)]).toEqual([0, 0]);
      expect([await kept(wanted), await kept(open)]).toEqual([3, 3]);
    });

    it('keeps those of one without a landing for as long as landings may be compared with it', async () => {
      const [old, young] = [await test(null, 400), await test(null, 390)];
      const planned = await land(null);
      const text = 'UPDATE landing SET requested_at = $2 WHERE id = $1';
      await query(database.now.sequelize, text, [planned.id, daysAgo(36)]);

      expect(await sweep()).toBe(0);
      expect([await kept(old), await kept(young)]).toEqual([3, 3]);

      await planned.update({ finishedAt: daysAgo(1) });
      expect(await sweep({ now: daysAgo(-2) })).toBe(3);
      expect([await kept(old), await kept(young)]).toEqual([0, 3]);
    });
  });

  describe('of images', () => {
    /** A landing that ended a number of days ago, or that runs. Its ticket has not changed for long. */
    async function land(endedDaysAgo: number | null) {
      const landing = await addLanding(database.now);
      const ended = endedDaysAgo === null ? null : daysAgo(endedDaysAgo);
      const { sequelize } = database.now;
      const end = 'UPDATE landing SET finished_at = $2 WHERE id = $1';
      await query(sequelize, end, [landing.id, ended]);
      const leave = 'UPDATE ticket SET updated_at = $2 WHERE id = $1';
      await query(sequelize, leave, [landing.ticketId, daysAgo(60)]);
      return landing;
    }
    /** An image and its list of packages, both stored a number of days ago. */
    async function image(fields: Partial<Parameters<typeof addImage>[1]> = {}, days = 50) {
      const folder = `images/${randomUUID()}`;
      const keys = ['image.tar.zst', 'packages.txt'].map((name) => `${folder}/${name}`);
      for (const key of keys) await put(key, days);
      const [url = '', manifestUrl = ''] = keys.map((key) => open().urlOf(key));
      const { id } = await addImage(database.now, { ...fields, url, manifestUrl });
      return { id, url, keys };
    }
    /** The images that a landing was tested in, and what is made of them: base, landing's, squashfs. */
    async function test(landing: Landing) {
      const base = await image();
      const made = { kind: 'landing', baseImageId: base.id } as const;
      const landed = await image(made);
      await addTestRun(database.now, landing, landed.id);
      const squashfs = await image({ ...made, format: 'squashfs' });
      const text = `INSERT INTO ticket_artifact (ticket_id, name, reference, type, created_at, updated_at)
        VALUES ($1, 'squashfs', $2, 'IMAGE', $3, $3)`;
      await query(database.now.sequelize, text, [landing.ticketId, squashfs.url, daysAgo(60)]);
      return [base, landed, squashfs].flatMap(({ keys }) => keys);
    }
    const kept = async (keys: string[]) => {
      const found = await Promise.all(keys.map(isKept));
      return keys.filter((_, at) => found[at]);
    };

    it('removes them once the last landing that had them ended long ago', async () => {
      const [old, young, running] = [
        await test(await land(40)),
        await test(await land(20)),
        await test(await land(null)),
      ];
      const untaken = await image();

      expect(await sweep()).toBe(8);

      expect(await kept([...old, ...untaken.keys])).toHaveLength(0);
      expect(await kept([...young, ...running])).toHaveLength(12);
    });

    it('keeps all, and the indexes of archives, that tests under way may need and no row names yet', async () => {
      const index = async (days: number) => {
        const key = `archive-indexes/of-${days}-days.json`;
        await put(key, days);
        return key;
      };
      const needed = [...(await image({}, 46)).keys, await index(46)];
      const old = [...(await image({}, 48)).keys, await index(48)];
      const landing = await land(null);
      await landing.update({ phase: 'imaging', requestedAt: daysAgo(45) });

      expect(await sweep()).toBe(3);
      expect(await kept(needed)).toEqual(needed);
      expect(await kept(old)).toHaveLength(0);

      await landing.update({ phase: 'approving' });
      expect(await sweep({ now: daysAgo(-2) })).toBe(3);
      expect(await kept(needed)).toHaveLength(0);
    });

    it('keeps what a landing may take now, however short the time that files stay', async () => {
      const { keys } = await image({}, 1.5);
      expect(await sweep({ keepFilesMs: DAY_MS })).toBe(0);
      expect(await kept(keys)).toEqual(keys);
    });
  });

  it('removes sources when nothing has named one of a folder for long', async () => {
    const store = open();
    const folders = [
      'forgotten',
      'of-old-build',
      'of-young-build',
      'of-running-build',
      'of-landing',
      'of-subticket',
      'of-ticket',
      'of-old-ticket',
      'new',
    ];
    for (const folder of folders)
      for (const name of ['a.dsc', 'a.tar.xz'])
        await put(`uploads/${folder}/${name}`, folder === 'new' ? 1 : 50);
    const dsc = (folder: string) => [store.urlOf(`uploads/${folder}/a.dsc`)];
    await add(40, dsc('of-old-build'));
    await add(20, dsc('of-young-build'));
    await add(null, dsc('of-running-build'));
    const subticket = await addSubticket(database.now, await addTicket(database.now));
    await query(
      database.now.sequelize,
      `INSERT INTO subticket_artifact (subticket_id, name, reference, type, created_at, updated_at)
       VALUES ($1, 'a', $2, 'SPU', $3, $3)`,
      [subticket.id, dsc('of-subticket')[0], daysAgo(60)],
    );
    const files = dsc('of-landing');
    const packages = [{ subticketId: subticket.id, source: 'a', version: '1', files }];
    await addLanding(database.now, { packages });
    const [young, old] = [await addTicket(database.now), await addTicket(database.now)];
    await query(
      database.now.sequelize,
      `INSERT INTO ticket_artifact (ticket_id, name, reference, type, created_at, updated_at)
       VALUES ($1, 'a', $2, 'RESULTS', $5, $5), ($3, 'a', $4, 'RESULTS', $5, $5)`,
      [young.id, dsc('of-ticket')[0], old.id, dsc('of-old-ticket')[0], daysAgo(60)],
    );
    await query(database.now.sequelize, 'UPDATE ticket SET updated_at = $2 WHERE id = $1', [
      old.id,
      daysAgo(60),
    ]);

    expect(await sweep()).toBe(6);

    const left = [];
    for await (const { key } of store.list('uploads/')) left.push(key);
    expect(left.toSorted()).toEqual(
      [
        'new',
        'of-landing',
        'of-running-build',
        'of-subticket',
        'of-ticket',
        'of-young-build',
      ].flatMap((folder) => [`uploads/${folder}/a.dsc`, `uploads/${folder}/a.tar.xz`]),
    );
  });

  it.each([
    [
      'named',
      async (key: string): Promise<unknown> => {
        const { id } = await add(null, [open().urlOf(key)]);
        const text = 'UPDATE build SET requested_at = $2 WHERE id = $1';
        return query(database.now.sequelize, text, [id, NOW]);
      },
    ],
    ['stored', (key: string) => put(key, 0)],
    ['named by a ticket that changes', (key: string) => changeTicketOf(key)],
  ])('keeps sources that are %s again while others are removed', async (name, again) => {
    const prefix = `uploads/${name.replaceAll(' ', '-')}`;
    const keys = ['one', 'other'].map((folder) => `${prefix}-${folder}/a.dsc`);
    for (const key of keys) {
      await put(key, 50);
      await nameInOldTicket(key);
    }
    let kept: string | undefined;
    const store = {
      ...open(),
      async remove(key: string) {
        kept ??= keys.find((other) => other !== key);
        if (kept !== undefined && kept !== key) await again(kept);
        await open().remove(key);
      },
    };

    expect(await sweep({ store })).toBe(1);

    expect(await isKept(kept ?? '')).toBe(true);
  });

  it('removes the others where a file cannot be removed, and says why that one is left', async () => {
    const log = `builds/${(await add(40)).id}/hello.log`;
    const source = 'uploads/forgotten-meanwhile/a.dsc';
    for (const key of [log, source]) await put(key, 50);
    const refusal = new Error('permission denied');
    const store = {
      ...open(),
      async remove(key: string) {
        if (key === log) throw refusal;
        await open().remove(key);
      },
    };

    const fault = await sweep({ store }).catch((error: unknown) => error);

    expect(fault).toBeInstanceOf(AggregateError);
    expect(fault).toMatchObject({ message: '1 old files could not be removed', errors: [refusal] });
    expect(await isKept(log)).toBe(true);
    expect(await isKept(source)).toBe(false);
  });

  it('removes the others where the database cannot say which of a kind are old, and says which are left', async () => {
    const source = 'uploads/forgotten-but-unknown/a.dsc';
    const others = [`images/${randomUUID()}/image.tar.zst`, 'archive-indexes/of-50-days.json'];
    for (const key of [source, ...others]) await put(key, 50);
    const timeout = new Error('canceling statement due to statement timeout');
    const spy = beforeStatements((text) => {
      if (text.includes('SELECT * FROM subticket_artifact ')) throw timeout;
    });

    const fault = await sweep().catch((error: unknown) => error);
    spy.mockRestore();

    expect(fault).toBeInstanceOf(AggregateError);
    expect(fault).toMatchObject({
      message: 'old files are left in uploads/',
      errors: [timeout],
    });
    expect(await isKept(source)).toBe(true);
    for (const key of others) expect(await isKept(key)).toBe(false);
  });

  it('looks for changed tickets no more often where that takes longer than the time between two looks', async () => {
    const sources = ['one', 'two', 'three'].map((name) => `uploads/slowly-${name}/a.dsc`);
    for (const key of sources) await put(key, 50);
    let looks = 0;
    let nowMs = 0;
    const spy = beforeStatements((text) => {
      if (text.includes('WITH changed AS')) looks += 1;
      if (/WITH changed AS|FROM build /.test(text)) nowMs += 10_000;
    });

    expect(await sweep({ clock: () => nowMs })).toBe(3);
    spy.mockRestore();

    expect(looks).toBe(1);
  });

  it('stops where the store itself does not answer', async () => {
    const sources = ['one', 'other'].map((name) => `uploads/unreached-${name}/a.dsc`);
    for (const key of sources) await put(key, 50);
    let tries = 0;
    const store = {
      ...open(),
      async remove(): Promise<void> {
        tries += 1;
        throw new StoreUnavailableError('away');
      },
    };
    await expect(sweep({ store })).rejects.toThrow(StoreUnavailableError);
    expect(tries).toBe(1);
  });

  it('is done once a day by all processes together, and never where files stay for ever', async () => {
    await put('uploads/forgotten/a.dsc', 400);

    expect(await sweep({ keepFilesMs: 0 })).toBeNull();
    expect(await sweep({ keepFilesMs: 500 * DAY_MS })).toBe(0);
    expect(await sweep({ now: new Date(NOW.getTime() + DAY_MS - 1) })).toBeNull();
    expect(await sweep({ now: new Date(NOW.getTime() + DAY_MS + 1) })).toBe(1);
  });

  it('is done again when its time has come, though a clock that was wrong had a turn long after', async () => {
    expect(await sweep({ now: new Date(NOW.getTime() + 400 * DAY_MS) })).not.toBeNull();
    expect(await sweep({ now: new Date(NOW.getTime() + 2 * DAY_MS) })).not.toBeNull();
    expect(await sweep({ now: new Date(NOW.getTime() + 2 * DAY_MS - 1) })).toBeNull();
  });

  it("goes by the database's clock, whatever its own says", async () => {
    const now = new Date();
    const keyOf = ({ id }: { id: number }) => `builds/${id}/hello.log`;
    const [old, young] = [await add(40, [], now), await add(20, [], now)];
    for (const build of [old, young]) await put(keyOf(build), 50, now);
    const lines: { removed: number }[] = [];
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    fakeDate(now.getTime() + 400 * DAY_MS);
    try {
      const files = { database: database.now, store: open(), keepFilesMs: KEEP_MS };
      const started = startFileSweep({ ...files, logger });
      await until('the sweep', () => lines.length > 0);
      await started.stop();
    } finally {
      jest.useRealTimers();
    }
    expect(lines).toEqual([expect.objectContaining({ removed: 1 })]);
    expect(await isKept(keyOf(old))).toBe(false);
    expect(await isKept(keyOf(young))).toBe(true);
  });
});
