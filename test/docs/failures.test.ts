import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { programArguments } from '../support/program.ts';

const DESCRIBE_FAILURES = await programArguments('scripts/describe-failures.ts');

describe('docs/failures.md', () => {
  it('is what the classes and rules say; else: npm run docs:failures', () => {
    const made = execFileSync(process.execPath, [...DESCRIBE_FAILURES], {
      encoding: 'utf8',
    });
    expect(readFileSync('docs/failures.md', 'utf8')).toBe(made);
  });
});
