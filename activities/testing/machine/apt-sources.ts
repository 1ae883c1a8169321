import { suiteOf, type Pocket } from '../../../domain/packages/archive.ts';
import type { Ppa } from '../../../domain/packages/ppa.ts';
import { targetPpa, type ImagePlace } from '../../../domain/testing/image.ts';
import type { UpstreamOf } from '../../../sandbox/fetch-proxy.ts';
import {
  deriveAptSources,
  readAptOptions,
  readAptSources,
  readRelease,
  urisOf,
  type AptSources,
} from '../../../sandbox/machine.ts';
import { ImageProblem } from '../test-machine.ts';
import { aptProxy, DIRECT_LOOPBACK } from './apt-proxy.ts';

type Place = Pick<ImagePlace, 'distribution' | 'series' | 'target'>;

/**
 * The components of a distribution's archive: packages of any of them may be landed, or depend on what is landed. apt
 * only warns of one that a series does not have, such as `non-free-firmware` before bookworm.
 */
const COMPONENTS: Record<string, string> = {
  debian: 'main contrib non-free non-free-firmware',
  ubuntu: 'main restricted universe multiverse',
};
/** Series that never are stable, and so have no `-updates` and no `-security`. */
const NEVER_STABLE = ['sid', 'experimental'];

/** What tells where packages come from, besides the machine itself. */
export type SourceOptions = {
  /** In place of the machine's own apt sources. */
  mirror: string | undefined;
  /** The address of a PPA's apt repository. */
  repositoryOf: (ppa: Ppa) => string;
  /** The public key that a PPA's repository is signed with. */
  fetchKey: (ppa: Ppa) => Promise<string>;
};

/** Where the packages of a place come from. */
export type Mirrors = {
  sources: AptSources[];
  /** The addresses in them, and that of the target's repository. */
  addresses: string[];
  /** Options of apt that this machine needs for them, one a line of apt.conf(5). */
  options: string[];
  /** The proxy that this machine needs for them. */
  upstreamOf: UpstreamOf;
};

/**
 * The mirrors of a series: the one that is given, else those of the machine. The target is among the addresses alone.
 *
 * @throws ImageProblem where there are none, or one is reached neither by http nor by https
 */
export async function readMirrors(
  place: Place,
  { mirror, repositoryOf }: Omit<SourceOptions, 'fetchKey'>,
): Promise<Mirrors> {
  const { series, target } = place;
  const sources =
    mirror === undefined
      ? await readOwn(place)
      : [{ name: '0.list', text: mirrorSource(mirror, place) }];
  if (sources.length === 0) throw new ImageProblem(`This machine has no apt source for ${series}.`);
  // The proxy lets through to what is named here alone, and not to the mirrors of a list that apt fetches.
  const unfetchable = urisOf(sources).find((uri) => !/^https?:\/\//i.test(uri));
  if (unfetchable !== undefined)
    throw new ImageProblem(
      `This machine's apt sources for ${series} have ${unfetchable}, which is neither http nor https: set AIRLINE_TEST_MIRROR.`,
    );
  const all = [...(await readAptOptions()), ...DIRECT_LOOPBACK];
  return {
    sources,
    addresses: [
      ...[...new Set(urisOf(sources))].filter((address) => URL.canParse(address)),
      ...(target ? [repositoryOf(targetPpa(target))] : []),
    ],
    options: all,
    upstreamOf: aptProxy(all),
  };
}

/** The machine's own apt sources for a series, or what they would be. */
async function readOwn({ distribution, series }: Place): Promise<AptSources[]> {
  const named = await readAptSources(series);
  const own = readRelease();
  if (named.length > 0 || own.distribution !== distribution) return named;
  return deriveAptSources(series, own.series, pocketsOf(series, ['Updates', 'Security']));
}

/** The apt source of a mirror (sources.list(5)): the series and the pockets that it has there, with all components. */
function mirrorSource(mirror: string, { distribution, series }: Place): string {
  const components = COMPONENTS[distribution] ?? 'main';
  // Debian's security updates are on a mirror of their own.
  return pocketsOf(series, distribution === 'debian' ? ['Updates'] : ['Updates', 'Security'])
    .map((pocket) => `deb ${mirror} ${suiteOf(series, pocket)} ${components}\n`)
    .join('');
}

/** Release, and of the others those that the series has. */
function pocketsOf(series: string, others: readonly Pocket[]): Pocket[] {
  return ['Release', ...(NEVER_STABLE.includes(series) ? [] : others)];
}

/**
 * The mirrors of a place, and its target as one more apt source.
 *
 * @throws ImageProblem where there are no mirrors, and what fetches the target's key throws
 */
export async function readSources(place: Place, options: SourceOptions): Promise<Mirrors> {
  const mirrors = await readMirrors(place, options);
  const { series, target } = place;
  if (!target) return mirrors;
  const ppa = targetPpa(target);
  const repository = options.repositoryOf(ppa);
  // apt refuses a repository that two sources name with different keys.
  if (mirrors.sources.some(({ text }) => names(text, repository))) return mirrors;
  const text = ppaSource({ repository, series, key: await options.fetchKey(ppa) });
  return { ...mirrors, sources: [...mirrors.sources, { name: 'target.sources', text }] };
}

/**
 * The apt source of a PPA (sources.list(5), deb822), with its key: then no file of it is needed where apt runs.
 *
 * @param key armoured; nothing outside of the armour is taken
 */
export function ppaSource({
  repository,
  series,
  key,
}: {
  repository: string;
  series: string;
  key: string;
}): string {
  const [armoured = ''] = ARMOURED_KEY.exec(key) ?? [];
  return [
    'Types: deb',
    `URIs: ${repository}`,
    `Suites: ${series}`,
    'Components: main',
    'Signed-By:',
    ...armoured.split(/\r\n|\r|\n/).map((line) => ` ${line.trimEnd() || '.'}`),
    '',
  ].join('\n');
}

const ARMOURED_KEY = /-----BEGIN PGP PUBLIC KEY BLOCK-----[^]*?-----END PGP PUBLIC KEY BLOCK-----/;

/** Whether apt sources name a repository, by whatever protocol. */
function names(text: string, repository: string): boolean {
  const bare = (address: string) => address.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return text.split(/\s+/).some((word) => bare(word) === bare(repository));
}
