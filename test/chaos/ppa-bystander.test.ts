import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { startBystander } from './ppa-bystander.ts';

it('a bystander outlives a PPA whose files cannot be read', async () => {
  const stateDir = temporaryDirectory();
  // A folder where the PPA has its journal.
  mkdirSync(join(stateDir, 'stand-in', 'journal.jsonl'), { recursive: true });
  const stop = startBystander('http://127.0.0.1:1', stateDir);
  await expect(stop()).resolves.toBeUndefined();
});
