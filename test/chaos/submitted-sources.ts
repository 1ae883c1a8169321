import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createTicket, storeUpload } from '../../main/demo/create-ticket.ts';
import { createRest } from '../../main/demo/rest.ts';
import { sideBySide } from '../../timing/side-by-side.ts';
import { type SigningKey } from '../support/signing-key.ts';
import { makeSource, uploadOf } from '../support/source-package.ts';
import { sourcesOf, type Fate } from './fates.ts';
import { packagesOf } from './landing-fates.ts';
import type { PlannedLanding } from './plan.ts';

/** How many landings are prepared side by side. */
const LANDINGS_AT_ONCE = 4;

type Where = { directory: string; key: SigningKey; apiUrl: string; token: string | undefined };

/** The version of every source package of a build; each request has a PPA of its own. */
const VERSION = '1.0';

/**
 * Makes and stores the source packages of some fates.
 *
 * @returns the files' URLs of each fate's request
 */
export async function submitSources(
  fates: ReadonlySet<Fate>,
  options: Where,
): Promise<Map<Fate, string[]>> {
  const urls = new Map<Fate, string[]>();
  for (const fate of fates) {
    const stored = await Promise.all(
      sourcesOf(fate).map((name) => submit({ name, version: VERSION }, options)),
    );
    urls.set(
      fate,
      stored.flatMap((one) => one.urls),
    );
  }
  return urls;
}

/**
 * Makes a ticket for each landing, with its source packages.
 *
 * @returns their ids, in the order of the landings
 */
export async function submitTickets(
  landings: readonly PlannedLanding[],
  options: Where,
): Promise<number[]> {
  const rest = createRest(options.apiUrl, options.token);
  return sideBySide(landings, LANDINGS_AT_ONCE, async (landing) => {
    const uploads = await Promise.all(packagesOf(landing).map((one) => submit(one, options)));
    const title = `Landing ${landing.number}, to be ${landing.fate}`;
    return (await createTicket(rest, title, uploads)).ticket.id;
  });
}

async function submit(
  source: { name: string; version: string; buildDepends?: readonly string[] },
  { directory, key, apiUrl, token }: Where,
) {
  const made = await makeSource({
    directory: mkdtempSync(join(directory, 'source-')),
    key,
    ...source,
  });
  const upload = uploadOf(made);
  return { upload, urls: await storeUpload(apiUrl, upload, token) };
}
