import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SETTINGS } from '../../main/config/config.ts';
import { programArguments } from '../support/program.ts';

const DESCRIBE_CONFIGURATION = await programArguments('scripts/describe-configuration.ts');

const run = promisify(execFile);

async function describeConfiguration(home: string): Promise<string> {
  const { stdout } = await run(process.execPath, [...DESCRIBE_CONFIGURATION], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  return stdout;
}

describe('docs/configuration.md', () => {
  it('is in step with the schema; else: npm run docs:configuration', async () => {
    const page = await readFile('docs/configuration.md', 'utf8');
    expect(page).toBe(await describeConfiguration('/home/somebody'));
  });

  it('has one row for each variable', async () => {
    const page = await readFile('docs/configuration.md', 'utf8');
    const rows = [...page.matchAll(/^\| `(AIRLINE_\w+)`/gm)].map(([, name]) => name);
    expect(rows).toEqual(SETTINGS.map(({ setting }) => setting.variable));
    expect(new Set(rows).size).toBe(rows.length);
  });

  it('names no path of the machine that it was made on', async () => {
    const elsewhere = await describeConfiguration('/somewhere/else');
    expect(elsewhere).toContain('`~/.local/share/airline`');
    expect(elsewhere).not.toContain('/somewhere/else');
  });
});
