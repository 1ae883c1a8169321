import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { readPpa } from './ppa-records.ts';

const POLL_MS = 2_000;
const ANSWER_MS = 5_000;

/**
 * Somebody else with rights on the PPAs: asks them to retry what waits for a dependency, as it does when the
 * dependency has come.
 *
 * @returns ends it
 */
export function startBystander(launchpadUrl: string, stateDir: string): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = run();
  return () => {
    stopping.abort();
    return ended;
  };

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
      // A file that is being moved cannot be read: the next poll does it.
      await retryWaiting().catch(() => undefined);
    }
  }

  async function retryWaiting(): Promise<void> {
    const { builds } = readPpa(join(stateDir, 'stand-in'));
    // Where the PPA is away, the next poll does it.
    for (const { link } of builds.filter(({ state }) => state === 'Dependency wait'))
      await retry(`${launchpadUrl}${link}`).catch(() => undefined);
  }

  async function retry(url: string): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ 'ws.op': 'retry' }),
      headers: { authorization: 'OAuth oauth_consumer_key="bystander", oauth_token="bystander"' },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await response.body?.cancel();
  }
}
