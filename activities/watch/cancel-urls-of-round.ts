import type { ActivityDependencies } from '../dependencies.ts';
import { askCancelUrl } from '../sources/is-cancel-requested.ts';

/** So many of all servers are asked at once. */
export const CANCEL_URLS_AT_ONCE = 30;
/** A server that takes up all of these is asked for so long in one round. */
export const SERVER_MS = 30_000;

/**
 * Asks the cancel URLs of one round of a watch. Each is asked once, however many builds name it. The round has to end,
 * so that a server is asked no more
 *
 * - that was waited for in vain, and has answered nothing in this round: else each of its URLs would cost its whole
 *   time;
 * - that has answered, but with all its answers has taken the time of a server.
 *
 * @param now a clock in milliseconds that nobody sets
 * @returns asks one: whether its caller is gone. One that is left out cancels nothing until a later round
 */
export function cancelUrlsOfRound(
  deps: Pick<ActivityDependencies, 'sources' | 'cancelUrlTimeoutMs' | 'logger'>,
  now = () => performance.now(),
): (url: string) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>();
  const answering = new Set<string>();
  const leftOut = new Set<string>();
  const spentMs = new Map<string, number>();

  async function ask(url: string): Promise<boolean> {
    const { origin } = new URL(url);
    if (leftOut.has(origin)) return false;
    const begunMs = now();
    const answer = await askCancelUrl(url, deps);
    const spent = (spentMs.get(origin) ?? 0) + now() - begunMs;
    spentMs.set(origin, spent);
    if (answer !== 'late') answering.add(origin);
    const isOver = !answering.has(origin) || spent >= CANCEL_URLS_AT_ONCE * SERVER_MS;
    if (isOver && !leftOut.has(origin)) {
      leftOut.add(origin);
      deps.logger.warn({ origin }, 'its further cancel URLs are left out of this round');
    }
    return answer === 'gone';
  }

  return (url) => {
    const answer = asked.get(url) ?? ask(url);
    asked.set(url, answer);
    return answer;
  };
}
