import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createHash, randomBytes } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { AirlineError } from '../../domain/errors.ts';
import { createS3Client, createS3Store, loadS3Packages } from '../../store/s3.ts';
import { StoreKeyError, StoreUnavailableError } from '../../store/store.ts';
import { S3_ACCOUNT } from '../support/s3-part.ts';
import { FULL, refuse, startScriptedS3, type S3Refusal } from '../support/scripted-s3.ts';
import { startS3Server, type S3Server } from '../support/s3-server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { expectParts } from './expect-parts.ts';

const DAY_MS = 86_400_000;
/** Larger than one part. */
const LARGE_BYTES = 9 * 2 ** 20 + 1;
/** More than a client of AWS has connections, unless it is told of more. */
const SLOW_READERS = 51;
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
/** What a proxy does in place of passing a request on. */
type Fault = 'cut' | S3Refusal;
const SLOW_DOWN: Fault = { status: 503, code: 'SlowDown', message: 'Reduce your rate.' };
const DENIED: Fault = { status: 403, code: 'AccessDenied', message: 'Access Denied.' };
const streamOf = (content: Buffer | string) => Readable.from([Buffer.from(content)]);

/** Starts a proxy of a server; `faultOf` says what goes wrong with a request, if anything does. */
const startFaultyProxy = (
  serverUrl: string,
  faultOf: (request: IncomingMessage) => Fault | undefined,
) =>
  startScriptedS3((from, to) => {
    const fault = faultOf(from);
    if (fault === 'cut') return void from.socket.resetAndDestroy();
    if (fault) return refuse(from, to, fault);
    const { method, url, headers } = from;
    const onward = request(serverUrl, { method, path: url, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
    });
    return void from.pipe(onward);
  });

describe('the data store in a bucket', () => {
  let server: S3Server;
  let packages: Awaited<ReturnType<typeof loadS3Packages>>;
  const sweepFaults: unknown[] = [];
  beforeAll(async () => {
    packages = await loadS3Packages();
    server = await startS3Server();
  }, 1_200_000);
  afterAll(() => server?.stop());

  const open = (
    options: { url?: string; now?: () => number; client?: S3Client; address?: string } = {},
  ) =>
    createS3Store({
      packages,
      address: `s3://${server.bucket}/airline`,
      baseUrl: 'http://127.0.0.1:8080/store/',
      onSweepFailed: (error) => sweepFaults.push(error),
      client: server.clientAt(options.url ?? server.url),
      ...options,
    });
  const content = async (key: string) => {
    const found = await open().get(key);
    return found && text(found.stream);
  };
  const begunUploads = async () =>
    (await server.client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket })))
      .Uploads ?? [];

  it('gives back what was put, with its size, its checksum and a type that no browser runs', async () => {
    const store = open();
    const page = Buffer.from('<script>alert(1)</script>\n');
    const key = 'builds/7/hello_1:2.10-3_amd64.build.log';

    expect(await store.put(key, Readable.from([page]))).toEqual({
      sizeBytes: page.length,
      sha256: sha256(page),
      isKept: true,
    });

    const got = await store.get(key);
    expect(got).toMatchObject({
      sizeBytes: page.length,
      contentType: 'text/plain; charset=utf-8',
    });
    expect(await buffer(got?.stream ?? Readable.from([]))).toEqual(page);
    expect(store.keyOf(store.urlOf(key))).toBe(key);
    expect(store.urlOf(key)).toBe(
      'http://127.0.0.1:8080/store/builds/7/hello_1%3A2.10-3_amd64.build.log',
    );
  });

  it('gives the part of a file that is chosen by its size and version', async () => {
    await expectParts(open());
  });

  it('asks for all of a file without a range: some servers sum up a range that covers it in another way', async () => {
    const client = server.clientAt(server.url);
    const store = open({ client });
    await store.put('part.log', streamOf('0123456789'));
    const ranges: unknown[] = [];
    client.middlewareStack.add(
      (next, { commandName }) =>
        (command) => {
          if (commandName === 'GetObjectCommand')
            ranges.push((command.input as { Range?: string }).Range);
          return next(command);
        },
      { step: 'initialize' },
    );
    for (const start of [0, 1]) {
      const found = await store.get('part.log', { choosePart: () => ({ start, end: 9 }) });
      expect(found?.part).toEqual({ start, end: 9 });
      expect(await text(found?.stream ?? Readable.from([]))).toBe('0123456789'.slice(start));
    }
    expect(ranges).toEqual([undefined, 'bytes=1-9']);
  });

  it('gives no part of a file that was replaced after its part was chosen', async () => {
    const client = server.clientAt(server.url);
    const store = open({ client });
    await store.put('part.log', streamOf('0123456789'));
    // Between the two requests of a part.
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (command) => {
          if (commandName === 'GetObjectCommand') await open().put('part.log', streamOf('x'));
          return next(command);
        },
      { step: 'initialize' },
    );

    const part = store.get('part.log', { choosePart: () => ({ start: 6, end: 7 }) });

    await expect(part).rejects.toThrow(StoreUnavailableError);
  });

  it('takes a large file in parts, and gives it in chunks', async () => {
    const store = open();
    const large = randomBytes(LARGE_BYTES);

    const put = await store.put('large', Readable.from([large.subarray(0, 7), large.subarray(7)]));

    expect(put).toEqual({ sizeBytes: LARGE_BYTES, sha256: sha256(large), isKept: true });
    const reading = await store.read('large');
    expect(reading?.sizeBytes).toBe(LARGE_BYTES);
    const digest = createHash('sha256');
    for await (const chunk of reading?.chunks ?? []) digest.update(chunk);
    expect(digest.digest('hex')).toBe(sha256(large));
  });

  it('replaces a file, and tells a reader who has only seen the earlier one', async () => {
    const store = open();
    await store.put('a.log', streamOf('first'));
    const before = await store.read('a.log');
    await store.put('a.log', streamOf('second'));
    expect(await content('a.log')).toBe('second');
    expect((await store.read('a.log'))?.version).not.toBe(before?.version);
    await expect(before?.chunks.next()).rejects.toThrow(StoreUnavailableError);
  });

  it('serves others while many read a file slowly', async () => {
    const client = createS3Client(packages, {
      endpoint: server.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: S3_ACCOUNT,
    });
    const store = open({ client });
    await store.put('slow', streamOf(randomBytes(LARGE_BYTES)));
    const readers = Array.from({ length: SLOW_READERS }, () => store.get('slow'));
    const slow = await Promise.all(readers);

    expect(await store.put('meanwhile.log', streamOf('x'))).toMatchObject({ isKept: true });

    for (const found of slow) found?.stream.destroy();
    client.destroy();
  });

  it('lists the files of a folder page by page, and removes one', async () => {
    const store = open();
    const keys = Array.from({ length: 1_001 }, (_, index) => `builds/9/${index}.log`);
    for (let first = 0; first < keys.length; first += 50)
      await Promise.all(
        keys.slice(first, first + 50).map((key) => store.put(key, streamOf('a log'))),
      );
    await store.remove('builds/9/7.log');
    await store.remove('builds/9/none.log');

    const listed = [];
    for await (const { key, storedAt } of store.list('builds/9/')) {
      expect(Math.abs(Date.now() - storedAt.getTime())).toBeLessThan(DAY_MS);
      listed.push(key);
    }

    expect(listed.toSorted()).toEqual(keys.filter((key) => key !== 'builds/9/7.log').toSorted());
    expect(await content('builds/9/7.log')).toBeUndefined();
  });

  it('keeps the first of several files, whichever way they come', async () => {
    const key = 'uploads/race/file.dsc';
    let finish = () => {};
    const large = randomBytes(LARGE_BYTES);
    const held = Readable.from(
      (async function* () {
        yield large;
        await new Promise<void>((resolve) => (finish = resolve));
        yield large;
      })(),
    );
    const late = open().put(key, held, { keepsFirst: true });
    await until('its upload has begun', async () => (await begunUploads()).length === 1);
    const put = (text: string) => open().put(key, streamOf(text), { keepsFirst: true });

    expect(await put('first')).toMatchObject({ isKept: true });
    expect(await put('second')).toEqual({
      sizeBytes: 6,
      sha256: sha256(Buffer.from('second')),
      isKept: false,
    });
    finish();

    expect(await late).toMatchObject({ isKept: false, sizeBytes: 2 * LARGE_BYTES });
    expect(await content(key)).toBe('first');
    expect(await begunUploads()).toEqual([]);
  });

  it('shows nothing of a file whose stream fails, and keeps no part of it', async () => {
    const failing = Readable.from(
      (async function* () {
        yield randomBytes(LARGE_BYTES);
        await until('its upload has begun', async () => (await begunUploads()).length === 1);
        throw new Error('the caller has gone');
      })(),
    );
    await expect(open().put('half', failing)).rejects.toThrow('the caller has gone');
    const failingAtOnce = Readable.from(
      (async function* () {
        yield Buffer.from('x');
        await Promise.resolve();
        throw new AirlineError('too_large', 'The file is too large.');
      })(),
    );
    await expect(open().put('half', failingAtOnce)).rejects.toThrow(AirlineError);
    expect(await open().get('half')).toBeUndefined();
    expect(await begunUploads()).toEqual([]);
  });

  it('gives back the space of an upload that a crash has ended, and of none that is not its own', async () => {
    const begin = async (Key: string) => {
      const place = { Bucket: server.bucket, Key };
      const { UploadId } = await server.client.send(new CreateMultipartUploadCommand(place));
      await server.client.send(
        new UploadPartCommand({ ...place, UploadId, PartNumber: 1, Body: Buffer.alloc(1_024) }),
      );
      return { ...place, UploadId };
    };
    const own = await begin('airline/crashed');
    const neighbours = await begin('airline-other/crashed');
    const keys = async () => (await begunUploads()).map(({ Key = '' }) => Key);

    let nowMs = Date.now();
    const store = open({ now: () => nowMs });
    await store.put('today', streamOf('x'));
    expect((await keys()).toSorted()).toEqual([neighbours.Key, own.Key]);

    nowMs += 2 * DAY_MS;
    await store.put('in-two-days', streamOf('x'));
    await until('its upload is gone', async () => !(await keys()).includes(own.Key));
    expect(await keys()).toEqual([neighbours.Key]);
    expect(sweepFaults).toEqual([]);
    await server.client.send(new AbortMultipartUploadCommand(neighbours));
  });

  it('goes on where the server is busy or a connection is cut', async () => {
    const faults: Fault[] = [SLOW_DOWN, 'cut', SLOW_DOWN];
    const between = await startFaultyProxy(server.url, () => faults.shift());
    const large = randomBytes(LARGE_BYTES);

    const put = await open({ url: between.url }).put('through-faults', streamOf(large));

    expect(put.sha256).toBe(sha256(large));
    expect(faults).toEqual([]);
    const stored = await open().get('through-faults');
    expect(sha256(await buffer(stored?.stream ?? Readable.from([])))).toBe(put.sha256);
    between.stop();
  });

  it.each([
    [
      'has no room for the parts of a file',
      FULL,
      'The S3 server has failed: There is no space left.',
    ],
    [
      'cuts each connection that brings a part',
      'cut',
      /^The S3 server has failed: .*(?:ECONNRESET|EPIPE)/,
    ],
  ] as const)('says what is wrong where the server %s', async (_name, fault, message) => {
    const between = await startFaultyProxy(server.url, ({ url }) =>
      url?.includes('partNumber=') ? fault : undefined,
    );
    // More than the parts that are sent at once: the rest is not read any more.
    const chunks = Array.from({ length: 30 }, () => randomBytes(2 ** 20));
    const put = open({ url: between.url }).put('too-much', Readable.from(chunks));

    await expect(put).rejects.toThrow(StoreUnavailableError);
    await expect(put).rejects.toThrow(message);
    expect(await begunUploads()).toEqual([]);
    between.stop();
  });

  it('says that it is unavailable where the server does not answer', async () => {
    const proxy = await startTcpProxy('127.0.0.1', Number(new URL(server.url).port));
    const store = open({ url: `http://127.0.0.1:${proxy.port}` });
    await store.put('before', streamOf('x'));
    proxy.close();
    await expect(store.put('meanwhile', streamOf('x'))).rejects.toThrow(StoreUnavailableError);
    await expect(store.get('before')).rejects.toThrow(StoreUnavailableError);
    await expect(store.read('before')).rejects.toThrow(StoreUnavailableError);
    proxy.open();
    expect(await store.put('meanwhile', streamOf('x'))).toMatchObject({ isKept: true });
    await proxy.stop();
  });

  it('says that it is unavailable where there is no such bucket, and not that the file is missing', async () => {
    const store = open({ address: 's3://artefacts/airline' });
    const askedFor = [
      store.read('builds/8/a.log'),
      store.get('builds/8/a.log'),
      store.get('builds/8/a.log', { choosePart: () => ({ start: 0, end: 1 }) }),
    ];
    const unavailable = {
      name: StoreUnavailableError.name,
      message: expect.stringMatching(/bucket does not exist.*\(HTTP 404\)$/),
    };
    await Promise.all(askedFor.map((answer) => expect(answer).rejects.toMatchObject(unavailable)));
  });

  it('says of an account that the server refuses that it is refused', async () => {
    const between = await startFaultyProxy(server.url, () => DENIED);
    const store = open({ url: between.url });
    await expect(store.read('a.log')).rejects.toThrow('HTTP 403');
    await expect(store.get('a.log')).rejects.toThrow('Access Denied. (HTTP 403)');
    between.stop();
  });

  it('gives nothing for a key that is not there, and takes none that is no plain path', async () => {
    const store = open();
    expect(await store.get('builds/8/none')).toBeUndefined();
    expect(await store.read('builds/8/none')).toBeUndefined();
    const refused = streamOf('x');
    await expect(store.put('../out', refused)).rejects.toThrow(StoreKeyError);
    expect(refused.destroyed).toBe(true);
    await expect(store.get('a//b')).rejects.toThrow(StoreKeyError);
    expect(store.keyOf('http://elsewhere/store/a')).toBeUndefined();
  });
});
