import { createHash } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { linkByHash } from '../../../stand-in/archive/link-by-hash.ts';
import { openStandIn } from '../../support/stand-in.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

it('who has read InRelease finds the indexes that it names, though more was published since', async () => {
  const standIn = await openStandIn({ script: {} });
  const dists = `${standIn.webUrl}/apt/me/test/debian/dists/bookworm`;
  const publish = async (name: string) => {
    const source = await standIn.make({ name });
    await standIn.upload(source.files);
    await standIn.publication(source);
    const path = `${dists}/main/source/Sources`;
    await until(`${name} in Sources`, async () =>
      (await (await fetch(path)).text()).includes(`Package: ${name}\n`),
    );
  };
  await publish('first');
  const release = await (await fetch(`${dists}/InRelease`)).text();
  await publish('second');
  await publish('third');

  expect(release).toMatch(/^Acquire-By-Hash: yes$/m);
  const lengths = { SHA256: 64, SHA512: 128 };
  for (const [name, length] of Object.entries(lengths)) {
    const lines = release.matchAll(new RegExp(`^ ([0-9a-f]{${length}}) +\\d+ (\\S+)$`, 'gm'));
    const named = [...lines].map(([, hash = '', path = '']) => ({ hash, path }));
    expect(named.map(({ path }) => path)).toContain('main/source/Sources.gz');
    for (const { hash, path } of named) {
      const folder = path.slice(0, path.lastIndexOf('/'));
      const index = await fetch(`${dists}/${folder}/by-hash/${name}/${hash}`);
      expect([path, index.status]).toEqual([path, 200]);
      const content = Buffer.from(await index.arrayBuffer());
      expect(createHash(name.toLowerCase()).update(content).digest('hex')).toBe(hash);
    }
  }
  await standIn.close();
});

it('keeps the latest of the indexes that were replaced', async () => {
  const directory = temporaryDirectory();
  const [replaced, folder] = [join(directory, 'replaced'), join(directory, 'new')];
  const earlier = join(replaced, 'by-hash', 'SHA256');
  await mkdir(earlier, { recursive: true });
  for (let number = 0; number < 60; number++) {
    await writeFile(join(earlier, `of-${number}`), '');
    await utimes(join(earlier, `of-${number}`), number, number);
  }
  await mkdir(folder);
  await writeFile(join(folder, 'Packages'), 'Package: new\n');

  await linkByHash(folder, replaced);

  const kept = await readdir(join(folder, 'by-hash', 'SHA256'));
  expect(kept).toHaveLength(41);
  expect(kept).toEqual(expect.arrayContaining(['of-59', 'of-20']));
  expect(kept).not.toContain('of-19');
});
