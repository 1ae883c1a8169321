import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { foreignEnvironment } from '../../../main/config/config.ts';
import { processesWith } from '../../../main/embedded/process-table.ts';
import { STACK_MARKER } from '../../../main/embedded/stale-processes.ts';
import { waitUntil } from '../../../main/embedded/wait-until.ts';
import { stackAddresses } from '../../support/addresses.ts';
import { programArguments } from '../../support/program.ts';

const execute = promisify(execFile);
const ALL = 'a-b b-a b-c lander-a lander-b';

jest.setTimeout(600_000);

it('joins machines, harms their links, takes one away, and leaves nothing behind', async () => {
  const marker = mkdtempSync(join(stackAddresses().temporaryDir, 'machines-'));
  const program = await programArguments('test/chaos/machines/try-links.ts');
  const { stdout } = await execute(
    'unshare',
    ['--net', '--', process.execPath, ...program, marker],
    { env: foreignEnvironment(), timeout: 300_000 },
  );
  expect(JSON.parse(stdout)).toEqual({
    sound: ALL,
    cut: 'b-c lander-b',
    // A connection needs both ways.
    mute: 'b-c lander-b',
    split: 'a-b b-a',
    slow: ALL,
    'sound again': ALL,
    'a is lost': '',
    'a is back': ALL,
  });
  await waitUntil('the end of all', () => processesWith(STACK_MARKER, marker).length === 0, {
    timeoutMs: 100_000,
  });
});
