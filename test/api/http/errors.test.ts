import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { programArguments } from '../../support/program.ts';

const DESCRIBE_ERRORS = await programArguments('scripts/describe-errors.ts');

describe('docs/errors.md', () => {
  it('is what the catalogue says (`npm run docs:errors` writes it)', () => {
    const made = execFileSync(process.execPath, [...DESCRIBE_ERRORS], {
      encoding: 'utf8',
    });
    expect(readFileSync('docs/errors.md', 'utf8')).toBe(made);
  });
});
