import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { POCKETS, suiteOf, type Pocket } from '../domain/packages/archive.ts';
import { run } from './command.ts';

/** What this machine runs, and so what it can build for. */
export type Machine = { distribution: string; series: string; architecture: string };

const OS_RELEASE = '/etc/os-release';

/** Reads os-release(5). */
export function readRelease(path = OS_RELEASE): Pick<Machine, 'distribution' | 'series'> {
  const fields = new Map(
    [...readFileSync(path, 'utf8').matchAll(/^([A-Z_]+)="?([^"\n]+)"?$/gm)].map(
      ([, key, value]) => [key, value],
    ),
  );
  return {
    distribution: fields.get('ID') ?? 'unknown',
    series: fields.get('VERSION_CODENAME') ?? 'unknown',
  };
}

/** Reads os-release(5) and asks dpkg. */
export async function readMachine(osRelease = OS_RELEASE): Promise<Machine> {
  return {
    ...readRelease(osRelease),
    architecture: (await run('dpkg', ['--print-architecture'], { timeoutMs: 10_000 })).trim(),
  };
}

/** A file for mmdebstrap with the part of the machine's apt sources that concerns a series. */
export type AptSources = { name: string; text: string };

/** What Debian adds to the name of a series for those of its suites that are no pocket of Launchpad's. */
const DEBIAN_SUITES = ['-proposed-updates', '-backports-sloppy'];
const APT_DIR = '/etc/apt';
/** The field, with the lines that go on with it. */
const SUITES = /^Suites:(.*(?:\n[ \t].*)*)$/im;
const URIS = /^URIs:(.*(?:\n[ \t].*)*)$/gim;
/** An apt source of a line, up to its URI. */
const LINE = /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)/gm;
/** A URI that names a file with mirrors (apt-transport-mirror(1)), as the cloud images of Debian have it. */
const MIRROR_LIST = /\bmirror\+file:(?:\/\/)?(\/[^\s\]]*)/g;
/** A mirror in such a file that serves all that a source has. */
const WHOLE_MIRROR = /^(https?:\/\/\S+)(?:\s+priority:\d+)?\s*$/m;

/**
 * The machine's own apt sources for a series and its pockets, so that a chroot comes from where the machine itself
 * comes from. Other suites are left out, such as a vendor's `bookworm-pgdg`. A vendor's suite that is named like the
 * series itself cannot be told from the distribution's, and is taken. In place of a list of mirrors (`mirror+file:`)
 * comes one of them.
 */
export function readAptSources(series: string, aptDir = APT_DIR): Promise<AptSources[]> {
  return readSources((suite) => (isOf(series, suite) ? suite : undefined), aptDir);
}

/**
 * Apt sources for a series of the machine's distribution that its own do not name: those of its own series, with the
 * suites of the other.
 *
 * @param own the machine's series
 * @param pockets those that the other series has; the machine's own other pockets are left out
 */
export function deriveAptSources(
  series: string,
  own: string,
  pockets: readonly Pocket[],
  aptDir = APT_DIR,
): Promise<AptSources[]> {
  return readSources((suite) => {
    const pocket = pockets.find((one) => suiteOf(own, one) === suite);
    return pocket && suiteOf(series, pocket);
  }, aptDir);
}

/** What is written in place of a suite; undefined where it is left out. */
type SuiteMap = (suite: string) => string | undefined;

async function readSources(map: SuiteMap, aptDir: string): Promise<AptSources[]> {
  const parts = join(aptDir, 'sources.list.d');
  const names = await readdir(parts).catch(() => []);
  const paths = [
    join(aptDir, 'sources.list'),
    ...names.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => join(parts, name)),
  ];
  const found: AptSources[] = [];
  for (const path of paths) {
    const isDeb822 = path.endsWith('.sources');
    if (!isDeb822 && !path.endsWith('.list')) continue;
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const kept = isDeb822 ? stanzasOf(map, text) : linesOf(map, text);
    if (kept !== '')
      found.push({
        name: `${found.length}.${isDeb822 ? 'sources' : 'list'}`,
        text: kept.replace(MIRROR_LIST, (uri, list: string) => readMirrorList(list) ?? uri),
      });
  }
  return found;
}

/** The first whole mirror of a file that is on this machine, but not in a chroot; undefined where there is none. */
function readMirrorList(path: string): string | undefined {
  return existsSync(path) ? WHOLE_MIRROR.exec(readFileSync(path, 'utf8'))?.[1] : undefined;
}

/** The URIs that apt sources name. */
export function urisOf(sources: readonly AptSources[]): string[] {
  return sources.flatMap(({ name, text }) =>
    [...text.matchAll(name.endsWith('.sources') ? URIS : LINE)].flatMap(([, uris = '']) =>
      uris.split(/\s+/).filter((uri) => uri !== ''),
    ),
  );
}

function stanzasOf(map: SuiteMap, text: string): string {
  return text
    .split(/\n(?:[ \t]*\n)+/)
    .map((stanza) => stanza.replace(/^#.*\n?/gm, '').trim())
    .filter(
      (stanza) => /^Types:.*\bdeb\b(?!-)/im.test(stanza) && !/^Enabled:\s*no\b/im.test(stanza),
    )
    .flatMap((stanza) => {
      const suites = (SUITES.exec(stanza)?.[1] ?? '').split(/\s+/);
      const kept = suites.flatMap((suite) => map(suite) ?? []);
      return kept.length > 0 ? [`${stanza.replace(SUITES, `Suites: ${kept.join(' ')}`)}\n`] : [];
    })
    .join('\n');
}

function linesOf(map: SuiteMap, text: string): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const [, head, suite, rest] = /^(deb\s+(?:\[[^\]]*\]\s+)?\S+\s+)(\S+)(.*)$/.exec(line) ?? [];
      const mapped = suite === undefined ? undefined : map(suite);
      return mapped === undefined ? [] : [`${head}${mapped}${rest}\n`];
    })
    .join('');
}

function isOf(series: string, suite: string): boolean {
  return (
    POCKETS.some((pocket) => suite === suiteOf(series, pocket)) ||
    DEBIAN_SUITES.some((end) => suite === `${series}${end}`)
  );
}

/** The options of the machine's apt that its mirror may need: proxies, and leave to be out of date. */
export async function readAptOptions(): Promise<string[]> {
  const dump = await run('apt-config', ['dump'], { timeoutMs: 10_000 });
  return dump
    .split('\n')
    .filter((line) => /^Acquire::(https?::Proxy\b|Check-Valid-Until |Check-Date )/i.test(line));
}
