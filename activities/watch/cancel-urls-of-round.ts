import type { ActivityDependencies } from '../dependencies.ts';
import { askCancelUrl } from '../sources/is-cancel-requested.ts';

/**
 * Asks the cancel URLs of one round of a watch. Each is asked once, however many builds name it. A server that was
 * waited for in vain, and has answered nothing in this round, is asked no more: else each of its URLs would cost its
 * whole time, and the round has to end.
 *
 * @returns asks one: whether its caller is gone. One that is left out cancels nothing until the next round
 */
export function cancelUrlsOfRound(
  deps: Pick<ActivityDependencies, 'sources' | 'cancelUrlTimeoutMs' | 'logger'>,
): (url: string) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>();
  const answering = new Set<string>();
  const silent = new Set<string>();

  async function ask(url: string): Promise<boolean> {
    const { origin } = new URL(url);
    if (silent.has(origin)) return false;
    const answer = await askCancelUrl(url, deps);
    if (answer !== 'late') answering.add(origin);
    else if (!answering.has(origin) && !silent.has(origin)) {
      silent.add(origin);
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
