import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

describe('docs/errors.md', () => {
  it('is what the catalogue says (`npm run docs:errors` writes it)', () => {
    const made = execFileSync(process.execPath, ['--import', 'tsx', 'scripts/describe-errors.ts'], {
      encoding: 'utf8',
    });
    expect(readFileSync('docs/errors.md', 'utf8')).toBe(made);
  });
});
