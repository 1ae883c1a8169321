import { linkTarget } from '../../cli/server/link-header.ts';

/** The API does not give a history; the message says why. */
export class HistoryFetchError extends Error {
  override readonly name = 'HistoryFetchError';
}

/** A run of a build's workflow, as the API gives it. */
export type FetchedHistory = {
  text: string;
  attempt: string;
  runId: string;
};

/** Where the API is. */
export type ApiAddress = { url: string; token?: string | undefined };

// A history can have 50 MB, and Temporal may be slow.
const LIMIT_MS = 600_000;

/**
 * Gets all runs of all attempts of a build from the API, the latest first.
 *
 * @throws HistoryFetchError
 */
export async function* fetchHistories(
  api: ApiAddress,
  buildId: string,
): AsyncGenerator<FetchedHistory> {
  let path: string | undefined = `/api/v1/build/${buildId}/workflow-history/`;
  while (path !== undefined) {
    const { text, links } = await fetchText(new URL(path, api.url), api.token);
    const self = new URL(linkTarget(links, 'self') ?? '', api.url).searchParams;
    yield { text, attempt: self.get('attempt') ?? '', runId: self.get('run') ?? '' };
    path = linkTarget(links, 'prev');
  }
}

async function fetchText(
  url: URL,
  token: string | undefined,
): Promise<{ text: string; links: string }> {
  try {
    const response = await fetch(url, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new HistoryFetchError(refusal(url, response.status, text));
    return { text, links: response.headers.get('link') ?? '' };
  } catch (error) {
    if (error instanceof HistoryFetchError) throw error;
    const cause = (error as Error).cause as Error | undefined;
    throw new HistoryFetchError(
      `${url.href} does not answer, or was cut (${cause?.message || (error as Error).message}). Is Airline running, and is AIRLINE_PUBLIC_URL right?`,
      { cause: error },
    );
  }
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
