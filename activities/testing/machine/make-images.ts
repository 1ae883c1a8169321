import { copyFile, lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPackageList } from '../../../domain/testing/autopkgtest.ts';
import type { ImagePlace } from '../../../domain/testing/image.ts';
import { openIsolation, type Bounds } from '../../../sandbox/isolation.ts';
import type { Unprivileged } from '../../../sandbox/unprivileged.ts';
import { ImageProblem, outOfMemory, type LandingLayer, type MadeImage } from '../test-machine.ts';
import type { Mirrors } from './apt-sources.ts';
import { readOwnFile } from './read-outcome.ts';

const DERIVE_IMAGE = fileURLToPath(new URL('derive-image.sh', import.meta.url));
/** How derive-image.sh ends where apt finds no way to install the packages. */
const UNINSTALLABLE = 10;
/**
 * What a base image has beside the essential packages: what nearly every test bed installs first, and what apt verifies
 * mirrors and PPAs by whose addresses are https.
 */
const BASE_PACKAGES = ['dpkg-dev', 'eatmydata', 'ca-certificates'];

/**
 * Makes a base image with mmdebstrap: of archives alone, by this machine's own network.
 *
 * @param folder its own, removed by the caller
 * @throws ImageProblem
 */
export async function makeBase(
  folder: string,
  { series, architecture }: ImagePlace,
  { mirrors, unprivileged }: { mirrors: Mirrors; unprivileged: Unprivileged },
  { signal, timeoutMs, killAfterMs, onOutput }: Bounds,
): Promise<MadeImage> {
  const own = join(folder, 'own');
  await unprivileged.makeDirectory(own);
  for (const { name, text } of mirrors.sources) await writeFile(join(folder, name), text);
  const path = join(own, 'image.tar.zst');
  const end = await unprivileged.run(
    'mmdebstrap',
    [
      '--variant=minbase',
      '--mode=unshare',
      `--include=${BASE_PACKAGES.join(',')}`,
      // The lists stay: tests install what the archive had when the image was made.
      '--skip=cleanup/apt/lists',
      '--dpkgopt=force-unsafe-io',
      `--architectures=${architecture}`,
      '--aptopt=Acquire::Languages "none"',
      ...mirrors.options.map((option) => `--aptopt=${option}`),
      `--customize-hook=chroot "$1" sh -c 'cd /var/lib/apt/lists && sha256sum -- *InRelease >/releases && dpkg-query --show >/packages'`,
      `--customize-hook=copy-out /releases /packages ${own}`,
      '--customize-hook=rm "$1/releases" "$1/packages"',
      series,
      path,
      ...mirrors.sources.map(({ name }) => join(folder, name)),
    ],
    { cwd: own, temporaryDir: own, signal, timeoutMs, killAfterMs, onOutput },
  );
  signal.throwIfAborted();
  if (end.exitCode !== 0) throw new ImageProblem(`mmdebstrap ended with ${end.exitCode}.`);
  return describe(path, own);
}

/**
 * Makes the image of a landing of its base image, where only the base image's sources and the PPA are reached.
 *
 * @param folder its own, removed by the caller
 * @throws ImageProblem
 */
export async function makeLanding(
  folder: string,
  basePath: string,
  { ppaSeries, isAlone, binaries }: LandingLayer,
  {
    repository,
    key,
    mirrors: { addresses, proxy },
    unprivileged,
  }: {
    /** The address of the PPA's apt repository. */
    repository: string;
    key: string;
    mirrors: Pick<Mirrors, 'addresses' | 'proxy'>;
    unprivileged: Unprivileged;
  },
  bounds: Bounds,
): Promise<MadeImage> {
  const isolation = await openIsolation(folder, unprivileged, [...addresses, repository], proxy);
  try {
    const { own } = isolation;
    const apt = join(own, 'overlay', 'etc', 'apt');
    const files = {
      'keyrings/airline-ppa.asc': key,
      'sources.list.d/airline-ppa.list': `deb [signed-by=/etc/apt/keyrings/airline-ppa.asc] ${repository} ${ppaSeries} main\n`,
      'apt.conf.d/zz-airline-proxy': await readFile(isolation.aptConfiguration, 'utf8'),
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(apt, name, '..'), { recursive: true });
      await writeFile(join(apt, name), text);
    }
    await writeFile(
      join(own, 'names'),
      binaries.map(({ name, version }) => `${name}=${version}\n`).join(''),
    );
    const script = join(folder, 'derive-image.sh');
    await copyFile(DERIVE_IMAGE, script);
    const path = join(own, 'image.tar.zst');
    const others = isAlone ? ['alone'] : [];
    const end = await isolation.run('sh', [script, own, basePath, path, ...others], bounds);
    bounds.signal.throwIfAborted();
    if (end.ranOutOfMemory)
      throw new ImageProblem(outOfMemory('The scripts of its packages', bounds.memoryBytes));
    if (end.exitCode === UNINSTALLABLE)
      throw new ImageProblem('apt cannot install the packages beside those of the base image.', {
        isUninstallable: true,
      });
    if (end.exitCode !== 0)
      throw new ImageProblem(`The packages could not be put into the image (${end.exitCode}).`);
    const made = await describe(path, own);
    const versions = new Map(binaries.map(({ name, version }) => [name, version]));
    for (const { name, version } of made.packages)
      if ((versions.get(name) ?? version) !== version)
        throw new ImageProblem(`The image has ${name} ${version}, not ${versions.get(name)}.`);
    return made;
  } finally {
    await isolation.stop();
  }
}

/** What the makers of an image have written of it beside it. */
async function describe(path: string, directory: string): Promise<MadeImage> {
  // Packages have run their scripts: what is there need not be what was put there.
  if (!(await lstat(path)).isFile()) throw new ImageProblem('The image is no file.');
  const [releases, packages] = await Promise.all(
    ['releases', 'packages'].map((name) => readOwnFile(join(directory, name))),
  );
  return {
    path,
    packages: readPackageList(packages ?? ''),
    releases: Object.fromEntries(
      [...(releases ?? '').matchAll(/^([0-9a-f]{64}) [ *](\S+)$/gm)].map(
        // apt names a list by its address, with _ for /.
        ([, sum = '', name = '']) => [name.replaceAll('_', '/').replaceAll('%5f', '_'), sum],
      ),
    ),
  };
}
