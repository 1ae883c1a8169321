import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { programArguments } from '../support/program.ts';

const DESCRIBE_CLI = await programArguments('scripts/describe-cli.ts');

describe('docs/cli.md', () => {
  it('is what the commands say; else: npm run docs:cli', () => {
    const made = execFileSync(process.execPath, [...DESCRIBE_CLI], {
      encoding: 'utf8',
    });
    expect(readFileSync('docs/cli.md', 'utf8')).toBe(made);
  });
});
