import { setTimeout as sleep } from 'node:timers/promises';
import type { Ppa } from '../domain/ppa.ts';

/** Launchpad's names; only what is measured. */
type Publication = { self_link: string; status: string };
type BuildEntry = { datecreated: string; date_started: string; datebuilt: string };

/** The publication of a source in a PPA, once it is Published: the PPA is then done with the upload. */
export async function publishedSource(
  launchpadUrl: string,
  ppa: Ppa,
  source: { source: string; version: string },
  { limitMs, signal }: { limitMs: number; signal: AbortSignal },
): Promise<Publication> {
  const query = new URLSearchParams({
    'ws.op': 'getPublishedSources',
    source_name: JSON.stringify(source.source),
    version: JSON.stringify(source.version),
    exact_match: 'true',
  });
  const url = `${launchpadUrl}/devel/~${ppa.owner}/+archive/${ppa.distribution}/${ppa.name}?${query.toString()}`;
  const until = Date.now() + limitMs;
  for (;;) {
    const [publication] = (await getEntries<Publication>(url, true)) ?? [];
    if (publication?.status === 'Published') return publication;
    if (Date.now() > until)
      throw new Error(`The PPA has not published ${source.source} within ${limitMs / 1_000} s.`);
    await sleep(250, undefined, { signal });
  }
}

/** Times of the one build record of a publication, in milliseconds since the epoch. */
export async function buildRecordTimes(
  publication: Publication,
): Promise<{ createdAtMs: number; startedAtMs: number; builtAtMs: number }> {
  const [build] = (await getEntries<BuildEntry>(`${publication.self_link}?ws.op=getBuilds`)) ?? [];
  if (!build) throw new Error('The publication has no build record.');
  return {
    createdAtMs: Date.parse(build.datecreated),
    startedAtMs: Date.parse(build.date_started),
    builtAtMs: Date.parse(build.datebuilt),
  };
}

async function getEntries<T>(url: string, mayBeAbsent = false): Promise<T[] | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  const text = await response.text();
  if (mayBeAbsent && response.status === 404) return undefined;
  if (!response.ok) throw new Error(`GET ${url}: ${response.status} ${text}`);
  return (JSON.parse(text) as { entries: T[] }).entries;
}
