import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openImageCache } from '../../../activities/testing/machine/image-cache.ts';
import { readOutcome } from '../../../activities/testing/machine/read-outcome.ts';
import { createFileStore } from '../../../store/file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const { signal } = new AbortController();

describe('the cache of images', () => {
  const open = async (maxBytes: number) => {
    const directory = temporaryDirectory();
    const store = createFileStore({ directory: join(directory, 'store'), baseUrl: 'http://s/' });
    const cached = join(directory, 'images');
    const cache = await openImageCache(cached, { store, maxBytes });
    const keep = async (content: string) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      await store.put(`images/${sha256}`, Readable.from([content]));
      return { url: store.urlOf(`images/${sha256}`), sha256 };
    };
    return { cache, cached, keep, store };
  };

  it('fetches an image once, and checks it', async () => {
    const { cache, keep, store } = await open(1_000);
    const image = await keep('one');
    const get = jest.spyOn(store, 'get');
    const paths = await Promise.all([cache.path(image, signal), cache.path(image, signal)]);
    expect(readFileSync(await cache.path(image, signal), 'utf8')).toBe('one');
    expect(new Set(paths).size).toBe(1);
    expect(get).toHaveBeenCalledTimes(1);
    await expect(cache.path({ ...image, sha256: 'f'.repeat(64) }, signal)).rejects.toThrow(
      'is not the one that was made',
    );
    await expect(
      cache.path({ url: 'http://s/none', sha256: 'e'.repeat(64) }, signal),
    ).rejects.toThrow('has no image');
  });

  it('keeps those that were used last, as many as fit', async () => {
    const { cache, cached, keep } = await open(10);
    const first = await cache.path(await keep('12345'), signal);
    utimesSync(first, 1, 1);
    const second = await cache.path(await keep('54321'), signal);
    expect(readdirSync(cached)).toHaveLength(2);
    utimesSync(second, 2, 2);
    await cache.path(await keep('abcde'), signal);
    expect(readdirSync(cached).map((name) => join(cached, name))).not.toContain(first);
    expect(readdirSync(cached)).toHaveLength(2);
  });
});

it('what autopkgtest has left is read, and nothing that it links to', async () => {
  const directory = join(temporaryDirectory(), 'output');
  mkdirSync(directory);
  const write = (name: string, content: string) => writeFileSync(join(directory, name), content);
  write('testpkg-version', 'hello 2.10-3\n');
  write('testinfo.json', '{}');
  write('testbed-packages', 'hello\t1\nlibc6\t2\n');
  write('smoke-packages', 'hello\t2.10-3\n');
  symlinkSync('/etc/passwd', join(directory, 'summary'));
  expect(await readOutcome(directory)).toEqual({
    summary: null,
    testedSource: 'hello 2.10-3',
    hasTestinfo: true,
    installed: [
      { name: 'libc6', version: '2' },
      { name: 'hello', version: '2.10-3' },
    ],
  });
  expect(await readOutcome(join(directory, 'none'))).toMatchObject({ hasTestinfo: false });
});
