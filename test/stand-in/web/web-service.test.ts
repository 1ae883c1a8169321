import { mkdir, rename, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describeService, ENTRY_TYPES } from '../../../stand-in/web/wadl.ts';
import { openStandIn, type Entry, type OwnStandIn } from '../../support/stand-in.ts';

let standIn: OwnStandIn;
let archive: string;
const NAMES = ['alpha', 'beta', 'beta-tools'];

beforeAll(async () => {
  standIn = await openStandIn();
  archive = standIn.archiveUrl();
  for (const name of NAMES) {
    const source = await standIn.make({ name });
    await standIn.upload(source.files);
    await standIn.publication(source);
  }
});
afterAll(() => standIn.close());

const names = (entries: readonly Entry[]) => entries.map((entry) => entry['source_package_name']);
const sources = (parameters: Record<string, string> = {}) =>
  standIn.entries(archive, 'getPublishedSources', parameters);
const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;

describe('the description', () => {
  it('is sent to a caller that asks for it', async () => {
    const response = await fetch(`${standIn.webUrl}/devel/`, {
      headers: { Accept: 'application/vnd.sun.wadl+xml' },
    });
    expect(response.headers.get('content-type')).toMatch(/^application\/vnd\.sun\.wadl\+xml/);
    expect(await response.text()).toBe(describeService(`${standIn.webUrl}/devel/`));
  });

  it('names the fields that entries have', async () => {
    const [source] = await sources();
    const [build] = await standIn.entries((source as Entry).self_link, 'getBuilds');
    const found: [keyof typeof ENTRY_TYPES, Entry][] = [
      ['source_package_publishing_history', source as Entry],
      ['build', build as Entry],
      ['archive', (await (await fetch(archive)).json()) as Entry],
      ['person', (await (await fetch(`${standIn.webUrl}/devel/~me`)).json()) as Entry],
      ['distribution', (await (await fetch(`${standIn.webUrl}/devel/debian`)).json()) as Entry],
      [
        'distro_series',
        (await (await fetch(`${standIn.webUrl}/devel/debian/bookworm`)).json()) as Entry,
      ],
      [
        'distro_arch_series',
        (await (await fetch(`${standIn.webUrl}/devel/debian/bookworm/amd64`)).json()) as Entry,
      ],
    ];
    for (const [type, entry] of found) {
      expect(Object.keys(entry)).toEqual(
        expect.arrayContaining(Object.keys(ENTRY_TYPES[type].fields)),
      );
      expect(entry['resource_type_link']).toBe(`${standIn.webUrl}/devel/#${type}`);
    }
  });
});

describe('parameters', () => {
  it('are read as JSON and as plain text', async () => {
    expect(names(await sources({ source_name: '"alpha"', exact_match: 'true' }))).toEqual([
      'alpha',
    ]);
    expect(names(await sources({ source_name: 'alpha' }))).toEqual(['alpha']);
    expect(names(await sources({ source_name: 'alpha', version: '1.0' }))).toEqual(['alpha']);
    expect(names(await sources({ source_name: 'alpha', version: '"1.0"' }))).toEqual(['alpha']);
    expect(names(await sources({ source_name: 'null' }))).toHaveLength(3);
  });

  it('match a part of a name unless they are told not to', async () => {
    expect(names(await sources({ source_name: 'beta' }))).toEqual(['beta', 'beta-tools']);
    expect(names(await sources({ source_name: 'beta', exact_match: 'true' }))).toEqual(['beta']);
  });

  it('filter by status, pocket, series, component and date', async () => {
    expect(await sources({ status: 'Deleted' })).toEqual([]);
    expect(await sources({ pocket: 'Proposed' })).toEqual([]);
    const series = (name: string) => `"${standIn.webUrl}/devel/debian/${name}"`;
    expect(await sources({ distro_series: series('trixie') })).toEqual([]);
    expect(await sources({ distro_series: series('bookworm') })).toHaveLength(3);
    expect(await sources({ component_name: 'universe' })).toEqual([]);
    expect(await sources({ created_since_date: '"2020-01-01"' })).toHaveLength(3);
    expect(await sources({ created_since_date: '"2999-01-01"' })).toEqual([]);
  });

  it('order by date', async () => {
    expect(names(await sources({ order_by_date: 'true' }))).toEqual(NAMES.toReversed());
    expect(names(await sources({ order_by_date_ascending: 'true' }))).toEqual(NAMES);
  });

  it.each([
    ['version=1.0', /needs source_name/],
    ['status=Gone', /status: Invalid value "Gone"/],
    ['exact_match=perhaps', /exact_match/],
    ['ws.size=301', /Maximum/],
    ['ws.size=0', /ws.size/],
    ['ws.start=-1', /ws.start/],
    ['created_since_date=yesterday', /created_since_date/],
  ])('that make no sense are a 400 with a reason: %s', async (query, why) => {
    const response = await fetch(`${archive}?ws.op=getPublishedSources&${query}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await response.text()).toMatch(why);
  });
});

describe('a collection', () => {
  it('comes in pages with links to their neighbours', async () => {
    type Page = Record<string, string> & { entries: Entry[] };
    const page = async (url: string) => (await (await fetch(url)).json()) as Page;
    const first = await page(`${archive}?ws.op=getPublishedSources&ws.size=2`);
    expect(names(first.entries)).toEqual(['alpha', 'beta']);
    expect(first).toMatchObject({ start: 0 });
    expect(first).not.toHaveProperty('total_size');
    expect(first).not.toHaveProperty('prev_collection_link');
    expect(await page(first['total_size_link'] as string)).toBe(3);
    const last = await page(first['next_collection_link'] as string);
    expect(names(last.entries)).toEqual(['beta-tools']);
    expect(last).toMatchObject({ start: 2, total_size: 3 });
    expect(last).not.toHaveProperty('next_collection_link');
    const back = await page(last['prev_collection_link'] as string);
    expect(names(back.entries)).toEqual(['alpha', 'beta']);
  });
});

describe('an entry', () => {
  it('has an ETag that changes with it, and 304 for a caller that has it', async () => {
    const [{ self_link }] = (await sources()) as [Entry];
    const response = await fetch(self_link);
    const etag = response.headers.get('etag') as string;
    expect(((await response.json()) as Entry)['http_etag']).toBe(etag);
    expect(etag).toMatch(/^"[0-9a-f]{40}-[0-9a-f]{40}"$/);
    expect(await status(self_link, { headers: { 'If-None-Match': etag } })).toBe(304);
    expect(await status(self_link, { headers: { 'If-None-Match': '"other"' } })).toBe(200);
  });

  it('has a page for people', async () => {
    const [{ web_link }] = (await standIn.entries(archive, 'getBuildRecords')) as [Entry];
    const response = await fetch(web_link as string);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await response.text()).toMatch(/^<dt>buildstate<\/dt><dd>/m);
  });

  it('is found under encoded addresses too', async () => {
    expect(await status(archive.replace('~', '%7E').replace('+', '%2B'))).toBe(200);
  });

  it('exists for every owner and PPA with a fitting name', async () => {
    expect(await status(standIn.archiveUrl('~somebody/+archive/ubuntu/new'))).toBe(200);
    expect(await status(standIn.archiveUrl('~Some body/+archive/ubuntu/new'))).toBe(404);
    expect(await status(standIn.archiveUrl('~somebody/+archive/plan9/new'))).toBe(404);
  });

  it('of a PPA that the script does not name is that of another one of its owner, as at Launchpad', async () => {
    const askedFor = async (path: string) => {
      const response = await fetch(standIn.archiveUrl(path), { redirect: 'manual' });
      return [response.status, response.headers.get('location')];
    };
    const path = '~me/+archive/debian/none';
    standIn.play({ ppas: ['~me/debian/test'] });
    expect(await askedFor(path)).toEqual([404, null]);
    standIn.play({ ppas: ['~me/debian/test', '~me/ubuntu/ppa'] });
    expect(await askedFor(`${path}?ws.op=getPublishedSources`)).toEqual([
      303,
      standIn.archiveUrl('~me/+archive/ubuntu/ppa/debian/none?ws.op=getPublishedSources'),
    ]);
    expect(await askedFor('~me/+archive/debian/test')).toEqual([200, null]);
    expect(await askedFor('~me/+archive/debian/test/+build/999999')).toEqual([404, null]);
    standIn.play({ ppas: ['~me/ubuntu/debian'] });
    expect(await askedFor(`${path}/+build/1`)).toEqual([
      303,
      standIn.archiveUrl('~me/+archive/ubuntu/debian/none/+build/1'),
    ]);
    standIn.play({});
  });

  it('of a hidden PPA tells what is public of it alone', async () => {
    standIn.play({ hiddenPpas: ['~me/debian/test'] });
    const redacted = 'tag:launchpad.net:2008:redacted';
    expect(await (await fetch(archive)).json()).toMatchObject({
      name: 'test',
      private: true,
      status: redacted,
      permit_obsolete_series_uploads: redacted,
    });
    const refused = await fetch(`${archive}?ws.op=getPublishedSources`);
    expect([refused.status, await refused.text()]).toEqual([
      401,
      "(<Archive object>, 'getPublishedSources', 'launchpad.View')",
    ]);
    expect((await standIn.post(archive, 'copyPackage')).status).toBe(401);
    standIn.play({});
  });

  it('is found by name and by reference', async () => {
    const byName = (await standIn.call(`${standIn.webUrl}/devel/~me`, 'getPPAByName', {
      name: '"test"',
      distribution: `"${standIn.webUrl}/devel/debian"`,
    })) as Entry;
    const byReference = await standIn.call(`${standIn.webUrl}/devel/archives`, 'getByReference', {
      reference: '"~me/debian/test"',
    });
    expect(byName).toEqual(byReference);
    expect(byName).toMatchObject({ self_link: archive, reference: '~me/debian/test' });
  });
});

describe('files', () => {
  it('are served under the addresses that the web service gives', async () => {
    const [source] = (await sources()) as [Entry];
    const changes = (await standIn.call(source.self_link, 'changesFileUrl')) as string;
    expect(await (await fetch(changes)).text()).toMatch(/^Source: alpha$/m);
    const files = (await standIn.call(source.self_link, 'sourceFileUrls', {
      include_meta: 'true',
    })) as { url: string; size: number; sha256: string }[];
    expect(files.map(({ url }) => url.split('/').at(-1))).toEqual([
      'alpha_1.0.dsc',
      'alpha_1.0.tar.xz',
    ]);
    // Of a source, Launchpad gives the addresses of its packages alone.
    expect(
      await standIn.call(source.self_link, 'binaryFileUrls', { include_meta: 'true' }),
    ).toEqual([]);
    for (const { url, size } of files)
      expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(size);
  });

  it('are sent whole, whatever the publisher puts in their place meanwhile', async () => {
    const repository = 'apt/me/test/debian/dists/replaced';
    const suite = join(standIn.directory, 'stand-in', repository);
    await mkdir(suite);
    const release = join(suite, 'Release');
    const texts = ['short', 'far longer than the other one'];
    await writeFile(release, texts[0] as string);
    let isRead = false;
    const replace = async () => {
      for (let turn = 0; !isRead; turn += 1) {
        await writeFile(`${release}.new`, texts[turn % texts.length] as string);
        await rename(`${release}.new`, release);
      }
    };
    const read = async () => {
      for (let count = 0; count < 100; count += 1) {
        const answer = await fetch(`${standIn.webUrl}/${repository}/Release`);
        expect(texts).toContain(await answer.text());
      }
    };
    await Promise.all([replace(), read().finally(() => (isRead = true))]);
  });

  it.each([
    '/+librarian/source/1/..%2f..%2fjournal.jsonl',
    '/+librarian/source/1/journal.jsonl',
    '/apt/..%2f..%2fsigning%2fsecret.asc',
    '/apt/me/test/debian/dists/../../../../../signing/secret.asc',
    '/apt/me/test/debian/dists/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/signing/secret.asc',
    '/apt/me/test/debian/generations',
    '/%E0%A4%A',
  ])('that nobody is to see are not served: %s', async (path) => {
    // Not fetch, which would tidy the path up.
    const answer = await new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(standIn.webUrl);
      request({ hostname, port, path }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
    expect([400, 404]).toContain(answer);
  });
});

describe('writing', () => {
  afterEach(() => standIn.play({}));

  it('needs a token that is not empty', async () => {
    const [{ self_link }] = (await standIn.entries(archive, 'getBuildRecords')) as [Entry];
    const body = new URLSearchParams({ 'ws.op': 'cancel' });
    expect(await status(self_link, { method: 'POST', body })).toBe(401);
    expect((await standIn.post(self_link, 'cancel', '')).status).toBe(401);
    expect((await standIn.post(self_link, 'cancel')).status).toBe(200);
  });

  it.each(['cancel', 'retry'])(
    'to %s a build takes the permission to upload',
    async (operation) => {
      const [{ self_link }] = (await standIn.entries(archive, 'getBuildRecords')) as [Entry];
      standIn.play({ people: { me: { tokens: ['of-me'] }, other: { tokens: ['of-other'] } } });
      const other = await standIn.post(self_link, operation, 'of-other');
      expect([other.status, await other.text()]).toEqual([
        401,
        expect.stringMatching(/'launchpad.Edit'/),
      ]);
      expect((await standIn.post(self_link, operation, 'of-me')).status).not.toBe(401);
    },
  );

  it('has no other operations', async () => {
    const [{ self_link }] = (await standIn.entries(archive, 'getBuildRecords')) as [Entry];
    expect((await standIn.post(self_link, 'delete')).status).toBe(400);
    expect((await standIn.post(self_link, 'constructor')).status).toBe(400);
    expect(await status(`${self_link}?ws.op=cancel`)).toBe(400);
    expect(await status(self_link, { method: 'DELETE' })).toBe(405);
  });
});

describe('a scripted outage', () => {
  afterEach(() => standIn.play({}));

  it('answers so many times as the script says', async () => {
    standIn.play({
      web: [{ status: 503, retryAfterS: 900, body: 'Down.', count: 2, match: '+archive' }],
    });
    const response = await fetch(archive);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('900');
    expect(await response.text()).toBe('Down.');
    expect(await status(`${standIn.webUrl}/devel/~me`)).toBe(200);
    expect(await status(archive)).toBe(503);
    expect(await status(archive)).toBe(200);
  });

  it('breaks connections', async () => {
    standIn.play({ web: [{ reset: true, count: 1 }] });
    await expect(fetch(archive)).rejects.toThrow();
    expect(await status(archive)).toBe(200);
  });

  it('does not answer', async () => {
    standIn.play({ web: [{ hang: true, count: 1 }] });
    await expect(fetch(archive, { signal: AbortSignal.timeout(2_000) })).rejects.toThrow();
    expect(await status(archive)).toBe(200);
  });
});
