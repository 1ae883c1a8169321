import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeResult } from '../../bench/write-result.ts';

it('says of which commit a result is, though the repository has gone on since', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'airline-result-'));
  try {
    const circumstances = { command: 'npm run bench', packages: [], loadBefore: 0 };
    const result = { title: 'A measurement', goals: [], tables: [], notes: [] };
    await writeResult(directory, 'some', { ...circumstances, commit: '0123456789ab+' }, result);
    expect(JSON.parse(await readFile(join(directory, 'some.json'), 'utf8'))).toMatchObject({
      commit: '0123456789ab+',
    });
    expect(await readFile(join(directory, 'some.md'), 'utf8')).toContain('commit 0123456789ab+');
  } finally {
    await rm(directory, { recursive: true });
  }
});
