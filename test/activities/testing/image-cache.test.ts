import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import {
  openImageCache,
  type ImageCache,
} from '../../../activities/testing/machine/image-cache.ts';
import { createFileStore } from '../../../store/file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

const { signal } = new AbortController();

describe('the cache of images', () => {
  const open = async (maxBytes: number) => {
    const directory = temporaryDirectory();
    const store = createFileStore({ directory: join(directory, 'store'), baseUrl: 'http://s/' });
    const cached = join(directory, 'images');
    const cache = await openImageCache(cached, join(directory, 'own'), { store, maxBytes });
    /** Another tester with the same folder. */
    const openOther = (bytes: number) =>
      openImageCache(cached, join(directory, 'other'), { store, maxBytes: bytes });
    const keep = async (content: string) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      await store.put(`images/${sha256}`, Readable.from([content]));
      return { url: store.urlOf(`images/${sha256}`), sha256 };
    };
    const use = (content: string, work: (path: string) => Promise<string> = async (path) => path) =>
      keep(content).then((image) => cache.use(image, new AbortController().signal, work));
    const pathOf = (content: string) =>
      join(cached, `${createHash('sha256').update(content).digest('hex')}.tar.zst`);
    return { cache, cached, directory, keep, openOther, pathOf, use, store };
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
    const { cached, pathOf, use } = await open(10);
    await use('12345');
    utimesSync(pathOf('12345'), 1, 1);
    await use('54321');
    expect(readdirSync(cached)).toHaveLength(2);
    utimesSync(pathOf('54321'), 2, 2);
    await use('abcde');
    expect(readdirSync(cached).map((name) => join(cached, name))).not.toContain(pathOf('12345'));
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
    const { openOther, use, keep } = await open(5);
    const others = await openOther(1_000);
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

  it('fetches an image beside another tester with the same folder that does so, too', async () => {
    const { cache, directory, keep, openOther, store } = await open(1_000);
    const image = await keep('the whole image');
    const stored = await store.get(`images/${image.sha256}`);
    stored?.stream.destroy();
    const streams: PassThrough[] = [];
    jest.spyOn(store, 'get').mockImplementation(async () => {
      const stream = new PassThrough();
      streams.push(stream);
      return stored && { ...stored, stream };
    });
    const read = (from: ImageCache) =>
      from.use(image, signal, async (path) => readFileSync(path, 'utf8'));
    /** How much of it each of them has on the disk. */
    const fetched = () =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.partial'))
        .map((name) => statSync(join(directory, name)).size)
        .toSorted((one, another) => one - another);
    const one = read(cache);
    await until('one fetches', () => streams.length === 1);
    streams[0]?.write('the whole');
    await until('one has a part', () => fetched().join() === '9');
    const other = read(await openOther(1_000));
    await until('the other fetches', () => streams.length === 2);
    streams[1]?.write('the');
    await until('both have a part', () => fetched().join() === '3,9');
    streams[0]?.end(' image');
    expect(await one).toBe('the whole image');
    streams[1]?.end(' whole image');
    expect(await other).toBe('the whole image');
    for (const own of ['own', 'other']) expect(readdirSync(join(directory, own))).toEqual([]);
  });

  it('leaves an image to who uses it, though another tester with the same folder removes it', async () => {
    const { keep, openOther, pathOf, use } = await open(1_000);
    const others = await openOther(5);
    const content = await use('12345', async (path) => {
      utimesSync(path, 1, 1);
      await others.use(await keep('54321'), signal, async () => undefined);
      expect(existsSync(pathOf('12345'))).toBe(false);
      return readFileSync(path, 'utf8');
    });
    expect(content).toBe('12345');
  });

  it('fetches an image anew of which a machine that lost its power has left a part', async () => {
    const { cache, keep, openOther, pathOf, store } = await open(1_000);
    const image = await keep('the whole image');
    const read = (from: ImageCache) =>
      from.use(image, signal, async (path) => readFileSync(path, 'utf8'));
    await read(cache);
    writeFileSync(pathOf('the whole image'), 'the who');
    const restarted = await openOther(1_000);
    const get = jest.spyOn(store, 'get');
    expect(await Promise.all([read(restarted), read(restarted)])).toEqual([
      'the whole image',
      'the whole image',
    ]);
    expect(await read(restarted)).toBe('the whole image');
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('takes an image that it finds whole', async () => {
    const { cache, keep, openOther, store } = await open(1_000);
    const image = await keep('the whole image');
    await cache.use(image, signal, async () => undefined);
    const restarted = await openOther(1_000);
    const get = jest.spyOn(store, 'get');
    const content = await restarted.use(image, signal, async (path) => readFileSync(path, 'utf8'));
    expect(content).toBe('the whole image');
    expect(get).not.toHaveBeenCalled();
  });
});
