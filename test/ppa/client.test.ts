import pino from 'pino';
import { createPpaClient, type PpaClient } from '../../ppa/client.ts';
import { PpaAnswerError, PpaUnavailableError } from '../../ppa/web-service.ts';
import { startFileServer, type FileServer } from '../activities/file-server.ts';
import { openStandIn, type OwnStandIn } from '../support/stand-in.ts';
import { until } from '../support/until.ts';

const logger = pino({ level: 'silent' });
const PPA = { owner: 'me', distribution: 'debian', name: 'test' };
const CREDENTIALS = { consumerKey: 'test', accessToken: 'a-token', accessSecret: 'secret' };

describe('the PPA client, against the Launchpad stand-in', () => {
  let standIn: OwnStandIn;
  beforeEach(async () => {
    standIn = await openStandIn();
  });
  afterEach(() => standIn.close());
  const client = (timeoutMs = 5_000) =>
    createPpaClient({ rootUrl: standIn.webUrl, credentials: CREDENTIALS, timeoutMs, logger });

  it('finds a source by its exact name and version, its builds and its files', async () => {
    standIn.play({
      sources: { '*': { builds: { '*': [{ state: 'Successfully built', log: 'done\n' }] } } },
    });
    const source = await standIn.make({ name: 'hello', version: '1.0' });
    const longer = await standIn.make({ name: 'hello-more', version: '1.0' });
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    await standIn.upload(longer.files, '~me/debian/test/bookworm');
    await standIn.publication(longer);
    await standIn.publication(source);

    const publications = await client().getPublishedSources(PPA, {
      source: 'hello',
      version: '1.0',
    });

    expect(publications).toMatchObject([
      { source_package_name: 'hello', source_package_version: '1.0' },
    ]);
    const link = publications[0]?.self_link ?? '';
    expect(publications[0]?.distro_series_link).toMatch(/\/debian\/bookworm$/);
    const [build] = await until('the build', async () => {
      const builds = await client().getBuilds(link);
      return builds[0]?.buildstate === 'Successfully built' && builds;
    });
    expect(build).toMatchObject({ arch_tag: 'amd64', source_package_name: 'hello' });
    expect(await client().getBuild(build?.self_link ?? '')).toEqual(build);
    const files = await client().sourceFileUrls(link);
    expect(new Set(files.map(({ url }) => url.split('/').at(-1)))).toEqual(
      new Set(['hello_1.0.dsc', 'hello_1.0.tar.xz']),
    );
    expect(files.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true);
  });

  it.each([
    ['nothing else', '~me/debian/other'],
    ['the PPA `ppa`, which Launchpad redirects to', '~me/ubuntu/ppa'],
    ['a PPA named as the distribution, which Launchpad redirects to', '~me/ubuntu/debian'],
  ])('finds nothing in a PPA that does not exist where its owner has %s', async (_what, other) => {
    const ppa = { ...PPA, name: 'none' };
    const source = { source: 'hello', version: '1.0' };
    standIn.play({ ppas: [other, '~me/debian/test'] });

    expect(await client().getArchive(ppa)).toBeUndefined();
    expect(await client().getPublishedSources(ppa, source)).toEqual([]);
    expect(await client().getLiveSources(ppa, 'bookworm', 'hello')).toEqual([]);
    expect(await client().getSourcesSince(ppa, new Date(0))).toEqual([]);
    expect(await client().getBuildRecords(ppa, 'Needs building')).toEqual([]);
    expect(await client().listSources(ppa, 'Published')).toEqual([]);
    const place = { ...source, archive: ppa, series: 'bookworm', pocket: 'Release' as const };
    expect(await client().publishedSource(place)).toBeUndefined();
    expect(await client().copyPackage(place, PPA)).toEqual({ said: expect.stringMatching(/./) });
  });

  it('sees no PPA of which it is told no more than the name', async () => {
    standIn.play({ hiddenPpas: ['~me/debian/test'] });

    expect(await client().getArchive(PPA)).toBeUndefined();
    const asked = client().getPublishedSources(PPA, { source: 'hello', version: '1.0' });
    await expect(asked).rejects.toMatchObject({ name: 'PpaAnswerError', status: 401 });
  });

  it('finds all versions of a source, in whatever series and status; the latest first, where only they are wanted', async () => {
    for (const [version, series] of [
      ['1.0', 'trixie'],
      ['1.1', 'bookworm'],
    ] as const) {
      const source = await standIn.make({ name: 'hello', version });
      await standIn.upload(source.files, `~me/debian/test/${series}`);
      const { self_link: link } = await standIn.publication(source);
      if (version === '1.0') await standIn.post(link, 'requestDeletion');
    }
    const shown = (all: Awaited<ReturnType<PpaClient['getSourceHistory']>>) =>
      all.map(({ source_package_version: version, distro_series_link: link }) =>
        [version, link.split('/').at(-1)].join(' '),
      );

    const history = await client().getSourceHistory(PPA, 'hello');
    expect(shown(history).toSorted()).toEqual(['1.0 trixie', '1.1 bookworm']);
    expect(history.find((one) => one.source_package_version === '1.0')?.status).toBe('Deleted');
    expect(shown(await client().getLatestSources(PPA, 'hello'))).toEqual([
      '1.1 bookworm',
      '1.0 trixie',
    ]);
    expect(await client().getLatestSources({ distribution: 'debian' }, 'hello')).toEqual([]);
    expect(await client().getSourceHistory({ ...PPA, name: 'other' }, 'hello')).toEqual([]);
  });

  it('cancels a build, with credentials only', async () => {
    standIn.play({ sources: { '*': { builds: { '*': [{ state: 'Currently building' }] } } } });
    const source = await standIn.make();
    await standIn.upload(source.files, '~me/debian/test/bookworm');
    const build = await standIn.buildIn(await standIn.publication(source), 'Currently building');

    const anonymous = createPpaClient({ rootUrl: standIn.webUrl, timeoutMs: 60_000, logger });
    await expect(anonymous.cancel(build.self_link)).rejects.toMatchObject({
      name: 'PpaAnswerError',
      status: 401,
    });
    await client().cancel(build.self_link);

    await standIn.buildIn(await standIn.publication(source), 'Cancelled build');
  });

  it.each([
    ['an answer of 503 with Retry-After', { status: 503, retryAfterS: 7 }, 7_000],
    ['a longer Retry-After than a build can wait for', { status: 503, retryAfterS: 900 }, 120_000],
    ['an answer of 502', { status: 502 }, undefined],
    ['a connection that breaks', { reset: true as const }, undefined],
    ['no answer within the time-out', { hang: true as const }, undefined],
    ['JSON that is cut', { truncateAfterBytes: 10 }, undefined],
    ['a page of HTML', { status: 200, body: '<html>' }, undefined],
    ['a body that breaks off', { cutAfterBytes: 10 }, undefined],
    ['a body that comes too slowly', { bytesPerS: 20 }, undefined],
  ])('may succeed later after %s', async (_what, fault, retryAfterMs) => {
    standIn.play({ web: [{ ...fault, match: 'getPublishedSources' }] });

    // Only what comes late may end by the time-out, however slow the machine is.
    const isLate = 'hang' in fault || 'bytesPerS' in fault;
    const wanted = { source: 'hello', version: '1.0' };
    const call = client(isLate ? 200 : 60_000).getPublishedSources(PPA, wanted);

    await expect(call).rejects.toBeInstanceOf(PpaUnavailableError);
    await expect(call).rejects.toMatchObject({ retryAfterMs });
  });
});

describe('a collection that changes between its pages', () => {
  let standIn: OwnStandIn;
  let link: string;
  beforeAll(async () => {
    standIn = await openStandIn({ architectures: ['amd64', 'riscv64', 's390x'], builders: 3 });
    const source = await standIn.make({ architecture: 'any' });
    await standIn.upload(source.files);
    link = (await standIn.publication(source)).self_link;
  }, 300_000);
  afterAll(() => standIn.close());
  const pages = { match: 'getBuilds', pageSize: 1 };
  const builds = () =>
    createPpaClient({ rootUrl: standIn.webUrl, timeoutMs: 60_000, logger }).getBuilds(link);

  it('is read until two readings agree, so that none of it is missed', async () => {
    standIn.play({
      web: [{ match: ['getBuilds', 'ws.start=1'], hideFirst: 1, count: 1 }, pages],
    });
    expect((await builds()).map((build) => build.arch_tag)).toEqual(['amd64', 'riscv64', 's390x']);
  });

  it('is left to a later try where no two readings agree', async () => {
    const changes = (hideFirst: number) => ({ match: 'ws.start=1', hideFirst, count: 1 });
    standIn.play({ web: [1, 2, 1, 2, 1].map(changes).concat(pages as never) });
    await expect(builds()).rejects.toBeInstanceOf(PpaUnavailableError);
  });
});

describe('the PPA client, against a server that is no Launchpad', () => {
  let server: FileServer;
  beforeEach(async () => {
    server = await startFileServer();
  });
  afterEach(() => server.stop());
  const OPERATION =
    'devel/~me/+archive/debian/test?source_name=%22a%22&version=%221%22&exact_match=true&ws.op=getPublishedSources&ws.size=300';
  const find = () =>
    createPpaClient({
      rootUrl: server.url,
      credentials: CREDENTIALS,
      timeoutMs: 60_000,
      logger,
    }).getPublishedSources(PPA, { source: 'a', version: '1' });
  const answer = (content: unknown) =>
    server.answer(
      decodeURIComponent(OPERATION),
      typeof content === 'string' ? content : JSON.stringify(content),
    );

  it('sends JSON-encoded parameters and reads page after page', async () => {
    const entry = (id: number) => ({
      self_link: `${server.url}/devel/+sourcepub/${id}`,
      source_package_name: 'a',
      source_package_version: '1',
      status: 'Published',
      distro_series_link: `${server.url}/devel/debian/bookworm`,
    });
    answer({ entries: [entry(1)], next_collection_link: `${server.url}/devel/more`, start: 0 });
    server.answer('devel/more', JSON.stringify({ entries: [entry(2)], start: 1, total_size: 2 }));

    expect((await find()).map(({ self_link }) => self_link)).toEqual([
      `${server.url}/devel/+sourcepub/1`,
      `${server.url}/devel/+sourcepub/2`,
    ]);
  });

  it.each([
    ['another shape', { objects: [] }],
    ['an entry without its fields', { entries: [{ self_link: 'x' }] }],
  ])('refuses %s', async (_what, content) => {
    answer(content);
    await expect(find()).rejects.toBeInstanceOf(PpaAnswerError);
  });

  it('reads a large collection whole, in pages of 300', async () => {
    const link = `${server.url}/devel/+sourcepub/1`;
    const publications = Array.from({ length: 1_001 }, (_, id) => ({
      self_link: `${server.url}/devel/+binarypub/${id}`,
      binary_package_name: `package-${id}`,
      binary_package_version: '1',
      status: 'Published',
      architecture_specific: true,
      distro_arch_series_link: `${server.url}/devel/debian/bookworm/amd64`,
    }));
    // As lazr.restful does it: pages of 50, unless `ws.size` says otherwise.
    const first = 'devel/+sourcepub/1?active_binaries_only=false&ws.op=getPublishedBinaries';
    const asked: string[] = [];
    for (const size of [50, 300])
      for (let start = 0; start < publications.length; start += size) {
        const address = (from: number) => `devel/page?ws.size=${size}&ws.start=${from}`;
        const name = size === 50 ? first : `${first}&ws.size=300`;
        const end = start + size;
        const page = JSON.stringify({
          entries: publications.slice(start, end),
          ...(end < publications.length && {
            next_collection_link: `${server.url}/${address(end)}`,
          }),
        });
        server.answer(start === 0 ? name : address(start), (_request, response) => {
          asked.push(`${size} from ${start}`);
          response.end(page);
        });
      }
    const client = createPpaClient({ rootUrl: server.url, timeoutMs: 60_000, logger });
    expect((await client.getPublishedBinaries(link)).map((one) => one.self_link)).toEqual(
      publications.map((one) => one.self_link),
    );
    // Twice, until two readings agree.
    const once = [0, 300, 600, 900].map((start) => `300 from ${start}`);
    expect(asked).toEqual([...once, ...once]);
  });

  it('refuses pages without an end', async () => {
    const more = { entries: [], next_collection_link: `${server.url}/devel/more` };
    answer(more);
    server.answer('devel/more', JSON.stringify(more));
    await expect(find()).rejects.toThrow('more than 20 pages');
    expect(server.asked('devel/more')).toBe(19);
  });

  it('takes a redirect for an answer, which says nothing of an outage, and does not follow it', async () => {
    const heard: string[] = [];
    const client = createPpaClient({
      rootUrl: server.url,
      timeoutMs: 60_000,
      logger,
      budget: {
        take: async () => undefined,
        answered: async () => void heard.push('answered'),
        failed: async () => void heard.push('failed'),
      },
    });
    server.answer('devel/ubuntu/devel', (_request, response) =>
      response.writeHead(303, { location: `${server.url}/devel/ubuntu/noble` }).end(),
    );
    const answered = expect(client.getSeries('ubuntu', 'devel')).rejects;
    await answered.toMatchObject({
      name: 'PpaAnswerError',
      status: 303,
      message: expect.stringContaining('303, a redirect, which is not followed'),
    });
    expect(heard).toEqual(['answered']);
    expect(server.asked('devel/ubuntu/noble')).toBe(0);
  });

  it('finds no PPA of an owner who is suspended', async () => {
    server.answer('devel/~me/+archive/debian/test', (_request, response) =>
      response.writeHead(410).end('User is suspended: ~me'),
    );
    const client = createPpaClient({ rootUrl: server.url, timeoutMs: 60_000, logger });
    expect(await client.getArchive(PPA)).toBeUndefined();
  });

  it('sends nothing that was given up while it waited for its turn', async () => {
    const budget = { answered: async () => undefined, failed: async () => undefined };
    for (const send of [
      (client: PpaClient, signal: AbortSignal) =>
        client.cancel(`${server.url}/devel/+build/1`, signal),
      (client: PpaClient, signal: AbortSignal) =>
        client.copyPackage(
          { archive: PPA, series: 'bookworm', pocket: 'Release', source: 'a', version: '1' },
          PPA,
          signal,
        ),
    ]) {
      const activity = new AbortController();
      const client = createPpaClient({
        rootUrl: server.url,
        timeoutMs: 60_000,
        logger,
        budget: { ...budget, take: async () => activity.abort(new Error('given up')) },
      });
      await expect(send(client, activity.signal)).rejects.toThrow('given up');
    }
    expect(server.asked('devel/+build/1')).toBe(0);
    expect(server.asked('devel/~me/+archive/debian/test')).toBe(0);
  });

  it('refuses an answer of any size', async () => {
    answer(`{"entries": [${' '.repeat(17 * 2 ** 20)}]}`);
    await expect(find()).rejects.toThrow('answered more than');
  });

  it('sends its token to no other server, whatever the answers link to', async () => {
    const other = await startFileServer();
    try {
      answer({ entries: [], next_collection_link: `${other.url}/devel/more` });
      await expect(find()).rejects.toThrow('is not an address of');
      server.answer(decodeURIComponent(OPERATION), (_request, response) =>
        response.writeHead(302, { location: `${other.url}/devel/more` }).end(),
      );
      await expect(find()).rejects.toBeInstanceOf(Error);
      expect(other.asked('devel/more')).toBe(0);
    } finally {
      await other.stop();
    }
  });
});
