import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { processesWith } from '../../main/embedded/process-table.ts';
import { query } from '../../models/sql/query.ts';
import { programArguments } from '../support/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../models/use-database.ts';
import { environmentWithoutTemporal } from './environment-without-temporal.ts';

jest.setTimeout(300_000);

describe.each(['main/worker.ts', 'main/tester.ts'])('%s', (program) => {
  const database = useDatabase();

  it('comes to Temporal, whose work it takes, once the database has every migration of its code; while it waits for it, it ends when it is told to, also as the first process of a container', async () => {
    const { sequelize } = database.now;
    const [latest] = await query<{ name: string }>(
      sequelize,
      'DELETE FROM migration WHERE name = (SELECT max(name) FROM migration) RETURNING name',
    );
    const name = latest?.name ?? '';
    const stateDir = join(temporaryDirectory(), 'state');
    // The kernel drops what the first process of a namespace is sent and does not wait for.
    const container = spawn(
      'unshare',
      [
        '--pid',
        '--fork',
        '--mount-proc',
        '--kill-child',
        process.execPath,
        ...(await programArguments(program)),
      ],
      {
        env: environmentWithoutTemporal(stateDir, database.url),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    for (const stream of [container.stdout, container.stderr])
      stream.on('data', (text: Buffer) => (output += text.toString()));
    const exited = once(container, 'exit');
    const isAtTemporal = () => output.includes('Temporal does not answer yet');
    try {
      const said = () => output.includes(`The database lacks the migration ${name}.`);
      await until('it says what is missing', () => said() || isAtTemporal());
      expect(isAtTemporal()).toBe(false);

      await query(sequelize, 'INSERT INTO migration (name) VALUES ($1)', [name]);
      await until('it comes to Temporal', isAtTemporal);

      const inside = processesWith('AIRLINE_STATE_DIR', stateDir).filter(
        ({ pid }) => pid !== container.pid,
      );
      expect(inside).toHaveLength(1);
      for (const { pid } of inside) process.kill(pid, 'SIGTERM');
      await until('its end', () => container.exitCode !== null);
      expect(await exited).toEqual([0, null]);
    } catch (error) {
      throw new Error(`It said: ${output}`, { cause: error });
    } finally {
      container.kill('SIGKILL');
      await exited;
    }
  });
});
