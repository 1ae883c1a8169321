import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ReadStream } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import { createFileStore } from '../../../store/file.ts';
import type { DataStore } from '../../../store/store.ts';
import {
  beginUpload,
  FULL,
  NO_SUCH_KEY,
  openStoreAt,
  refuse,
  startScriptedS3,
} from '../../support/scripted-s3.ts';
import { makeSigningKey } from '../../support/signing-key.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { serveApi, type Answer, type TestApi } from '../serve.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

const put = async (
  path: string,
  body: Uint8Array | string,
  headers: Record<string, string> = {},
) => {
  const response = await fetch(`${api.url}${path}`, { method: 'PUT', body, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: text ? JSON.parse(text) : undefined,
  };
};
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('the data store over HTTP', () => {
  it('keeps a file under its key and gives it back', async () => {
    const bytes = randomBytes(700_000);
    const stored = await put('/store/uploads/hello_1.0%2Bb1/hello_1.0%2Bb1.tar.gz', bytes);
    expect(stored.status).toBe(201);
    expect(stored.json).toEqual({
      url: `${api.url}/store/uploads/hello_1.0%2Bb1/hello_1.0%2Bb1.tar.gz`,
      size_bytes: 700_000,
      sha256: sha256(bytes),
    });
    const response = await fetch(stored.json.url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '700000',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
    const etag = response.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-z-]+"$/);
    expect(await statusFor(stored.json.url, { 'if-none-match': etag })).toBe(304);
    expect(await statusFor(stored.json.url, { 'if-none-match': '"other"' })).toBe(200);
    const head = await fetch(stored.json.url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe('700000');
    expect(await head.text()).toBe('');
  });

  it('shows what it has had a former address by its present one', async () => {
    const create = async (path: string, fields: object) => {
      const { status, json } = await api.call('POST', `/api/v1/${path}`, fields);
      expect({ path, status, json }).toMatchObject({ status: path === 'build_source' ? 202 : 201 });
      return json;
    };
    const file = '/store/uploads/moved_1/moved_1_source.changes';
    const ticket = await create('ticket/', { owner: 'a@b', title: 't' });
    const subticket = await create('subticket/', {
      ticket: ticket.resource_uri,
      source_package_upload: { sourcepackage: { name: 'moved' }, version: '1' },
    });
    const artifact = await create('subticketartifact/', {
      subticket: subticket.resource_uri,
      name: 'changes',
      reference: `https://former.example${file}`,
      type: 'SPU',
    });
    const build = await create('build_source', {
      ticket_id: ticket.id,
      source_packages: [`https://former.example${file}`],
      series: 'bookworm',
      ppa: 'a/b',
      progress_trigger: 'moved',
    });
    const { json } = await api.call('GET', artifact.resource_uri);
    expect(json.reference).toBe(`${api.url}${file}`);
    expect(build.source_packages).toEqual([`${api.url}${file}`]);
  });

  it('answers anew, under its present address, who has read a row before the store moved', async () => {
    const before = await serveApi({
      databaseUrl: api.databaseUrl,
      sourceUrls: { hosts: [], refusedPorts: [], storeUrl: 'https://former.example/store' },
    });
    try {
      const ticket = await before.call('POST', '/api/v1/ticket/', { owner: 'a@b', title: 't' });
      const made = await before.call('POST', '/api/v1/ticketartifact/', {
        ticket: ticket.json.resource_uri,
        name: 'log',
        reference: 'https://former.example/store/logs/a',
        type: 'LOGS',
      });
      const path = made.json.resource_uri;
      const etag = made.headers.get('etag') ?? '';
      const readAgain = ({ call }: TestApi) =>
        call('GET', path, undefined, { 'if-none-match': etag });

      expect((await readAgain(before)).status).toBe(304);
      expect(await readAgain(api)).toMatchObject({
        status: 200,
        json: { reference: `${api.url}/store/logs/a` },
      });
      const changed = await api.call('PATCH', path, { name: 'it' }, { 'if-match': etag });
      expect(changed.status).toBe(202);
    } finally {
      await before.close();
    }
  });

  it('gives one range of a file, and says of what size it is: 206', async () => {
    const path = '/store/uploads/ranges/file.txt';
    expect((await put(path, '0123456789')).status).toBe(201);
    const whole = await api.call('GET', path);
    expect([...partOf(whole), whole.headers.get('accept-ranges')]).toEqual([
      200,
      null,
      '0123456789',
      'bytes',
    ]);
    const etag = whole.headers.get('etag') ?? '';
    for (const [range, ...expected] of [
      ['bytes=0-3', 206, 'bytes 0-3/10', '0123'],
      ['Bytes=4-', 206, 'bytes 4-9/10', '456789'],
      ['bytes=-3', 206, 'bytes 7-9/10', '789'],
      ['bytes=8-99', 206, 'bytes 8-9/10', '89'],
      ['bytes=-99', 206, 'bytes 0-9/10', '0123456789'],
    ] as const) {
      const answer = await api.call('GET', path, undefined, { range, 'if-range': etag });
      expect([range, ...partOf(answer)]).toEqual([range, ...expected]);
      expect(answer.headers.get('content-length')).toBe(String(expected[2].length));
      expect(answer.headers.get('etag')).toBe(etag);
    }
  });

  it('has no bytes behind the end of a file: 416, unless nothing has changed', async () => {
    const path = '/store/uploads/ranges/short';
    expect((await put(path, '0123456789')).status).toBe(201);
    for (const range of ['bytes=10-', 'bytes=10-12', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])
      expect(await api.call('GET', path, undefined, { range })).toMatchObject({
        status: 416,
        json: { code: 'range_not_satisfiable', error: 'The file has 10 bytes.' },
      });
    const behind = await api.call('GET', path, undefined, { range: 'bytes=10-' });
    expect(behind.headers.get('content-range')).toBe('bytes */10');
    const etag = (await api.call('HEAD', path)).headers.get('etag') ?? '';
    const headers = { range: 'bytes=10-', 'if-none-match': etag };
    expect(await statusFor(`${api.url}${path}`, headers)).toBe(304);
  });

  it('gives nothing of another content than the one that If-Match names: 412', async () => {
    const path = '/store/uploads/ranges/matched';
    expect((await put(path, '0123456789')).status).toBe(201);
    const etag = (await api.call('HEAD', path)).headers.get('etag') ?? '';
    const statusOf = (match: string, range = {}) =>
      statusFor(`${api.url}${path}`, { 'if-match': match, ...range });
    for (const match of ['"other"', `W/${etag}`]) {
      expect(await statusOf(match)).toBe(412);
      expect(await statusOf(match, { range: 'bytes=10-' })).toBe(412);
    }
    for (const match of [etag, `"other", ${etag}`, '*']) {
      expect(await statusOf(match)).toBe(200);
      expect(await statusOf(match, { range: 'bytes=0-1' })).toBe(206);
    }
  });

  it('gives all of a file where a range cannot be meant, or is of another content: 200', async () => {
    const path = '/store/uploads/ranges/whole';
    expect((await put(path, '0123456789')).status).toBe(201);
    const etag = (await api.call('HEAD', path)).headers.get('etag') ?? '';
    for (const headers of [
      { range: 'bytes=0-1,4-5' },
      { range: 'bytes=5-2' },
      { range: 'bytes=-' },
      { range: 'lines=0-1' },
      { range: 'bytes=0-1', 'if-range': '"other"' },
      { range: 'bytes=0-1', 'if-range': `W/${etag}` },
      { range: 'bytes=0-1', 'if-range': new Date().toUTCString() },
    ])
      expect([headers, ...partOf(await api.call('GET', path, undefined, headers))]).toEqual([
        headers,
        200,
        null,
        '0123456789',
      ]);
    const head = await api.call('HEAD', path, undefined, { range: 'bytes=0-1' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
    expect((await put('/store/uploads/ranges/empty', '')).status).toBe(201);
    const empty = await api.call('GET', '/store/uploads/ranges/empty', undefined, {
      range: 'bytes=0-',
    });
    expect(partOf(empty)).toEqual([200, null, '']);
  });

  it('goes on with a text only for whoever has not begun with its compressed form', async () => {
    const path = '/store/uploads/ranges/long.log';
    const log = 'a line of a log\n'.repeat(1_000);
    expect((await put(path, log)).status).toBe(201);
    const etag = (await api.call('HEAD', path)).headers.get('etag') ?? '';
    const goOn = (coding: string, headers: Record<string, string>) =>
      api.call('GET', path, undefined, {
        'accept-encoding': coding,
        range: 'bytes=15995-',
        ...headers,
      });
    const end = [206, 'bytes 15995-15999/16000', ' log\n'];
    expect(partOf(await goOn('gzip', { 'if-range': etag }))).toEqual([200, null, log]);
    expect(partOf(await goOn('identity', { 'if-range': etag }))).toEqual(end);
    expect(partOf(await goOn('gzip', {}))).toEqual(end);
    // fetch adds a coding of its own to a range.
    const either = { 'accept-encoding': 'identity, gzip', range: 'bytes=15995-', 'if-range': etag };
    expect(await statusFor(`${api.url}${path}`, either)).toBe(200);
  });

  it('takes the same content again and refuses other content: 200, 409', async () => {
    const path = '/store/uploads/once/file.dsc';
    expect((await put(path, 'one')).status).toBe(201);
    expect((await put(path, 'one')).status).toBe(200);
    expect(await put(path, 'two')).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect(await (await fetch(`${api.url}${path}`)).text()).toBe('one');
  });

  it('takes no part of a file for the whole: 400, and the whole one has its key still', async () => {
    const path = '/store/uploads/resumed/file.tar.xz';
    for (const range of ['bytes 3-5/6', 'bytes 0-2/6', 'bytes 0-2/*', 'lines 0-2/3'])
      expect(await put(path, 'two', { 'content-range': range })).toMatchObject({
        status: 400,
        json: { code: 'invalid_field', error: expect.stringContaining('without Content-Range') },
      });
    expect((await fetch(`${api.url}${path}`)).status).toBe(404);
    // `curl -C - -T FILE` sends all of it, and says so.
    expect((await put(path, 'onetwo', { 'content-range': 'bytes 0-5/6' })).status).toBe(201);
  });

  it('takes no file for its encoded form: 415, and the file has its key still', async () => {
    const path = '/store/uploads/encoded/file.changes';
    const gzipped = gzipSync('one');
    for (const coding of ['gzip', 'identity, gzip'])
      expect(await put(path, gzipped, { 'content-encoding': coding })).toMatchObject({
        status: 415,
        json: { code: 'unsupported_media_type' },
      });
    expect((await fetch(`${api.url}${path}`)).status).toBe(404);
    expect((await put(path, 'one', { 'content-encoding': 'Identity' })).status).toBe(201);
  });

  it('stores anew what comes again after long: the sweep of old files goes by that time', async () => {
    const directory = temporaryDirectory();
    const store = createFileStore({ directory, baseUrl: 'http://127.0.0.1/store' });
    const own = await serveApi({ store });
    try {
      const url = `${own.url}/store/uploads/again/file.dsc`;
      const send = async (body: string) => (await fetch(url, { method: 'PUT', body })).status;
      const times = async () => {
        const found = [];
        for await (const { storedAt } of store.list('uploads/again/')) found.push(storedAt);
        return found;
      };
      expect(await send('one')).toBe(201);
      const [first] = await times();
      expect(await send('one')).toBe(200);
      expect(await times()).toEqual([first]);

      const longAgo = new Date(Date.now() - 30 * 86_400_000);
      await utimes(join(directory, 'uploads/again%/file.dsc'), longAgo, longAgo);
      expect(await send('one')).toBe(200);
      const [renewed] = await times();
      expect(renewed?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? Infinity);
      expect(await (await fetch(url)).text()).toBe('one');
    } finally {
      await own.close();
    }
  });

  it('reads what it has only once as much was sent: not for an empty body, nor for one that is cut', async () => {
    const store = createFileStore({
      directory: temporaryDirectory(),
      baseUrl: 'http://127.0.0.1/store',
    });
    const opened: Readable[] = [];
    const get: DataStore['get'] = async (key) => {
      const file = await store.get(key);
      if (file) opened.push(file.stream);
      return file;
    };
    const bytesRead = () =>
      opened.reduce((sum, stream) => sum + (stream as ReadStream).bytesRead, 0);
    const own = await serveApi({ store: { ...store, get } });
    try {
      const url = `${own.url}/store/uploads/read/file`;
      const file = randomBytes(900_000);
      const send = async (body: Uint8Array | string) =>
        (await fetch(url, { method: 'PUT', body })).status;
      expect(await send(file)).toBe(201);
      expect(await send('')).toBe(409);
      expect(bytesRead()).toBe(0);

      const before = opened.length;
      const headers = { 'content-length': file.length };
      const cut = requestHttp(url, { method: 'PUT', headers, agent: false });
      cut.once('error', () => undefined);
      cut.write(file.subarray(0, 1_000));
      await until('the request has come', async () => opened.length > before);
      cut.destroy();
      expect(await send(file)).toBe(200);
      expect(bytesRead()).toBe(file.length);
    } finally {
      await own.close();
    }
  });

  it('keeps the connection of whoever sends a file again while it is compared', async () => {
    const store = createFileStore({
      directory: temporaryDirectory(),
      baseUrl: 'http://127.0.0.1/store',
    });
    let looks = 0;
    const get: DataStore['get'] = async (key) => {
      looks += 1;
      if (looks === 3) await closedForSilence(own.url);
      return store.get(key);
    };
    const own = await serveApi({ store: { ...store, get }, idleMs: 3_000 });
    try {
      const send = async () =>
        (await fetch(`${own.url}/store/uploads/slow/file`, { method: 'PUT', body: 'one' })).status;
      expect(await send()).toBe(201);
      expect(await send()).toBe(200);
      expect(looks).toBe(3);
    } finally {
      await own.close();
    }
  });

  it.each([
    ['small', 9],
    // More than the kernel holds.
    ['large', 30_000_000],
  ])(
    'keeps the connection of whoever sends a %s file that the store takes slowly',
    async (_, bytes) => {
      const kept = createFileStore({ directory: temporaryDirectory(), baseUrl: 'http://a/store' });
      const late = async (key: string) => {
        if (key === 'uploads/slow/file') await closedForSilence(own.url);
      };
      const own = await serveApi({
        store: {
          ...kept,
          get: (key, ...given) => late(key).then(() => kept.get(key, ...given)),
          put: (key, ...given) => late(key).then(() => kept.put(key, ...given)),
        },
        idleMs: 3_000,
        limits: { storeMaxBytes: 30_000_000 },
      });
      try {
        const url = `${own.url}/store/uploads/slow/file`;
        const stored = await fetch(url, { method: 'PUT', body: randomBytes(bytes) });
        expect(stored.status).toBe(201);
        const silent = requestHttp(`${url}2`, { method: 'PUT', headers: { 'content-length': 9 } });
        silent.flushHeaders();
        await expect(once(silent, 'response')).rejects.toThrow('socket hang up');
      } finally {
        await own.close();
      }
    },
  );

  it('takes a key whose slashes are encoded, as generated clients do', async () => {
    expect((await put('/store/uploads%2Fencoded%2Ffile.dsc', 'one')).status).toBe(201);
    for (const path of ['/store/uploads/encoded/file.dsc', '/store/uploads%2Fencoded%2Ffile.dsc'])
      expect(await (await fetch(`${api.url}${path}`)).text()).toBe('one');
  });

  it('keeps one content when several come at once', async () => {
    const path = '/store/uploads/race/file.dsc';
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) => put(path, text.repeat(9_000))),
    );
    const codes = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(codes).toEqual([201, 409, 409, 409]);
    const kept = await (await fetch(`${api.url}${path}`)).text();
    expect(answers.findIndex(({ status }) => status === 201)).toBe('abcd'.indexOf(kept[0] ?? '-'));
  });

  it('refuses what is too large, said before or found out on the way', async () => {
    const path = '/store/uploads/large/file';
    expect(await put(path, randomBytes(1_000_001))).toMatchObject({
      status: 413,
      json: { code: 'too_large' },
    });
    expect(await putChunked(path, 5, 300_000)).toMatchObject({
      status: 413,
      json: { code: 'too_large' },
    });
    expect((await fetch(`${api.url}${path}`)).status).toBe(404);
    expect((await put(path, 'small')).status).toBe(201);
  });

  it('keeps nothing of an upload that was cut', async () => {
    const path = '/store/uploads/cut/file';
    await expect(putChunked(path, 1, 1_000, true)).rejects.toThrow();
    expect((await fetch(`${api.url}${path}`)).status).toBe(404);
    await until('the cut upload has been given up', async () => {
      const { status } = await put(path, 'whole');
      if (status !== 409) expect(status).toBe(201);
      return status === 201;
    });
  });

  it.each([
    '/store/builds/1/hello.log',
    '/store/uploads/',
    '/store/uploads/..%2f..%2fetc/passwd',
    '/store/uploads/%2e%2e%5cx',
    '/store/uploads/a%00b',
    '/store/uploads/%zz',
    '/store/.incoming/x',
  ])('takes no file under %s', async (path) => {
    expect(await put(path, 'x')).toMatchObject({ status: 400, json: { code: 'invalid_field' } });
  });

  it.each([
    '/store/uploads/none',
    '/store/uploads',
    '/store/%2e%2e%2fsecret',
    '/store/.incoming/x',
    '/store/%zz',
  ])('has nothing under %s', async (path) => {
    expect((await fetch(`${api.url}${path}`)).status).toBe(404);
  });
});

describe('a .changes of the data store over HTTP, where tokens are needed', () => {
  const CHANGES = 'Format: 1.8\nSource: hello\nMaintainer: Zoë <zoe@example.org>\n';
  const directory = temporaryDirectory();
  const store = createFileStore({ directory, baseUrl: 'http://127.0.0.1/store' });
  let own: TestApi;
  let authorization: string;
  let signed: string;
  beforeAll(async () => {
    const limits = { storeMaxBytes: 2_000_000 };
    own = await serveApi({ store, authentication: 'token', limits });
    const { text: token } = await own.database.AccessToken.issue(
      { name: 'ann', scopes: ['read', 'ticket:write'] },
      { defaultMs: 3_600_000, maxMs: 3_600_000 },
      { actor: 'test' },
    );
    authorization = `Bearer ${token}`;
    signed = await (await makeSigningKey()).clearSign(CHANGES);
  });
  afterAll(() => own.close());
  const send = async (key: string, body: string) => {
    const headers = { authorization };
    return (await fetch(`${own.url}/store/${key}`, { method: 'PUT', headers, body })).status;
  };
  const read = async (key: string, method = 'GET') => {
    const headers = { 'accept-encoding': 'identity', authorization };
    const response = await fetch(`${own.url}/store/${key}`, { method, headers });
    const length = Number(response.headers.get('content-length'));
    return { status: response.status, length, body: await response.text(), response };
  };

  it('comes without its signature, which stays for the worker', async () => {
    const key = 'uploads/signed/hello_1_source.changes';
    expect(await send(key, signed)).toBe(201);
    const length = Buffer.byteLength(CHANGES);
    const { response, ...answer } = await read(key);
    expect(answer).toEqual({ status: 200, length, body: CHANGES });
    expect(await read(key, 'HEAD')).toMatchObject({ status: 200, length, body: '' });
    const etag = response.headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag, authorization };
    expect(await statusFor(`${own.url}/store/${key}`, headers)).toBe(304);
    expect(await text((await store.get(key))?.stream ?? Readable.from([]))).toBe(signed);
  });

  it('has no signature either where it calls itself a .buildinfo', async () => {
    const key = 'builds/7/signed/x/hello_1_source.buildinfo';
    await store.put(key, Readable.from([signed]));
    expect(await read(key)).toMatchObject({ status: 200, body: CHANGES });
  });

  it('comes as it was stored where none are', async () => {
    const open = await serveApi({ store });
    try {
      const key = 'uploads/open/hello_1_source.changes';
      expect(await send(key, signed)).toBe(201);
      expect((await open.call('GET', `/store/${key}`)).text).toBe(signed);
    } finally {
      await open.close();
    }
  });

  it('comes as a whole where a part is asked for', async () => {
    const key = 'uploads/part/hello_1_source.changes';
    expect(await send(key, signed)).toBe(201);
    const headers = { authorization, range: 'bytes=0-9' };
    const response = await fetch(`${own.url}/store/${key}`, { headers });
    expect([response.status, await response.text()]).toEqual([200, CHANGES]);
    expect(response.headers.has('accept-ranges')).toBe(false);
  });

  it('is the same that was stored only with its signature', async () => {
    const key = 'uploads/again/hello_1_source.changes';
    expect(await send(key, signed)).toBe(201);
    expect(await send(key, signed)).toBe(200);
    expect(await send(key, CHANGES)).toBe(409);
  });

  it('comes as it was stored where it is not signed', async () => {
    const key = 'uploads/unsigned/hello_1_source.changes';
    const mentions = `${CHANGES}Changes:\n -----BEGIN PGP MESSAGE----- is read.\n`;
    expect(await send(key, mentions)).toBe(201);
    expect(await read(key)).toMatchObject({ status: 200, body: mentions });
  });

  it.each<[string, (whole: string) => string]>([
    ['a signature that is not whole', (whole) => whole.replace(/-----END PGP SIGNATURE-----/, '')],
    ['something before its signed message', (whole) => `\n${whole}`],
    ['more bytes than a build would read', (whole) => whole + ' '.repeat(1_048_576)],
  ])('is shown to nobody with %s', async (_, change) => {
    const body = change(signed);
    const key = `uploads/odd/${sha256(Buffer.from(body))}_source.changes`;
    expect(await send(key, body)).toBe(201);
    expect(await read(key)).toMatchObject({
      status: 404,
      body: expect.stringContaining('without its signature'),
    });
  });
});

describe('a bucket that is full', () => {
  const LARGE_BYTES = 20 * 2 ** 20;

  it.each([
    ['small', 8],
    ['large', LARGE_BYTES],
  ])('takes a %s file later: 503, and when', async (name, bytes) => {
    const server = await startScriptedS3((request, answer) => {
      if (request.method === 'POST') beginUpload(request, answer);
      else refuse(request, answer, request.method === 'PUT' ? FULL : NO_SUCH_KEY);
    });
    const { store, close } = await openStoreAt(server.url, { maxAttempts: 1 });
    const own = await serveApi({ store, limits: { storeMaxBytes: LARGE_BYTES } });

    const url = `${own.url}/store/uploads/full/${name}`;
    const refused = await fetch(url, { method: 'PUT', body: randomBytes(bytes) });

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ code: 'store_unavailable' });
    await own.close();
    close();
    server.stop();
  });
});

describe('a data store of which two files are taken and read at once', () => {
  const limits = { storeWrites: 2, storeReads: 2 };
  const store = () =>
    createFileStore({ directory: temporaryDirectory(), baseUrl: 'http://127.0.0.1/store' });

  it('takes no third while two come in, and takes it once one of them is there', async () => {
    const kept = store();
    let begun = 0;
    const putCounted: DataStore['put'] = (...given) => {
      begun += 1;
      return kept.put(...given);
    };
    const own = await serveApi({ store: { ...kept, put: putCounted }, limits });
    try {
      const headers = { 'content-length': 2 };
      const senders = ['one', 'two'].map((name) => {
        const url = `${own.url}/store/uploads/${name}/file`;
        return requestHttp(url, { method: 'PUT', headers, agent: false });
      });
      for (const sender of senders) sender.write('a');
      await until('two come in', () => begun === 2);
      const url = `${own.url}/store/uploads/three/file`;
      const third = () => fetch(url, { method: 'PUT', body: 'three' });

      const refused = await third();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await refused.json()).toMatchObject({
        code: 'overloaded',
        error: 'Files being stored: 2, as many as there may be at once.',
      });
      expect(begun).toBe(2);
      for (const sender of senders) {
        sender.end('b');
        const [answer] = (await once(sender, 'response')) as [IncomingMessage];
        expect(answer.resume().statusCode).toBe(201);
      }
      expect((await third()).status).toBe(201);
    } finally {
      await own.close();
    }
  });

  it('has no third read while two are, and has room again when their readers have gone', async () => {
    const opened: Readable[] = [];
    /** Files whose end never comes. */
    const get: DataStore['get'] = async () => {
      const stream = new Readable({ read: () => undefined });
      opened.push(stream);
      const [contentType, storedAt] = ['application/octet-stream', new Date(0)];
      return { stream, sizeBytes: 9, contentType, storedAt, version: '1' };
    };
    const own = await serveApi({ store: { ...store(), get }, limits });
    try {
      const read = () => own.call('HEAD', '/store/uploads/a/file');
      expect((await read()).status).toBe(200);
      // The second waits on the same connection for the answer to the first.
      const reader = connect(Number(new URL(own.url).port), '127.0.0.1').resume();
      reader.write('GET /store/uploads/a/file HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(2));
      await until('two are read', () => opened.length === 3);

      const refused = await read();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      reader.destroy();
      await until('both are closed', () => opened.every(({ destroyed }) => destroyed));
      await until('there is room', async () => (await read()).status === 200);
    } finally {
      await own.close();
    }
  });

  it('has room again when whoever sent a broken chunk was refused', async () => {
    const own = await serveApi({ store: store(), limits: { storeWrites: 1 } });
    try {
      const sender = sending(own, 'Transfer-Encoding: chunked\r\n\r\nzz\r\n');
      expect(await text(sender)).toMatch(/^HTTP\/1\.1 400 /);
      await until('there is room', async () => (await sent(own)) === 201);
    } finally {
      await own.close();
    }
  });

  it('has room again when a sender has gone while the store is asked for the key', async () => {
    const kept = store();
    const lines: string[] = [];
    let sender: Socket | undefined;
    const get: DataStore['get'] = async (key) => {
      sender?.destroy();
      await until('that is known', () => lines.some((line) => line.includes('"cut":true')));
      return kept.get(key);
    };
    const own = await serveApi({
      store: { ...kept, get },
      limits: { storeWrites: 1 },
      logger: pino({}, { write: (line: string) => void lines.push(line) }),
    });
    try {
      sender = sending(own, 'Content-Length: 9\r\n\r\na');
      await until('it has gone', () => lines.length > 0);
      await until('there is room', async () => (await sent(own)) === 201);
    } finally {
      await own.close();
    }
  });
});

/** Begins to send a file: the rest of its head, and what comes after that. */
function sending({ url }: TestApi, rest: string): Socket {
  const sender = connect(Number(new URL(url).port), '127.0.0.1');
  sender.write(`PUT /store/uploads/begun/file HTTP/1.1\r\nHost: 127.0.0.1\r\n${rest}`);
  return sender;
}

/** The status of a whole file that is sent. */
async function sent({ url }: TestApi): Promise<number> {
  return (await fetch(`${url}/store/uploads/whole/file`, { method: 'PUT', body: 'a' })).status;
}

/** What an answer has of a file: its status, which bytes it says that they are, and they. */
function partOf({ status, headers, text: bytes }: Answer) {
  return [status, headers.get('content-range'), bytes];
}

/** Resolves when the API has closed a new connection over which nothing came. */
async function closedForSilence(url: string): Promise<void> {
  const silent = connect(Number(new URL(url).port), '127.0.0.1').resume();
  await once(silent, 'close');
}

/** PUTs chunks without saying how many bytes will come; `cut` ends the connection in the middle. */
function putChunked(path: string, chunks: number, chunkBytes: number, cut = false) {
  return new Promise<{ status: number; json: unknown }>((resolve, reject) => {
    const request = requestHttp(`${api.url}${path}`, { method: 'PUT', agent: false });
    request.once('error', reject);
    request.once('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) }),
      );
    });
    for (let index = 0; index < chunks; index++) request.write(randomBytes(chunkBytes));
    if (cut) setImmediate(() => request.destroy(new Error('cut')));
    else request.end();
  });
}

/** A GET without what fetch adds: it asks for no cached answer as soon as a caller names one. */
function statusFor(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    requestHttp(url, { headers, agent: false })
      .once('response', (response) => resolve(response.resume().statusCode ?? 0))
      .once('error', reject)
      .end();
  });
}
