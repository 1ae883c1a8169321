import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';
import { readMachine, type Machine } from '../../../sandbox/machine.ts';
import { stackAddresses } from '../../support/addresses.ts';
import type { SourceOptions } from '../../support/source-package.ts';
import { openApt } from '../../support/apt.ts';
import { openStandIn, type Entry, type OwnStandIn } from '../../support/stand-in.ts';
import { until } from '../../support/until.ts';

// The first build may have to make the chroot, and the machine may be busy.
const BUILD_MS = 540_000;
jest.setTimeout(600_000);

let machine: Machine;
let standIn: OwnStandIn;
const user = unprivilegedUser(() => undefined);

beforeAll(async () => {
  machine = await readMachine();
  standIn = await openStandIn({
    script: null,
    cacheDir: stackAddresses().cacheDir,
    architectures: [machine.architecture],
    distributions: { [machine.distribution]: [machine.series, 'elsewhere'] },
    builders: 2,
    ...(user ? { runAs: user } : {}),
    limits: { killAfterMs: 5_000 },
  });
});
afterAll(() => standIn.close());

const ppa = () => `~me/${machine.distribution}/test`;
const archiveUrl = () => standIn.archiveUrl(`~me/+archive/${machine.distribution}/test`);
const submit = async (source: Partial<SourceOptions>): Promise<Entry> => {
  const made = await standIn.make({ distribution: machine.series, ...source });
  await standIn.upload(made.files, ppa());
  return until('the publication', async () =>
    (
      await standIn.entries(archiveUrl(), 'getPublishedSources', {
        source_name: made.name,
        exact_match: 'true',
      })
    ).at(0),
  );
};
const buildIn = (publication: Entry, state: string) =>
  standIn.buildIn(publication, state, machine.architecture, BUILD_MS);
const ended = (publication: Entry) =>
  until(
    'the build to end',
    async () =>
      (await standIn.entries(publication.self_link, 'getBuilds')).find(
        (build) => build['build_log_url'] !== null,
      ),
    BUILD_MS,
  );
const logOf = async (build: Entry) => (await standIn.read(build['build_log_url'] as string)).text();
const published = (publication: Entry) =>
  until(
    'the binaries to be Published',
    async () => {
      const binaries = await standIn.entries(publication.self_link, 'getPublishedBinaries');
      return (
        binaries.length > 0 && binaries.every((one) => one['status'] === 'Published') && binaries
      );
    },
    BUILD_MS,
  );

let waiting: Entry;
beforeAll(async () => {
  waiting = await submit({
    name: 'airline-waiting',
    buildDepends: ['airline-first (>= 1.0)'],
    build: ['grep -qx "airline-first 1.0" /usr/share/airline-first/probe'],
  });
});

it('a package that needs what is not there waits for it', async () => {
  expect(await ended(waiting)).toMatchObject({
    buildstate: 'Dependency wait',
    dependencies: expect.stringMatching(/^airline-first/) as string,
  });
});

describe('a package that builds', () => {
  let publication: Entry;
  let build: Entry;

  beforeAll(async () => {
    publication = await submit({
      name: 'airline-first',
      architecture: 'any',
      build: ['echo interfaces: `grep -c : /proc/net/dev`'],
    });
    build = await ended(publication);
  });

  it('is Successfully built, with a log that sbuild wrote', async () => {
    expect(await logOf(build)).toMatch(/^Status: successful$/m);
    expect(build['buildstate']).toBe('Successfully built');
    const changes = await (await standIn.read(build['changesfile_url'] as string)).text();
    expect(changes).toMatch(new RegExp(`^Architecture: ${machine.architecture}$`, 'm'));
  });

  it('is built without a network: there is the loopback interface alone', async () => {
    expect(await logOf(build)).toMatch(/^interfaces: 1$/m);
  });

  it('is Published, and apt downloads it from the signed repository', async () => {
    const [binary] = await published(publication);
    expect(binary).toMatchObject({
      binary_package_name: 'airline-first',
      binary_package_version: '1.0',
      architecture_specific: true,
      build_link: build.self_link,
    });
    const apt = join(standIn.directory, 'apt');
    const run = await openApt(apt, {
      uri: `${standIn.webUrl}/apt/me/test/${machine.distribution}`,
      suite: machine.series,
      key: await (await standIn.read(`${standIn.webUrl}/apt/signing-key.asc`)).text(),
      architecture: machine.architecture,
    });
    await run('download', 'airline-first');
    await run('source', '--download-only', 'airline-first');
    expect(readdirSync(apt)).toEqual(
      expect.arrayContaining([
        `airline-first_1.0_${machine.architecture}.deb`,
        'airline-first_1.0.dsc',
        'airline-first_1.0.tar.xz',
      ]),
    );
  });

  it('is what another one has waited for, which is built now, with it installed', async () => {
    const second = await buildIn(waiting, 'Successfully built');
    expect(await logOf(second)).toMatch(/^Status: successful$/m);
    const [binary] = await published(waiting);
    expect(binary).toMatchObject({ architecture_specific: false });
  });
});

it('a series that this machine does not run is a Chroot problem that says why', async () => {
  const made = await standIn.make({ name: 'airline-elsewhere', distribution: 'elsewhere' });
  await standIn.upload(made.files, ppa());
  const publication = await until('the publication', async () =>
    (await standIn.entries(archiveUrl(), 'getPublishedSources', { source_name: made.name })).at(0),
  );
  const build = await ended(publication);
  expect(build['buildstate']).toBe('Chroot problem');
  expect(await logOf(build)).toMatch(/There is no chroot of \S+ elsewhere/);
});
