import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

describe('docs/cli.md', () => {
  it('is what the commands say; else: npm run docs:cli', () => {
    const made = execFileSync(process.execPath, ['--import', 'tsx', 'scripts/describe-cli.ts'], {
      encoding: 'utf8',
    });
    expect(readFileSync('docs/cli.md', 'utf8')).toBe(made);
  });
});
