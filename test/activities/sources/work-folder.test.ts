import { lutimes, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeWorkFolder, removeOldWorkFolders } from '../../../activities/sources/work-folder.ts';
import { keepLog } from '../activity.ts';

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-03-02T12:00:00Z');

let directory: string;
const usual = process.env['TMPDIR'];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'work-folder-'));
  process.env['TMPDIR'] = directory;
});
afterEach(async () => {
  if (usual === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = usual;
  await rm(directory, { recursive: true, force: true });
});

const age = (path: string, hours: number) => {
  const then = new Date(NOW.getTime() - hours * HOUR_MS);
  return lutimes(path, then, then);
};
const { signal } = new AbortController();

describe('what a worker that was killed has left', () => {
  it('is removed once it is older than a day', async () => {
    for (let tries = 0; tries < 2; tries++) {
      const left = await makeWorkFolder();
      await mkdir(join(left, 'source'));
      await writeFile(join(left, 'source', 'tree.tar'), 'x');
      await age(left, 25);
    }
    const log = keepLog();
    await removeOldWorkFolders({ now: NOW, signal, logger: log.logger });
    expect(await readdir(directory)).toEqual([]);
    expect(log.lines.map(({ msg }) => msg)).toEqual(
      Array(2).fill('removed what a worker has left that was killed'),
    );
  });

  it('stays while it may be of one that works, and so does what is none of it', async () => {
    const [old, young] = [await makeWorkFolder(), await makeWorkFolder()];
    await age(old, 23);
    await age(young, 0);
    const [other, file, link] = ['airline-key-x', 'airline-merge-file', 'airline-merge-link'];
    await mkdir(join(directory, other));
    await writeFile(join(directory, file), 'x');
    await symlink(other, join(directory, link));
    for (const name of [other, file, link]) await age(join(directory, name), 25);
    await removeOldWorkFolders({ now: NOW, signal, logger: keepLog().logger });
    const names = [other, file, link, basename(old), basename(young)];
    expect(new Set(await readdir(directory))).toEqual(new Set(names));
  });

  it('stays where the worker ends meanwhile', async () => {
    const left = await makeWorkFolder();
    await age(left, 25);
    const ended = AbortSignal.abort();
    await removeOldWorkFolders({ now: NOW, signal: ended, logger: keepLog().logger });
    expect(await readdir(directory)).toEqual([basename(left)]);
  });

  it('keeps no worker from its work where it cannot be looked for', async () => {
    process.env['TMPDIR'] = join(directory, 'gone');
    const log = keepLog();
    await removeOldWorkFolders({ now: NOW, signal, logger: log.logger });
    expect(log.lines).toMatchObject([{ err: { code: 'ENOENT' } }]);
  });
});
