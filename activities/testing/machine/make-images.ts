import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPackageList } from '../../../domain/testing/autopkgtest.ts';
import type { ImagePlace } from '../../../domain/testing/image.ts';
import { openIsolation, type Bounds, type Isolation } from '../../../sandbox/isolation.ts';
import { isPlainFile } from '../../../sandbox/take-out.ts';
import type { Unprivileged } from '../../../sandbox/unprivileged.ts';
import { ImageProblem, whatRanOut, type LandingLayer, type MadeImage } from '../test-machine.ts';
import type { Mirrors } from './apt-sources.ts';
import { readOwnFile } from './read-outcome.ts';

const DERIVE_IMAGE = fileURLToPath(new URL('derive-image.sh', import.meta.url));
const IMAGE = 'image.tar.zst';
/** How derive-image.sh ends where apt finds no way to install the packages. */
const UNINSTALLABLE = 10;
/**
 * What a base image has beside the essential packages: what nearly every test bed installs first, and what apt verifies
 * mirrors and PPAs by whose addresses are https.
 */
const BASE_PACKAGES = ['dpkg-dev', 'eatmydata', 'ca-certificates'];
/** What netbase would write, which few images have, and the name of the place where images are made and tests run. */
const WRITE_HOSTS =
  'printf "%s\\n" "127.0.0.1 localhost" "127.0.1.1 $(uname -n)" "::1 localhost ip6-localhost ip6-loopback" >"$1/etc/hosts"';
const WRITE_HOST_NAME = 'uname -n >"$1/etc/hostname"';

/** Options of apt for a proxy, of one protocol or one host. */
const PROXY = /^Acquire::https?::Proxy\b/i;
/** In an image while it is made. */
const APT_PROXY_PATH = 'etc/apt/apt.conf.d/zz-airline-proxy';

/**
 * Makes a base image with mmdebstrap, where only the mirrors are reached: packages run their scripts as they are
 * installed, and those of a target are strangers'.
 *
 * @param folder its own, removed by the caller
 * @throws ImageProblem
 */
export async function makeBase(
  folder: string,
  { series, architecture }: ImagePlace,
  {
    mirrors: { sources, addresses, options, upstreamOf },
    unprivileged,
  }: { mirrors: Mirrors; unprivileged: Unprivileged },
  bounds: Bounds,
): Promise<MadeImage> {
  const lists = sources.map(({ name, text }) => ({ path: join(folder, name), text }));
  for (const { path, text } of lists) await writeFile(path, text);
  const files = lists.map(({ path }) => path);
  const isolation = await openIsolation(folder, unprivileged, { addresses, upstreamOf, files });
  try {
    const { own, aptConfiguration } = isolation;
    const end = await isolation.run(
      'mmdebstrap',
      [
        '--variant=minbase',
        // Root of all ids already, it makes no further user namespace.
        '--mode=unshare',
        `--include=${BASE_PACKAGES.join(',')}`,
        // The lists stay: tests install what the archive had when the image was made.
        '--skip=cleanup/apt/lists',
        '--dpkgopt=force-unsafe-io',
        `--architectures=${architecture}`,
        '--aptopt=Acquire::Languages "none"',
        // The way out is the isolation's, and no proxy of this machine is of use where the image is.
        ...options.filter((option) => !PROXY.test(option)).map((option) => `--aptopt=${option}`),
        `--setup-hook=cp ${aptConfiguration} "$1/${APT_PROXY_PATH}"`,
        // Before netbase, which leaves what is there.
        `--setup-hook=${WRITE_HOSTS}`,
        `--setup-hook=${WRITE_HOST_NAME}`,
        `--customize-hook=rm "$1/${APT_PROXY_PATH}"`,
        `--customize-hook=chroot "$1" sh -c 'cd /var/lib/apt/lists && sha256sum -- *InRelease >/releases && dpkg-query --show >/packages'`,
        `--customize-hook=copy-out /releases /packages ${own}`,
        '--customize-hook=rm "$1/releases" "$1/packages"',
        series,
        join(own, IMAGE),
        ...files,
      ],
      bounds,
    );
    bounds.signal.throwIfAborted();
    const fault = whatRanOut(end, 'The scripts of its packages', bounds);
    if (fault !== undefined) throw new ImageProblem(fault);
    if (end.exitCode !== 0) throw new ImageProblem(`mmdebstrap ended with ${end.exitCode}.`);
    return await describe(isolation);
  } finally {
    await isolation.stop();
  }
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
    mirrors: { addresses, upstreamOf },
    unprivileged,
  }: {
    /** The address of the PPA's apt repository. */
    repository: string;
    key: string;
    mirrors: Pick<Mirrors, 'addresses' | 'upstreamOf'>;
    unprivileged: Unprivileged;
  },
  bounds: Bounds,
): Promise<MadeImage> {
  const given = join(folder, 'given');
  const isolation = await openIsolation(folder, unprivileged, {
    addresses: [...addresses, repository],
    upstreamOf,
    files: [basePath, given],
  });
  try {
    const { own } = isolation;
    const apt = join(given, 'overlay', 'etc', 'apt');
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
      join(given, 'names'),
      binaries.map(({ name, version }) => `${name}=${version}\n`).join(''),
    );
    const script = join(given, 'derive-image.sh');
    await copyFile(DERIVE_IMAGE, script);
    const args = [given, own, basePath, join(own, IMAGE), ...(isAlone ? ['alone'] : [])];
    const end = await isolation.run('bash', [script, ...args], bounds);
    bounds.signal.throwIfAborted();
    const fault = whatRanOut(end, 'The scripts of its packages', bounds);
    if (fault !== undefined) throw new ImageProblem(fault);
    if (end.exitCode === UNINSTALLABLE)
      throw new ImageProblem('apt cannot install the packages beside those of the base image.', {
        isUninstallable: true,
      });
    if (end.exitCode !== 0)
      throw new ImageProblem(`The packages could not be put into the image (${end.exitCode}).`);
    const made = await describe(isolation);
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
async function describe({ take }: Isolation): Promise<MadeImage> {
  const path = await take(IMAGE);
  // Packages have run their scripts: what is there need not be what was put there.
  if (!(await isPlainFile(path))) throw new ImageProblem('The image is no file.');
  const [releases, packages] = await Promise.all(
    ['releases', 'packages'].map(async (name) => readOwnFile(await take(name))),
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
