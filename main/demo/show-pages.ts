const LIMIT_MS = 10_000;

/** Fetches pages of the web UI, and names them. @throws Error where one is no page */
export async function showPages(
  apiUrl: string,
  paths: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  for (const path of paths) {
    const answer = await fetch(`${apiUrl}${path}`, { signal: AbortSignal.timeout(LIMIT_MS) });
    const text = await answer.text();
    if (!answer.ok || !text.includes('<script'))
      throw new Error(`${apiUrl}${path} is not a page: it answers ${answer.status}.`);
    say(`page: ${apiUrl}${path}`);
  }
}
