import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '../database.ts';

/** Folder in which an endless test says that it has begun. */
export const BEGUN_VARIABLE = 'TEST_BEGUN_DIR';

/** A test that has everything open that a test can have open, and never ends. */
export function declareEndlessTest(name: string): void {
  it('never ends', async () => {
    await createTestDatabase();
    spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref();
    writeFileSync(join(process.env[BEGUN_VARIABLE] ?? tmpdir(), name), process.env['TMPDIR'] ?? '');
    await new Promise(() => setInterval(() => undefined, 1_000));
  }, 600_000);
}
