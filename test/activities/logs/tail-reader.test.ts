import pino from 'pino';
import { startTailReader } from '../../../activities/logs/tail-reader.ts';
import { readTail, removeUnwantedTails, wantTail } from '../../../models/builds/log-tail.ts';
import { addBuild } from '../../support/rows.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../../models/use-database.ts';
import { startFileServer, type FileServer } from '../file-server.ts';

const database = useDatabase();
const set = (table: string, columns: string) =>
  database.now.sequelize.query(`UPDATE ${table} SET ${columns}`);
const fullBudget = () =>
  set('call_budget', 'tokens = 100, refilled_at = clock_timestamp(), closed_until = NULL');
const pageWith = (log: string) => `<div id="buildlog-tail" class="logtail"><p>${log}</p></div>`;

let server: FileServer;
const readers: { stop: () => Promise<void> }[] = [];
beforeAll(async () => {
  server = await startFileServer();
});
afterAll(() => server.stop());
beforeEach(fullBudget);
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.stop();
});

const start = (intervalMs = 20) =>
  readers.push(
    startTailReader({
      sequelize: database.now.sequelize,
      intervalMs,
      timeoutMs: 2_000,
      callsPerSecond: 20,
      logger: pino({ level: 'silent' }),
    }),
  );
async function want(page: string, attempt = 1, forMs = 60_000, buildId?: number) {
  const id = buildId ?? (await addBuild(database.now)).id;
  const of = { buildId: id, attempt, package: 'hello', architecture: 'amd64' };
  await wantTail(database.now.sequelize, { ...of, pageUrl: `${server.url}/${page}` }, forMs);
  return of;
}
const tailOf = (of: Awaited<ReturnType<typeof want>>) => readTail(database.now.sequelize, of);

describe('the reader of the ends of logs', () => {
  it('reads what is wanted, again and again, and makes it safe', async () => {
    server.answer('grows', pageWith('[31mcc[0m -c a.c'.replaceAll('[', '\u001B[')));
    const of = await want('grows');
    start();
    await until('the text', async () => (await tailOf(of))?.text === 'cc -c a.c');
    server.answer('grows', pageWith('cc -c a.c<br />\n\u202Ecc -c b.c'));
    await until('more text', async () => (await tailOf(of))?.text.includes('b.c'));
    expect(await tailOf(of)).toMatchObject({
      text: 'cc -c a.c\n<U+202E>cc -c b.c',
      end: 'cc -c a.c\n<U+202E>cc -c b.c'.length,
      problem: null,
    });
  });

  it('reads each page once, however many workers there are', async () => {
    server.answer('once', pageWith('line'));
    const of = await want('once');
    for (let worker = 0; worker < 4; worker++) start(60_000);
    await until('the text', async () => (await tailOf(of))?.text === 'line');
    for (const reader of readers.splice(0)) await reader.stop();
    expect(server.asked('once')).toBe(1);
  });

  it('reads nothing that nobody looks at any more, and its row goes', async () => {
    server.answer('unwanted', pageWith('line'));
    server.answer('wanted', pageWith('line'));
    const unwanted = await want('unwanted', 1, -1);
    const wanted = await want('wanted');
    start();
    await until('the other text', async () => (await tailOf(wanted))?.text === 'line');
    expect(server.asked('unwanted')).toBe(0);
    await removeUnwantedTails(database.now.sequelize);
    expect(await tailOf(unwanted)).toBeDefined();
    await set('log_tail', "wanted_until = wanted_until - interval '2 hours'");
    await removeUnwantedTails(database.now.sequelize);
    expect(await tailOf(unwanted)).toBeUndefined();
  });

  it('leaves the calls to those who watch builds', async () => {
    await set('call_budget', 'tokens = -1000, refilled_at = clock_timestamp()');
    server.answer('spare', pageWith('line'));
    const of = await want('spare');
    start();
    const readings = async () =>
      (
        (await database.now.sequelize.query(
          `SELECT readings FROM log_tail WHERE build_id = ${of.buildId}`,
        )) as [{ readings: number }[], unknown]
      )[0][0]?.readings ?? 0;
    await until('it to be put off', async () => (await readings()) > 1);
    expect(server.asked('spare')).toBe(0);
    await fullBudget();
    await until('the text', async () => (await tailOf(of))?.text === 'line');
  });

  it('keeps what it has read where the page goes, and begins anew with an attempt', async () => {
    server.answer('goes', pageWith('first'));
    const of = await want('goes');
    start();
    await until('the text', async () => (await tailOf(of))?.text === 'first');
    server.answer('goes', (_, response) => response.writeHead(403).end());
    await until('the problem', async () => (await tailOf(of))?.problem === 'not_public');
    expect(await tailOf(of)).toMatchObject({ text: 'first' });
    server.answer('goes', pageWith('second'));
    const next = await want('goes', 2, 60_000, of.buildId);
    await until('the new text', async () => (await tailOf(next))?.text === 'second');
    expect(await tailOf(of)).toBeUndefined();
  });
});
