import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { useApi } from '../serve.ts';

const PAGES = [
  '/',
  '/tickets',
  '/tickets/',
  '/tickets?step=200&q=hello',
  '/ticket/1',
  '/build/42',
  '/builds',
  '/landings',
  '/pool',
  '/packages',
  '/package/hello',
  '/package/g%2B%2B-12',
  '/status',
  '/workers',
  '/help',
  '/history',
  '/sign-in',
];
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const INDEX = '<!doctype html><script type="module" src="/assets/main-4F2K.js"></script>';
const SCRIPT = 'document.title = "Airline";'.repeat(50);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'airline-web-'));
  const assets = join(directory, 'web', 'assets');
  await mkdir(assets, { recursive: true });
  await writeFile(join(directory, 'web', 'index.html'), INDEX);
  await writeFile(join(directory, 'secret.js'), 'secret');
  await writeFile(join(directory, 'web', 'secret.js'), 'secret');
  await writeFile(join(assets, 'main-4F2K.js'), SCRIPT);
  await writeFile(join(assets, 'main-4F2K.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(assets, 'main-4F2K.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(assets, 'style-8AAA.css'), 'body{}');
  await writeFile(join(assets, '.hidden.js'), 'secret');
  await writeFile(join(directory, 'web', 'airline.mjs'), '#!/usr/bin/env node\n');
  await mkdir(join(directory, 'web', 'help'));
  await writeFile(join(directory, 'web', 'help', 'tutorial.md'), '# Tutorial\n');
  await writeFile(join(assets, 'notes'), 'secret');
  await symlink(join(directory, 'nowhere'), join(assets, 'broken.js'));
});
afterAll(() => rm(directory, { recursive: true }));

describe.each(['off', 'token'] as const)('the web UI with AIRLINE_AUTH=%s', (authentication) => {
  const api = useApi({
    authentication,
    get webDirectory() {
      return join(directory, 'web');
    },
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    api.now.call('GET', path, undefined, { 'accept-encoding': 'identity', ...headers });

  it('gives the documentation to whoever reads', async () => {
    const { status, headers, text } = await get('/help/tutorial.md');
    expect({ status, text }).toEqual({ status: 200, text: '# Tutorial\n' });
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    for (const name of ['none.md', '..%2Fsecret.js', '.md'])
      expect((await get(`/help/${name}`)).status).toBe(404);
  });

  it('gives the command to whoever has no clone', async () => {
    const { status, headers, text } = await get('/airline.mjs');
    expect({ status, text }).toEqual({ status: 200, text: '#!/usr/bin/env node\n' });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-disposition': 'attachment; filename="airline.mjs"',
    });
  });

  it.each(PAGES)(
    'answers %s with its page, under a policy that lets nothing else in',
    async (path) => {
      const { status, headers, text } = await get(path);
      expect({ status, text }).toEqual({ status: 200, text: INDEX });
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
        vary: 'Accept, Accept-Encoding',
      });
    },
  );

  it('sends a page again only when it has changed', async () => {
    const { headers } = await get('/');
    const again = await get('/tickets', { 'if-none-match': headers.get('etag') ?? '' });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.get('content-security-policy')).toBe(POLICY);
  });

  it('keeps its files for good, and sends them compressed to clients that take that', async () => {
    const plain = await get('/assets/main-4F2K.js');
    expect(plain).toMatchObject({ status: 200, text: SCRIPT });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const etags = new Set([plain.headers.get('etag')]);
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip, br;q=0', 'gzip'],
    ] as const) {
      const compressed = await get('/assets/main-4F2K.js', { 'accept-encoding': accepted });
      expect(compressed.headers.get('content-encoding')).toBe(encoding);
      expect(compressed.text).toBe(SCRIPT);
      etags.add(compressed.headers.get('etag'));
    }
    expect(etags.size).toBe(3);
    const style = await get('/assets/style-8AAA.css', { 'accept-encoding': 'gzip' });
    expect(style.headers.get('content-encoding')).toBeNull();
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  it('loads a page of another version again by its first script, which is not here', async () => {
    const { status, headers, text } = await get('/assets/load-again-OTHER7.js');
    expect({ status, text }).toEqual({
      status: 200,
      text: 'setTimeout(() => location.reload(), 2000);\n',
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-store',
    });
  });

  it.each([
    'nothing.js',
    'load-again-.js',
    '.hidden.js',
    'notes',
    'broken.js',
    'main-4F2K.js.br',
    'main-4F2K.js.gz',
    '..%2Fsecret.js',
    '..%2F..%2Fsecret.js',
    '%2e%2e%2fsecret.js',
    '..%5Csecret.js',
    'main-4F2K.js%00',
    '%E0%A4%A',
    `${'a'.repeat(5_000)}.js`,
  ])('has no file %s', async (name) => {
    const answer = await get(`/assets/${name}`);
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({ code: 'not_found' });
    expect(answer.headers.get('cache-control')).toBeNull();
  });

  it('leaves other addresses to the API', async () => {
    for (const path of ['/ticket/x', '/nothing', '/assets', '/index.html'])
      expect((await get(path)).status).toBe(404);
    expect((await get('/nothing')).json).toMatchObject({ code: 'not_found' });
    expect((await api.now.call('POST', '/tickets', {})).status).toBe(405);
    expect((await get('/docs/')).text).toContain('swagger');
  });
});

describe('an address that is no page', () => {
  const api = useApi({
    get webDirectory() {
      return join(directory, 'web');
    },
  });
  /** What Chromium sends for an address that is typed in. */
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it.each(['/nope', '/ticket', '/ticket/abc', '/ticket/1.5', '/Tickets', '/build'])(
    'is told of at %s on a page to a browser, and as JSON to a program',
    async (path) => {
      const page = await api.now.call('GET', path, undefined, { accept });
      expect([page.status, page.text]).toEqual([404, INDEX]);
      expect(page.headers.get('content-security-policy')).toBe(POLICY);
      for (const other of ['*/*', 'application/json'])
        expect((await api.now.call('GET', path, undefined, { accept: other })).json).toMatchObject({
          code: 'not_found',
        });
      expect((await api.now.call('POST', path, {}, { accept })).json.code).toBe('not_found');
    },
  );

  it.each(['/api/v1/nope', '/api/v1/ticket/999/', '/assets/nope.js', '/store/nope', '/docs/nope'])(
    'is told of at %s as an error, whoever asks',
    async (path) => {
      const answer = await api.now.call('GET', path, undefined, { accept });
      expect([answer.status, answer.text === INDEX]).toEqual([404, false]);
    },
  );
});

describe('a web UI that was not built', () => {
  const api = useApi({ webDirectory: '/nowhere/at/all' });

  it.each(PAGES)('is a page at %s that says how to build it', async (path) => {
    const { status, headers, text } = await api.now.call('GET', path);
    expect(status).toBe(404);
    expect(text).toContain('npm run build:clients');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(POLICY);
  });

  it('leaves the API as it is', async () => {
    expect((await api.now.call('GET', '/api/v1/ticket/')).status).toBe(200);
    expect((await api.now.call('GET', '/assets/start.js')).status).toBe(404);
  });
});
