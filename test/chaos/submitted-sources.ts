import { mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { storeUpload } from '../../main/demo/create-ticket.ts';
import { makeSource, type SigningKey } from '../support/source-package.ts';
import { sourcesOf, type Fate } from './fates.ts';

/** The version of every source package; each request has a PPA of its own. */
const VERSION = '1.0';

/**
 * Makes and stores the source packages of some fates.
 *
 * @returns the files' URLs of each fate's request
 */
export async function submitSources(
  fates: ReadonlySet<Fate>,
  options: { directory: string; key: SigningKey; apiUrl: string },
): Promise<Map<Fate, string[]>> {
  const urls = new Map<Fate, string[]>();
  for (const fate of fates) {
    const stored = await Promise.all(sourcesOf(fate).map((name) => submit(name, options)));
    urls.set(fate, stored.flat());
  }
  return urls;
}

async function submit(
  name: string,
  { directory, key, apiUrl }: { directory: string; key: SigningKey; apiUrl: string },
): Promise<string[]> {
  const made = await makeSource({
    directory: mkdtempSync(join(directory, 'source-')),
    key,
    name,
    version: VERSION,
  });
  return storeUpload(apiUrl, {
    source: made.name,
    version: made.version,
    directory: made.directory,
    files: made.files.map((path) => basename(path)),
  });
}
