import { boundedText } from './web-service.ts';

const HTTP_NOT_FOUND = 404;

/** The keyserver of a PPA: Launchpad's own for Launchpad; the stand-in has one itself. */
export function keyserverOf(rootUrl: string): string {
  const isLaunchpad = /(?:^|\.)launchpad\.net$/.test(new URL(rootUrl).hostname);
  return isLaunchpad ? 'https://keyserver.ubuntu.com/' : rootUrl;
}

/**
 * Asks a keyserver for the primary key of a key (HKP, `op=index` with `options=mr`).
 *
 * @returns as `Accounts.findPrimaryKey`
 */
export async function askKeyserver(
  { keyserverUrl, timeoutMs }: { keyserverUrl: string; timeoutMs: number },
  key: string,
): Promise<string | null | undefined> {
  const url = new URL('/pks/lookup', keyserverUrl);
  url.search = new URLSearchParams({ op: 'index', options: 'mr', search: `0x${key}` }).toString();
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': 'airline' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === HTTP_NOT_FOUND) return null;
    const text = await boundedText(response, url);
    return response.ok ? /^pub:([0-9A-F]{16,64}):/im.exec(text)?.[1]?.toUpperCase() : undefined;
  } catch {
    return undefined;
  }
}
