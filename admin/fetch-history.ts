import { publicUrl } from '../main/config/addresses.ts';
import type { Config } from '../main/config/config.ts';
import { parseHistory, type FoundHistory } from './replay/history.ts';

/** The API does not give a history; the message says why. */
export class HistoryFetchError extends Error {
  override readonly name = 'HistoryFetchError';
}

/** A run of a build's workflow, as the API gives it. */
type FetchedHistory = {
  text: string;
  attempt: string;
  runId: string;
  /** Path of the run, or attempt, before this one. */
  previous: string | undefined;
};

// A history can have 50 MB, and Temporal may be slow.
const LIMIT_MS = 600_000;

/** The path of a build's history: of its latest run, or of the attempt and the run that are named. */
export function historyPath(
  buildId: string,
  { attempt, run }: { attempt?: string | undefined; run?: string | undefined } = {},
): string {
  const query = new URLSearchParams({ ...(attempt ? { attempt } : {}), ...(run ? { run } : {}) });
  return `/api/v1/build/${buildId}/workflow-history/${query.size > 0 ? `?${query.toString()}` : ''}`;
}

/**
 * Gets one history from the API, with the token in AIRLINE_TOKEN.
 *
 * @throws HistoryFetchError
 */
export async function fetchHistory(config: Config, path: string): Promise<FetchedHistory> {
  const url = new URL(path, publicUrl(config));
  const token = config.token;
  try {
    const response = await fetch(url, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new HistoryFetchError(refusal(url, response.status, text));
    const links = response.headers.get('link') ?? '';
    const self = new URL(linked(links, 'self') ?? '', url).searchParams;
    return {
      text,
      attempt: self.get('attempt') ?? '',
      runId: self.get('run') ?? '',
      previous: linked(links, 'prev'),
    };
  } catch (error) {
    if (error instanceof HistoryFetchError) throw error;
    const cause = (error as Error).cause as Error | undefined;
    throw new HistoryFetchError(
      `${url.href} does not answer, or was cut (${cause?.message || (error as Error).message}). Is Airline running, and is AIRLINE_PUBLIC_URL right?`,
      { cause: error },
    );
  }
}

/** All runs of all attempts of a build, the latest first. */
export async function* fetchHistoriesOfBuild(
  config: Config,
  buildId: string,
): AsyncGenerator<FetchedHistory> {
  let path: string | undefined = historyPath(buildId);
  while (path !== undefined) {
    const fetched: FetchedHistory = await fetchHistory(config, path);
    yield fetched;
    path = fetched.previous;
  }
}

/** All runs of all attempts of a build, to replay. */
export async function* historiesOfBuild(
  config: Config,
  buildId: string,
): AsyncGenerator<FoundHistory> {
  for await (const { text, attempt, runId } of fetchHistoriesOfBuild(config, buildId))
    yield {
      name: `build ${buildId}, attempt ${attempt}, run ${runId}`,
      history: parseHistory(text),
    };
}

function refusal(url: URL, status: number, text: string): string {
  let { error, hint } = { error: '', hint: '' };
  try {
    ({ error = '', hint = '' } = JSON.parse(text) as { error?: string; hint?: string });
  } catch {
    // Not an answer of ours; its status says what there is to say.
  }
  const token = status === 401 || status === 403 ? ' AIRLINE_TOKEN is the token that is sent.' : '';
  return [`${url.href} answers ${status}.`, error, hint].filter(Boolean).join(' ') + token;
}

/** The target of a link of an RFC 8288 header, as our API writes it. */
function linked(header: string, relation: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${relation}"`).exec(header)?.[1];
}
