import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { query } from '../../models/sql/query.ts';
import { programArguments } from '../support/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../models/use-database.ts';
import { environmentWithoutTemporal } from './environment-without-temporal.ts';

jest.setTimeout(180_000);

describe.each(['main/worker.ts', 'main/tester.ts'])('%s', (program) => {
  const database = useDatabase();

  it('comes to Temporal, whose work it takes, once the database has every migration of its code', async () => {
    const { sequelize } = database.now;
    const [latest] = await query<{ name: string }>(
      sequelize,
      'DELETE FROM migration WHERE name = (SELECT max(name) FROM migration) RETURNING name',
    );
    const name = latest?.name ?? '';
    const started = spawn(process.execPath, await programArguments(program), {
      env: environmentWithoutTemporal(join(temporaryDirectory(), 'state'), database.url),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (text: Buffer) => (output += text.toString()));
    const exited = once(started, 'exit');
    const isAtTemporal = () => output.includes('Temporal does not answer yet');
    try {
      const said = () => output.includes(`The database lacks the migration ${name}.`);
      await until('it says what is missing', () => said() || isAtTemporal());
      expect(isAtTemporal()).toBe(false);

      await query(sequelize, 'INSERT INTO migration (name) VALUES ($1)', [name]);
      await until('it comes to Temporal', isAtTemporal);
    } catch (error) {
      throw new Error(`It said: ${output}`, { cause: error });
    } finally {
      started.kill('SIGKILL');
      await exited;
    }
  });
});
