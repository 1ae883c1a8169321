import { createWriteStream } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ppaReference, type Ppa } from '../../domain/packages/ppa.ts';
import { fileNameOfUrl } from '../../domain/packages/source-file.ts';
import { runCommand } from './run-command.ts';

type Collection = { entries: { self_link: string; status: string }[] };

/**
 * Downloads the packages that the PPA has built of a source, once they are Published.
 *
 * @param launchpadUrl root of the web service, without the version
 * @returns paths of the `.deb` files
 * @throws Error where none is Published within the limit
 */
export async function fetchBuiltPackages(options: {
  launchpadUrl: string;
  ppa: Ppa;
  source: string;
  version: string;
  directory: string;
  limitMs: number;
}): Promise<string[]> {
  const [owner, distribution, name] = ppaReference(options.ppa).split('/');
  const archive = `${options.launchpadUrl.replace(/\/$/, '')}/devel/${owner}/+archive/${distribution}/${name}`;
  const query = (operation: string, parameters: Record<string, unknown> = {}) => {
    const search = new URLSearchParams({ 'ws.op': operation });
    for (const [key, value] of Object.entries(parameters)) search.set(key, JSON.stringify(value));
    return `?${search.toString()}`;
  };
  const untilMs = Date.now() + options.limitMs;
  for (;;) {
    const sources = await getJson<Collection>(
      archive +
        query('getPublishedSources', {
          source_name: options.source,
          version: options.version,
          exact_match: true,
        }),
    );
    const publication = sources.entries[0]?.self_link;
    const binaries = publication
      ? await getJson<Collection>(publication + query('getPublishedBinaries'))
      : { entries: [] };
    if (
      binaries.entries.length > 0 &&
      binaries.entries.every(({ status }) => status === 'Published')
    ) {
      const urls = await Promise.all(
        binaries.entries.map((binary) =>
          getJson<string[]>(binary.self_link + query('binaryFileUrls')),
        ),
      );
      return Promise.all([...new Set(urls.flat())].map((url) => download(url, options.directory)));
    }
    if (Date.now() > untilMs)
      throw new Error(`The PPA has published no package of ${options.source} ${options.version}.`);
    await delay(1_000);
  }
}

/** What `dpkg-deb --info` says of a package. */
export function packageInfo(path: string): Promise<string> {
  return runCommand('dpkg-deb', ['--info', path], { cwd: '/' });
}

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (!response.ok) throw new Error(`GET ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function download(url: string, directory: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!response.ok || !response.body) throw new Error(`GET ${url}: ${response.status}`);
  const path = join(directory, basename(fileNameOfUrl(url)));
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(path));
  return path;
}
