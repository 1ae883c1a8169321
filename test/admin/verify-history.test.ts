import { foreignEnvironment } from '../../main/config/config.ts';
import { addTicket, TESTS } from '../support/rows.ts';
import { useDatabase } from '../models/use-database.ts';
import { programArguments, runConsecutively, runProgram } from '../support/program.ts';

const VERIFY_HISTORY = 'admin/verify-history.ts';

const database = useDatabase();

jest.setTimeout(600_000);

const environment = (variables: Record<string, string> = {}) => ({
  ...foreignEnvironment(),
  AIRLINE_DATABASE_URL: database.url,
  ...variables,
});

/** Runs `npm run -s verify-history --` for each of the calls, one after the other. */
function verifyHistory(
  ...calls: (readonly [args: readonly string[], variables?: Record<string, string>])[]
) {
  return runConsecutively(
    calls.map(([args, variables]) => ({
      program: VERIFY_HISTORY,
      args,
      env: environment(variables),
    })),
  );
}

describe('npm run verify-history', () => {
  it('says how much it has checked, and ends with 0 where all of it is intact', async () => {
    // In a process of its own, as its script does it.
    expect(
      await runProgram(await programArguments(VERIFY_HISTORY), { env: environment() }),
    ).toEqual({
      code: 0,
      stdout: 'Checked 0 changes of 0 tickets: intact.\n',
      stderr: '',
    });
    for (let index = 0; index < 3; index++) {
      const { id } = await addTicket(database.now);
      await database.now.Ticket.updateOne(id, { status: 200 }, TESTS);
      await database.now.Ticket.updateOne(id, { status: 300 }, TESTS);
    }
    const [plain, inJson] = await verifyHistory([[]], [['--json']]);
    expect(plain).toMatchObject({
      code: 0,
      stdout: 'Checked 6 changes of 3 tickets: intact.\n',
    });
    expect(inJson?.code).toBe(0);
    expect(JSON.parse(inJson?.stdout ?? '')).toEqual({ changes: 6, tickets: 3, broken: [] });
  });

  it('names every change that was altered or removed, and ends with 1', async () => {
    const [altered, shortened] = [await addTicket(database.now), await addTicket(database.now)];
    for (const { id } of [altered, shortened])
      for (const status of [200, 300, 400] as const)
        await database.now.Ticket.updateOne(id, { status }, TESTS);
    await database.now.sequelize.query(
      `BEGIN; SET LOCAL session_replication_role = replica;
       UPDATE status_change SET actor = 'nobody' WHERE ticket_id = ${altered.id} AND seq = 2;
       DELETE FROM status_change WHERE ticket_id = ${shortened.id} AND seq = 3; COMMIT`,
    );
    const [plain, inJson] = await verifyHistory([[]], [['--json']]);
    expect(plain?.code).toBe(1);
    expect(plain?.stdout.split('\n')).toEqual([
      `ticket ${altered.id}, change 2: altered, it is not what was written`,
      `ticket ${shortened.id}, change 3: removed, it is missing`,
      expect.stringMatching(/^Checked \d+ changes of \d+ tickets: 2 broken\.$/),
      '',
    ]);
    expect(inJson?.code).toBe(1);
    expect(JSON.parse(inJson?.stdout ?? '').broken).toEqual([
      { ticket: altered.id, seq: 2, problem: 'altered' },
      { ticket: shortened.id, seq: 3, problem: 'removed' },
    ]);
  });

  it('ends with 2 where the call is wrong, with 3 where there is nothing to read, with 0 where it is asked for help', async () => {
    const answers = await verifyHistory(
      [['--all']],
      [['ticket']],
      [[], { AIRLINE_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }],
      [[], { AIRLINE_DATABASE_URL: new URL('/postgres', database.url).href }],
      [['--help']],
    );
    const help = answers.pop();
    expect(answers.map(({ code }) => code)).toEqual([2, 2, 3, 3]);
    expect(answers.map(({ stdout }) => stdout)).toEqual(['', '', '', '']);
    expect(answers.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('Usage: npm run -s verify-history -- '),
      expect.stringContaining('Usage: npm run -s verify-history -- '),
      expect.stringMatching(/^The database does not answer \(.*\)\. .*\n$/),
      expect.stringMatching(/^The database has no history: .*\n$/),
    ]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help?.stdout).toMatch(/^Usage: npm run -s verify-history -- /);
    expect(help?.stdout).toContain('Ends with 0');
  });
});
