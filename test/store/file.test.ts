import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chown,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FILE_NAME } from '../../domain/packages/source-file.ts';
import { createFileStore } from '../../store/file.ts';
import { StoreKeyError, StoreUnavailableError } from '../../store/store.ts';
import { programArguments } from '../support/program.ts';
import { expectParts } from './expect-parts.ts';

const DAY_MS = 86_400_000;

describe('the data store in a folder', () => {
  let directory: string;
  const open = ({ now = Date.now } = {}) =>
    createFileStore({ directory, baseUrl: 'http://127.0.0.1:8080/store/', now });

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'store-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('gives back what was put, with its size, its checksum and a type that no browser runs', async () => {
    const store = open();
    const content = Buffer.from('<script>alert(1)</script>\n');

    const put = await store.put('builds/7/hello_2.10-3_amd64.build.log', Readable.from([content]));

    expect(put).toEqual({
      sizeBytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      isKept: true,
    });
    const got = await store.get('builds/7/hello_2.10-3_amd64.build.log');
    expect(got).toMatchObject({
      sizeBytes: content.length,
      contentType: 'text/plain; charset=utf-8',
    });
    expect(await buffer(got?.stream ?? Readable.from([]))).toEqual(content);
    await store.put('upload/a.html', Readable.from([content]));
    const page = await store.get('upload/a.html');
    expect(page?.contentType).toBe('application/octet-stream');
    page?.stream.destroy();
  });

  it('gives the part of a file that is chosen by its size and version', async () => {
    await expectParts(open());
  });

  it('puts the key into the URL, each segment escaped', () => {
    expect(open().urlOf('builds/7/a_1:2.0+b~1_amd64.build.log')).toBe(
      'http://127.0.0.1:8080/store/builds/7/a_1%3A2.0%2Bb~1_amd64.build.log',
    );
  });

  it('reads a large file through memory that is used again, and nothing where there is no file', async () => {
    const store = open();
    const content = randomBytes(5 * 2 ** 20 + 1);
    await store.put('large', Readable.from([content]));

    const reading = await store.read('large');

    expect(reading?.sizeBytes).toBe(content.length);
    const sha256 = createHash('sha256');
    const pieces = new Set<ArrayBufferLike>();
    for await (const chunk of reading?.chunks ?? []) {
      sha256.update(chunk);
      pieces.add(chunk.buffer);
    }
    expect(sha256.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'));
    expect(pieces.size).toBeLessThan(5);
    const before = await store.read('large');
    await store.put('large', Readable.from([content]));
    expect((await store.read('large'))?.version).not.toBe(before?.version);
    await expect(before?.chunks.next()).rejects.toThrow('was replaced as it was opened');
    expect(await store.read('absent')).toBeUndefined();
    await expect(store.read('../absent')).rejects.toThrow(StoreKeyError);
  });

  it('tells who reads a file of a fault of its disk, also one that comes while the reader is busy', async () => {
    const store = open();
    await store.put('large', Readable.from([randomBytes(2 ** 20)]));
    const handle = await openFile(join(directory, 'large'));
    const anyFile = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const { read } = anyFile;
    const disk = jest.spyOn(anyFile, 'read');
    disk.mockImplementationOnce(read);
    disk.mockRejectedValueOnce(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    const unheard: unknown[] = [];
    const hear = (error: unknown) => unheard.push(error);
    process.on('unhandledRejection', hear);
    try {
      const chunks = (await store.read('large'))?.chunks[Symbol.asyncIterator]();
      expect((await chunks?.next())?.done).toBe(false);
      await nextTurn();
      expect(disk).toHaveBeenCalledTimes(2);
      expect(unheard).toEqual([]);
      await expect(chunks?.next()).rejects.toMatchObject({
        name: StoreUnavailableError.name,
        message: 'The disk of the data store has failed.',
      });
    } finally {
      process.off('unhandledRejection', hear);
      disk.mockRestore();
    }
  });

  it('knows its own URLs, and no others', () => {
    const { keyOf, urlOf } = open();

    for (const key of ['uploads/a_1:2.0+b~1.dsc', 'a']) expect(keyOf(urlOf(key))).toBe(key);
    expect(keyOf('http://127.0.0.1:8080/store/x/../a+b')).toBe('a+b');
    for (const other of [
      'http://127.0.0.1:8081/store/a',
      'http://127.0.0.1:8080/storehouse/a',
      'http://127.0.0.1:8080/store/../a',
      'http://127.0.0.1:8080/store/%2e%2e/a',
      'http://127.0.0.1:8080/store/a%2f..%2f..%2fb',
      'http://127.0.0.1:8080/store/a%2fb',
      'http://127.0.0.1:8080/store/a%',
      'http://127.0.0.1:8080/store/a?b',
      'http://127.0.0.1:8080/store/.incoming/a',
      'http://127.0.0.1:8080/store/',
      'store/a',
    ])
      expect([other, keyOf(other)]).toEqual([other, undefined]);
  });

  it('knows the URLs of its former addresses, and makes none of them', () => {
    const store = createFileStore({
      directory,
      baseUrl: 'https://airline.example.com/store',
      formerUrls: ['http://127.0.0.1:8080/store', 'https://former.example.com/store/'],
    });
    for (const root of ['http://127.0.0.1:8080', 'https://former.example.com'])
      expect(store.keyOf(`${root}/store/builds/7/a%2Bb.log`)).toBe('builds/7/a+b.log');
    expect(store.keyOf('http://127.0.0.1:8080/store/../a')).toBeUndefined();
    expect(store.urlOf('a')).toBe('https://airline.example.com/store/a');
  });

  it('gives what root stores to the owner of the folder, who is to remove it one day', async () => {
    const own = process.getuid?.() ?? 0;
    const owner = own === 0 ? 65_534 : own;
    await chown(directory, owner, process.getgid?.() ?? 0);
    await open().put('tests/7/a.test.log', Readable.from(['a log']));
    await createFileStore({ directory: join(directory, 'new', 'store'), baseUrl: 'http://a/' }).put(
      'uploads/a/b.dsc',
      Readable.from(['a source']),
    );
    const made = await readdir(directory, { recursive: true });
    expect(made).toEqual(expect.arrayContaining(['tests/7/a.test.log', '.incoming', 'new']));
    for (const path of made)
      expect({ path, uid: (await stat(join(directory, path))).uid }).toEqual({ path, uid: owner });
  });

  it('replaces a file as a whole, and only when the new one is complete', async () => {
    const store = open();
    await store.put('a', Readable.from([Buffer.from('first')]));

    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('sec');
        throw new Error('the source broke off');
      })(),
    );
    await expect(store.put('a', broken)).rejects.toThrow('the source broke off');

    expect(await readFile(join(directory, 'a'), 'utf8')).toBe('first');
    expect(await readdir(join(directory, '.incoming'))).toEqual([]);
    await store.put('a', Readable.from([Buffer.from('second')]));
    expect(await text((await store.get('a'))?.stream ?? Readable.from([]))).toBe('second');
  });

  it('keeps the first of several files that stores of other processes put at once', async () => {
    const key = 'uploads/race/file.dsc';
    // It came first and is held open until the others are stored.
    let finish = () => {};
    const held = Readable.from(
      (async function* () {
        yield Buffer.from('he');
        await new Promise<void>((resolve) => (finish = resolve));
        yield Buffer.from('ld');
      })(),
    );
    const late = open().put(key, held, { keepsFirst: true });
    const put = (content: string) =>
      open().put(key, Readable.from([Buffer.from(content)]), { keepsFirst: true });
    expect(await put('first')).toMatchObject({ isKept: true });
    expect(await put('second')).toMatchObject({ isKept: false });
    finish();
    expect(await late).toMatchObject({ isKept: false, sizeBytes: 4 });
    expect(await text((await open().get(key))?.stream ?? Readable.from([]))).toBe('first');
    expect(await readdir(join(directory, '.incoming'))).toEqual([]);
  });

  it('goes on after a put for which its folder could not be made', async () => {
    const store = open();
    await writeFile(join(directory, '.incoming'), 'in the way');
    const refused = Readable.from([Buffer.from('x')]);
    await expect(store.put('a', refused)).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(refused.destroyed).toBe(true);
    await rm(join(directory, '.incoming'));
    expect(await store.put('a', Readable.from([Buffer.from('x')]))).toMatchObject({ isKept: true });
  });

  it('takes an upload under a name that is a folder of others, and the other way round', async () => {
    const store = open();
    const keys = [
      'uploads/x',
      'uploads/x/y',
      'uploads/x/y/z',
      'uploads/a/b/c',
      'uploads/a/b',
      'uploads/a',
    ];
    for (const key of keys)
      await store.put(key, Readable.from([Buffer.from(key)]), { keepsFirst: true });
    for (const key of keys)
      expect(await text((await store.get(key))?.stream ?? Readable.from([]))).toBe(key);
  });

  it('gives what earlier versions stored', async () => {
    await mkdir(join(directory, 'uploads', 'x'), { recursive: true });
    await writeFile(join(directory, 'uploads', 'x', 'old.dsc'), 'old');
    const store = open();
    expect(await text((await store.get('uploads/x/old.dsc'))?.stream ?? Readable.from([]))).toBe(
      'old',
    );
    expect(await store.read('uploads/x/old.dsc')).toMatchObject({ sizeBytes: 3 });
    expect(
      await store.put('uploads/x', Readable.from([Buffer.from('new')]), { keepsFirst: true }),
    ).toMatchObject({ isKept: false });
  });

  it('gives nothing for a key that is not there, is a folder, or leads through a file', async () => {
    const store = open();
    await store.put('builds/7/log', Readable.from([Buffer.from('x')]));

    expect(await store.get('builds/8/log')).toBeUndefined();
    expect(await store.get('builds/7')).toBeUndefined();
    expect(await store.get('builds/7/log/more')).toBeUndefined();
  });

  it.each([
    '',
    '/etc/passwd',
    '../outside',
    'builds/../../outside',
    'builds/./7',
    'builds//7',
    'builds/7/',
    'builds\\7',
    'builds/%2e%2e/7',
    'a\0b',
    'a\nb',
    'builds/ä',
    '.incoming/x',
  ])('refuses the key %j', (key) => refuses(key));

  it('refuses a key that is too long, as a whole or in one segment', async () => {
    await refuses(`${'a/'.repeat(600)}a`);
    await refuses(`uploads/${'a'.repeat(255)}/x`);
    await refuses(`uploads/x/${'a'.repeat(256)}`);
  });

  it('takes the longest names of folders and of files, each that a source package may have', async () => {
    const [folder, file] = ['a'.repeat(254), 'a'.repeat(255)];
    expect(file).toMatch(FILE_NAME);
    await open().put(`uploads/${folder}/${file}`, Readable.from(['content']));
    expect(await open().read(`uploads/${folder}/${file}`)).toMatchObject({ sizeBytes: 7 });
    await open().remove(`uploads/${folder}/${file}`);
    expect(await open().read(`uploads/${folder}/${file}`)).toBeUndefined();
  });

  async function refuses(key: string): Promise<void> {
    const store = open();
    await expect(store.get(key)).rejects.toThrow(StoreKeyError);
    const refused = Readable.from([Buffer.from('x')]);
    await expect(store.put(key, refused)).rejects.toThrow(StoreKeyError);
    expect(refused.destroyed).toBe(true);
    expect(await readdir(directory)).toEqual([]);
  }

  it('removes what a crash left behind a day ago, and nothing younger', async () => {
    const incoming = join(directory, '.incoming');
    await mkdir(incoming);
    await writeFile(join(incoming, 'old'), 'x');
    await writeFile(join(incoming, 'young'), 'x');
    const twoDaysAgo = new Date(Date.now() - 2 * DAY_MS);
    await utimes(join(incoming, 'old'), twoDaysAgo, twoDaysAgo);

    await open().put('a', Readable.from([Buffer.from('x')]));

    expect(await readdir(incoming)).toEqual(['young']);
    expect((await stat(join(directory, 'a'))).size).toBe(1);
  });

  it('looks for what a crash left once a day, however long the process runs', async () => {
    let nowMs = Date.now();
    const store = open({ now: () => nowMs });
    await store.put('a', Readable.from(['first']));
    const left = join(directory, '.incoming/left');
    await writeFile(left, 'x');
    await utimes(left, new Date(nowMs - 2 * DAY_MS), new Date(nowMs - 2 * DAY_MS));

    await store.put('a', Readable.from(['at once']));
    expect(await readdir(join(directory, '.incoming'))).toEqual(['left']);

    nowMs += DAY_MS + 1;
    await store.put('a', Readable.from(['a day later']));
    expect(await readdir(join(directory, '.incoming'))).toEqual([]);
  });

  it('lists the files of a folder by their keys, with the times when they were stored', async () => {
    const store = open();
    await store.put('uploads/a_1/x/a.dsc', Readable.from(['1']));
    await store.put('uploads/a_1/x', Readable.from(['2']));
    await store.put('builds/7/a.log', Readable.from(['3']));
    await mkdir(join(directory, 'uploads/earlier'), { recursive: true });
    await writeFile(join(directory, 'uploads/earlier/b.dsc'), 'of an earlier version');
    const then = new Date('2026-01-01T00:00:00Z');
    await utimes(join(directory, 'builds/7/a.log'), then, then);

    const listed = async (folder: string) => {
      const files = [];
      for await (const file of store.list(folder)) files.push(file);
      return files;
    };

    expect((await listed('uploads/')).map(({ key }) => key).toSorted()).toEqual([
      'uploads/a_1/x',
      'uploads/a_1/x/a.dsc',
      'uploads/earlier/b.dsc',
    ]);
    expect((await listed('uploads/a_1/')).map(({ key }) => key).toSorted()).toEqual([
      'uploads/a_1/x',
      'uploads/a_1/x/a.dsc',
    ]);
    expect((await listed('uploads/earlier/')).map(({ key }) => key)).toEqual([
      'uploads/earlier/b.dsc',
    ]);
    expect(await listed('builds/')).toEqual([{ key: 'builds/7/a.log', storedAt: then }]);
    expect((await store.get('builds/7/a.log'))?.storedAt).toEqual(then);
    expect(await listed('landings/')).toEqual([]);
  });

  it('removes a file with the folders that it leaves empty, while others put files there', async () => {
    const store = open();
    const keys = Array.from({ length: 40 }, (_, index) => `uploads/a_1/x/${index}`);
    await store.put('uploads/a_1/y', Readable.from(['stays']));

    await Promise.all(
      keys.map(async (key) => {
        await store.put(key, Readable.from(['goes']), { keepsFirst: true });
        await store.remove(key);
      }),
    );
    await store.remove('uploads/nothing');

    expect(await store.get('uploads/a_1/x/0')).toBeUndefined();
    expect(await readdir(join(directory, 'uploads/a_1%'))).toEqual(['y']);
    await store.remove('uploads/a_1/y');
    expect(await readdir(join(directory, 'uploads'))).toEqual([]);
  });

  it('says that its disk is full, leaves nothing of what did not fit, and takes what does', async () => {
    const program = await programArguments('test/store/put-on-small-disk.ts');
    const { stdout } = await promisify(execFile)('unshare', [
      '--map-root-user',
      '--mount',
      'sh',
      '-c',
      'mount -t tmpfs -o size=256k tmpfs "$0" && exec "$@"',
      directory,
      process.execPath,
      ...program,
      directory,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      fault: 'StoreUnavailableError: The disk of the data store has no space left.',
      large: false,
      before: 'kept',
      after: true,
    });
  });
});
