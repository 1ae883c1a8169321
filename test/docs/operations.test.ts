import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf } from '../compose/page.ts';
import { runWithStub } from '../compose/run-with-stub.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('the upgrade from 0.2.0', () => {
  const takeOut = async (script: string) => {
    const directory = temporaryDirectory();
    const commands = commandsOf('From 0.2.0', 1);
    const { calls, ...end } = await runWithStub(directory, commands, { name: 'docker', script });
    return { ...end, directory, calls: calls.map((call) => call.replace(/^compose /, '')) };
  };

  it('takes the databases out when nothing is accepted any more, and then removes the volume', async () => {
    const { hasSucceeded, calls, directory } = await takeOut('');
    expect(hasSucceeded).toBe(true);
    expect(calls[0]).toBe('stop api worker temporal');
    const [first, second, third] = calls.slice(1).map((call) => call.split(' ').at(-1));
    expect([first, second, third]).toEqual(['airline', 'temporal', 'temporal_visibility']);
    expect(calls.slice(4)).toEqual(['down', 'volume rm airline_postgresql']);
    expect(readdirSync(join(directory, 'backup'))).toHaveLength(3);
  });

  it('keeps the volume where a database was not taken out', async () => {
    const { hasSucceeded, calls } = await takeOut('case "$*" in *pg_dump*) exit 1 ;; esac');
    expect(hasSucceeded).toBe(false);
    expect(calls[0]).toBe('stop api worker temporal');
    expect(calls).toHaveLength(2);
  });
});
