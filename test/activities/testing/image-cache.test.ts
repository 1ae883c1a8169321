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
    const use = (content: string, work: (path: string) => Promise<string> = async (path) => path) =>
      keep(content).then((image) => cache.use(image, new AbortController().signal, work));
    return { cache, cached, keep, use, store };
  };

  it('fetches an image once, and checks it', async () => {
    const { cache, keep, store } = await open(1_000);
    const image = await keep('one');
    const get = jest.spyOn(store, 'get');
    const read = () => cache.use(image, signal, async (path) => readFileSync(path, 'utf8'));
    expect(await Promise.all([read(), read()])).toEqual(['one', 'one']);
    expect(await read()).toBe('one');
    expect(get).toHaveBeenCalledTimes(1);
    const work = async () => 'not reached';
    await expect(cache.use({ ...image, sha256: 'f'.repeat(64) }, signal, work)).rejects.toThrow(
      'is not the one that was made',
    );
    await expect(
      cache.use({ url: 'http://s/none', sha256: 'e'.repeat(64) }, signal, work),
    ).rejects.toThrow('has no image');
  });

  it('keeps those that were used last, as many as fit', async () => {
    const { cached, use } = await open(10);
    const first = await use('12345');
    utimesSync(first, 1, 1);
    const second = await use('54321');
    expect(readdirSync(cached)).toHaveLength(2);
    utimesSync(second, 2, 2);
    await use('abcde');
    expect(readdirSync(cached).map((name) => join(cached, name))).not.toContain(first);
    expect(readdirSync(cached)).toHaveLength(2);
  });

  it('keeps the one that is in use, though those used later fill the room', async () => {
    const { use } = await open(5);
    const content = await use('12345', async (path) => {
      utimesSync(path, 1, 1);
      await use('54321');
      return readFileSync(path, 'utf8');
    });
    expect(content).toBe('12345');
  });

  it('serves many at once that do not fit together, next to another tester with the same folder', async () => {
    const { cached, store, use, keep } = await open(5);
    const others = await openImageCache(cached, { store, maxBytes: 1_000 });
    const contents = Array.from({ length: 40 }, (_, index) => `image ${index}`);
    const used = await Promise.all([
      ...contents.map((content) => use(content)),
      ...contents.map(async (content) =>
        others.use(
          await keep(`other ${content}`),
          new AbortController().signal,
          async (path) => path,
        ),
      ),
    ]);
    expect(new Set(used).size).toBe(80);
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
