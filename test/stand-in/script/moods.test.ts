import { request, type IncomingMessage } from 'node:http';
import { basename } from 'node:path';
import { Client } from 'basic-ftp';
import { openStandIn, type Entry, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';

let standIn: OwnStandIn;
beforeAll(async () => {
  standIn = await openStandIn({ architectures: ['amd64', 'riscv64', 's390x'], builders: 8 });
});
afterAll(() => standIn.close());

let sources = 0;
/** Uploads a new package, and gives its publication. */
const submit = async (
  script: (name: string) => Parameters<OwnStandIn['play']>[0] = () => ({}),
): Promise<{ name: string; publication: Entry }> => {
  const name = `mood-${++sources}`;
  standIn.play(script(name));
  const source = await standIn.make({ name, architecture: 'any' });
  await standIn.upload(source.files);
  return { name, publication: await standIn.publication(source) };
};

/** The raw answer, as far as it came. */
const get = (url: string) =>
  new Promise<{ headers: IncomingMessage['headers']; body: string; isWhole: boolean }>(
    (resolve, reject) => {
      request(url, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', () => undefined);
        answer.on('close', () =>
          resolve({
            headers: answer.headers,
            body: Buffer.concat(chunks).toString(),
            isWhole: answer.complete,
          }),
        );
      })
        .on('error', reject)
        .end();
    },
  );

describe('a scripted web service', () => {
  it('ends a body early as if that were all', async () => {
    const { publication } = await submit();
    standIn.play({ web: [{ match: ['+sourcepub', 'getBuilds'], truncateAfterBytes: 20 }] });
    const answer = await get(`${publication.self_link}?ws.op=getBuilds`);
    expect(answer).toMatchObject({ isWhole: true, body: expect.stringMatching(/^\{.{19}$/) });
    expect((await get(publication.self_link)).body.length).toBeGreaterThan(20);
  });

  it('breaks the connection in a body that it has announced whole', async () => {
    const { publication } = await submit();
    standIn.play({ web: [{ match: 'getBuilds', cutAfterBytes: 20 }] });
    const answer = await get(`${publication.self_link}?ws.op=getBuilds`);
    expect(answer).toMatchObject({ isWhole: false, body: expect.stringMatching(/^\{.{19}$/) });
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(20);
  });

  it('sends a body slowly, and whole', async () => {
    const { publication } = await submit();
    const url = `${publication.self_link}?ws.op=getBuilds`;
    const { body } = await get(url);
    standIn.play({ web: [{ match: 'getBuilds', bytesPerS: body.length * 2 }] });
    const startedAt = Date.now();
    expect(JSON.parse((await get(url)).body)).toMatchObject({ start: 0, total_size: 3 });
    expect(Date.now() - startedAt).toBeGreaterThan(300);
  });

  it('gives short pages, between which a record may go', async () => {
    const { publication } = await submit();
    standIn.play({
      web: [
        { match: ['getBuilds', 'ws.start=1'], hideFirst: 1 },
        { match: 'getBuilds', pageSize: 1 },
      ],
    });
    const read = async (url: string) =>
      JSON.parse((await get(url)).body) as { entries: Entry[]; next_collection_link?: string };
    const first = await read(`${publication.self_link}?ws.op=getBuilds`);
    const second = await read(first.next_collection_link ?? '');
    expect([first, second].map(({ entries }) => entries[0]?.['arch_tag'])).toEqual([
      'amd64',
      's390x',
    ]);
  });
});

describe('a scripted upload server', () => {
  it.each([
    ['says that the disk is full', { reply: '452 Insufficient storage.' }, /^452/],
    ['goes', { close: true as const }, /closing connection/],
  ])(
    'takes a file whole and then %s: the upload counts all the same',
    async (_, fault, message) => {
      const source = await standIn.make({ name: `mood-${++sources}`, architecture: 'any' });
      standIn.play({ ftp: [{ on: 'STOR', match: '.changes', afterData: true, ...fault }] });
      const client = new Client(60_000);
      const [host, port] = standIn.ftpAddress.split(':');
      await client.access({ host: host ?? '', port: Number(port), user: 'anonymous' });
      await client.ensureDir('~me/debian/test');
      const last = source.files.at(-1) ?? '';
      for (const file of source.files.slice(0, -1)) await client.uploadFrom(file, basename(file));
      await expect(client.uploadFrom(last, basename(last))).rejects.toThrow(message);
      client.close();
      await standIn.publication(source);
    },
  );
});

describe('a scripted build', () => {
  it('has its log a while after its end', async () => {
    const failed = (logAfterMs: number) => [{ state: 'Failed to build', logAfterMs }];
    const { publication } = await submit((name) => ({
      sources: { [name]: { builds: { amd64: failed(86_400_000), '*': failed(300) } } },
    }));
    await until('the log', async () => {
      const build = await standIn.buildIn(publication, 'Failed to build', 'riscv64');
      return typeof build['build_log_url'] === 'string';
    });
    expect((await standIn.buildIn(publication, 'Failed to build'))['build_log_url']).toBeNull();
  });

  it('makes a package that is published, or that is not', async () => {
    const built = (publishAfterMs: number) => (name: string) => ({
      sources: {
        [name]: {
          publishAfterMs,
          builds: { '*': [{ state: 'Successfully built', binaries: true }] },
        },
      },
    });
    const binaries = async (publication: Entry) =>
      (await standIn.entries(publication.self_link, 'getPublishedBinaries')).map(
        ({ status }) => status,
      );
    const { publication: held } = await submit(built(86_400_000));
    for (const architecture of ['amd64', 'riscv64', 's390x'])
      await standIn.buildIn(held, 'Successfully built', architecture);
    const { publication } = await submit((name) => ({
      sources: { ...built(0)(name).sources, '*': { publishAfterMs: 86_400_000 } },
    }));
    await until('the packages to be published', async () => {
      const states = await binaries(publication);
      return states.length === 3 && states.every((status) => status === 'Published');
    });
    expect(await binaries(held)).toEqual(['Pending', 'Pending', 'Pending']);
  });

  it('is Successfully built a while before its package has a publication', async () => {
    const built = (publicationsAfterMs: number) => [
      { state: 'Successfully built', binaries: true, publicationsAfterMs },
    ];
    const { publication } = await submit((name) => ({
      sources: {
        [name]: { builds: { s390x: built(86_400_000), riscv64: built(300), '*': built(0) } },
      },
    }));
    for (const architecture of ['amd64', 'riscv64', 's390x'])
      await standIn.buildIn(publication, 'Successfully built', architecture);
    const published = async () =>
      (await standIn.entries(publication.self_link, 'getPublishedBinaries')).map(
        ({ distro_arch_series_link: link }) => basename(String(link)),
      );
    await until('the package of riscv64', async () => (await published()).includes('riscv64'));
    expect((await published()).toSorted()).toEqual(['amd64', 'riscv64']);
  });

  it('waits for a package that it needs, until that is published', async () => {
    const builds = { '*': [{ state: 'Successfully built', binaries: true }] };
    const base = { name: 'mood-base', architecture: 'any' };
    const { publication } = await submit((name) => ({
      sources: { [name]: { needs: [base.name], builds }, [base.name]: { builds } },
    }));
    expect(await standIn.buildIn(publication, 'Dependency wait', 'amd64')).toMatchObject({
      dependencies: base.name,
    });
    await standIn.upload((await standIn.make(base)).files);
    await standIn.buildIn(publication, 'Successfully built', 'amd64');
  });
});
