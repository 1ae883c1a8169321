import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { findBuiltPackages, storePackageList } from '../../../activities/ppa/built-packages.ts';
import type { BuildRecord } from '../../../domain/builds/build-state.ts';
import { aptSource, MAX_BUILT_PACKAGES } from '../../../domain/builds/built-package.ts';
import { createPpaClient, type PpaClient } from '../../../ppa/client.ts';
import { PpaAnswerError } from '../../../ppa/web-service.ts';
import type { BinaryPublication } from '../../../ppa/wire.ts';
import { createFileStore } from '../../../store/file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const PPA = { owner: 'me', distribution: 'ubuntu', name: 'test' };
const FINGERPRINT = '0123456789ABCDEF0123456789ABCDEF01234567';
const BUILD = 'https://lp.example/devel/+build/';
const SOURCE = { source: 'hello', version: '1:2.0-1' };
const BUILT = { ppa: PPA, series: 'noble', packages: [SOURCE] };

const record = (id: number, buildState = 'Successfully built'): BuildRecord => ({
  package: 'hello',
  version: '1:2.0-1',
  architecture: 'amd64',
  buildState,
  selfLink: `${BUILD}${id}`,
  webLink: '',
  buildLogUrl: null,
  uploadLogUrl: null,
  dependencies: null,
  canBeCancelled: false,
  startedAt: null,
  builtAt: null,
});

const publication = (
  name: string,
  architecture: string,
  more: Partial<BinaryPublication> = {},
) => ({
  self_link: `https://lp.example/devel/+binarypub/${name}-${architecture}`,
  binary_package_name: name,
  binary_package_version: '1:2.0-1',
  architecture_specific: true,
  distro_arch_series_link: `https://lp.example/devel/ubuntu/noble/${architecture}`,
  status: 'Pending',
  build_link: `${BUILD}1`,
  ...more,
});

/** A web service that shows these packages. */
function serviceWith(
  binaries: readonly BinaryPublication[],
  more: Partial<PpaClient> = {},
): PpaClient {
  const nothing = createPpaClient({
    rootUrl: 'http://127.0.0.1:1',
    timeoutMs: 1,
    logger: pino({ level: 'silent' }),
  });
  return {
    ...nothing,
    getArchive: async () => ({
      reference: '',
      private: false,
      signing_key_fingerprint: FINGERPRINT,
    }),
    getPublishedSources: async (_, { source, version }) => [
      {
        self_link: 'https://lp.example/devel/+sourcepub/1',
        source_package_name: source,
        source_package_version: version,
        status: 'Published',
        distro_series_link: '',
      },
    ],
    getPublishedBinaries: async () => [...binaries],
    binaryFileUrls: async (link) => [{ url: `${link}.deb`, size: 7, sha256: 'f'.repeat(64) }],
    ...more,
  };
}

const store = createFileStore({
  directory: temporaryDirectory(),
  baseUrl: 'http://127.0.0.1:1/store',
});
const find = (ppaClient: PpaClient, records = [record(1)]) =>
  findBuiltPackages({ ppaClient, aptUrl: 'https://apt.example/' }, BUILT, records);
const list = async (ppaClient: PpaClient, records = [record(1)]) => {
  const found = await find(ppaClient, records);
  return found && { apt: found.apt, packages: found.sources.flatMap(({ packages }) => packages) };
};

describe('the packages that a build has made', () => {
  it('are named with their files, once each, by name and architecture; the line for apt names the key', async () => {
    const everywhere = { architecture_specific: false };
    const listed = await list(
      serviceWith([
        publication('hello-doc', 'amd64', everywhere),
        publication('hello-doc', 'arm64', everywhere),
        publication('hello', 'amd64'),
        publication('hello', 'arm64', { build_link: `${BUILD}2` }),
        publication('stranger', 'amd64', { build_link: `${BUILD}99` }),
      ]),
      [record(1), record(2)],
    );

    expect(listed?.apt).toBe(
      `deb [signed-by=${FINGERPRINT}] https://apt.example/me/test/ubuntu noble main`,
    );
    expect(listed?.packages.map(({ name, architecture }) => `${name} ${architecture}`)).toEqual([
      'hello amd64',
      'hello arm64',
      'hello-doc all',
    ]);
    expect(listed?.packages[0]).toEqual({
      name: 'hello',
      source: 'hello',
      version: '1:2.0-1',
      architecture: 'amd64',
      url: 'https://lp.example/devel/+binarypub/hello-amd64.deb',
      size: 7,
      sha256: 'f'.repeat(64),
    });
  });

  it('say when they were published, where they were by then', async () => {
    const published = publication('hello', 'amd64', {
      date_published: '2026-03-01T10:00:00+00:00',
    });
    const listed = await list(serviceWith([published, publication('hello', 'arm64')]));
    expect(listed?.packages.map((one) => one.published_at)).toEqual([
      '2026-03-01T10:00:00.000Z',
      undefined,
    ]);
  });

  it('are those that are live, where they were deleted before and copied back', async () => {
    const back = { status: 'Published', date_published: '2026-03-01T10:00:00+00:00' };
    const deleted = { status: 'Deleted', self_link: 'https://lp.example/devel/+binarypub/before' };
    const listed = await list(
      serviceWith([publication('hello', 'amd64', back), publication('hello', 'amd64', deleted)]),
    );
    expect(listed?.packages).toMatchObject([
      {
        url: 'https://lp.example/devel/+binarypub/hello-amd64.deb',
        published_at: '2026-03-01T10:00:00.000Z',
      },
    ]);
  });

  it('are listed in a file of the data store', async () => {
    const found = await find(serviceWith([publication('hello', 'amd64')]));
    const source = found?.sources[0];
    const url = source ? await storePackageList(store, found, source, 'builds/7') : '';
    const key = store.keyOf(url) ?? '';
    expect(key).toBe('builds/7/hello_1:2.0-1.packages.json');
    const stored = await store.get(key);
    expect(JSON.parse(stored ? await text(stored.stream) : '')).toEqual({
      ...SOURCE,
      series: 'noble',
      apt: expect.stringContaining('https://apt.example/me/test/ubuntu'),
      packages: [expect.objectContaining({ name: 'hello', architecture: 'amd64' })],
    });
  });

  it('are at most so many', async () => {
    const many = Array.from({ length: MAX_BUILT_PACKAGES + 5 }, (_, index) =>
      publication(`hello-${String(index).padStart(4, '0')}`, 'amd64'),
    );
    const listed = await list(serviceWith(many));
    expect(listed?.packages).toHaveLength(MAX_BUILT_PACKAGES);
    expect(listed?.packages.at(-1)?.name).toBe(`hello-0${MAX_BUILT_PACKAGES - 1}`);
  });

  it('say null for what the web service does not', async () => {
    const ofFiles = (binaryFileUrls: PpaClient['binaryFileUrls']) =>
      list(serviceWith([publication('hello', 'amd64')], { binaryFileUrls }));
    const unknown = { url: null, size: null, sha256: null };
    expect((await ofFiles(async () => []))?.packages).toMatchObject([unknown]);
    const gone = ofFiles(() => Promise.reject(new PpaAnswerError(404, 'gone')));
    expect((await gone)?.packages).toMatchObject([unknown]);
    const url = 'https://lp.example/hello.deb';
    expect((await ofFiles(async () => [{ url }]))?.packages).toMatchObject([{ ...unknown, url }]);
  });

  it('are none where the PPA shows none yet', async () => {
    expect(await list(serviceWith([]))).toMatchObject({ packages: [], apt: expect.any(String) });
  });

  it('are those of the builds that succeeded, where others failed', async () => {
    const listed = await list(
      serviceWith([
        publication('hello', 'amd64'),
        publication('hello', 'arm64', { build_link: `${BUILD}2` }),
      ]),
      [record(1), record(2, 'Failed to build')],
    );
    expect(listed?.packages.map(({ architecture }) => architecture)).toEqual(['amd64']);
  });

  it('are not asked for where no build succeeded', async () => {
    const refused = () => Promise.reject(new Error('asked'));
    const service = serviceWith([], { getArchive: refused, getPublishedSources: refused });
    expect(await list(service, [record(1, 'Failed to build')])).toBeUndefined();
  });

  it('have no line for apt in a private PPA', async () => {
    const archive = { private: true, signing_key_fingerprint: FINGERPRINT };
    const listed = await list(serviceWith([], { getArchive: async () => archive }));
    expect(listed?.apt).toBeNull();
  });
});

test('a key that is no fingerprint is left out of the line for apt', () => {
  const root = 'https://apt.example';
  const line = 'deb https://apt.example/me/test/ubuntu noble main';
  expect(aptSource(PPA, 'noble', { root, fingerprint: null })).toBe(line);
  expect(aptSource(PPA, 'noble', { root, fingerprint: '/etc/passwd' })).toBe(line);
});
