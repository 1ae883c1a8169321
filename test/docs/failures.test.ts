import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

describe('docs/failures.md', () => {
  it('is what the classes and rules say; else: npm run docs:failures', () => {
    const made = execFileSync(
      process.execPath,
      ['--import', 'tsx', 'scripts/describe-failures.ts'],
      {
        encoding: 'utf8',
      },
    );
    expect(readFileSync('docs/failures.md', 'utf8')).toBe(made);
  });
});
