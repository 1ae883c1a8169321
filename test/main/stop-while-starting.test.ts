import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { processesWith } from '../../main/embedded/process-table.ts';
import { createTestDatabase } from '../support/database.ts';
import { programArguments } from '../support/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { environmentWithoutTemporal } from './environment-without-temporal.ts';

jest.setTimeout(180_000);

it.each(['main/worker.ts', 'main/tester.ts'])(
  '%s ends when it is told to while it waits for Temporal, also as the first process of a container',
  async (program) => {
    const database = await createTestDatabase();
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
    try {
      await until('it waits for Temporal', () => output.includes('Temporal does not answer yet'));
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
      await database.drop();
    }
  },
);
