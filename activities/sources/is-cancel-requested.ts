import { assertUrlAllowed, shownUrl } from '../../domain/access/source-url.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { openUrl } from './open-url.ts';
import { readBounded } from './read-bounded.ts';
import { dialRule } from './source-address.ts';

const MAX_BYTES = 65_536;

/** What a cancel URL says of its caller. `unclear`: nothing that counts; `late`: nothing in time. Neither cancels. */
type CancelAnswer = 'gone' | 'wanted' | 'unclear' | 'late';

type Dependencies = Pick<ActivityDependencies, 'sources' | 'cancelUrlTimeoutMs' | 'logger'>;

/** Whether the cancel URL says that the caller is gone, as `askCancelUrl` reads it. */
export async function isCancelRequested(url: string, deps: Dependencies): Promise<boolean> {
  return (await askCancelUrl(url, deps)) === 'gone';
}

/**
 * Asks a cancel URL. The caller is gone only where it answers 200 with a JSON object whose `building` is `false`. Any
 * other answer, and none, is logged.
 */
export async function askCancelUrl(
  url: string,
  { sources, cancelUrlTimeoutMs, logger }: Dependencies,
): Promise<CancelAnswer> {
  const signal = AbortSignal.timeout(cancelUrlTimeoutMs);
  try {
    assertUrlAllowed(url, sources.rule);
    const { lookup, refusal } = dialRule(new URL(url), sources.rule, sources.resolve);
    if (refusal) throw refusal;
    const response = await openUrl(url, { signal, idleTimeoutMs: cancelUrlTimeoutMs, lookup });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`it answered ${response.statusCode}`);
    }
    const tooLong = () => new Error(`it answered more than ${MAX_BYTES} bytes`);
    const body = await readBounded(response, MAX_BYTES, tooLong);
    const answer: unknown = JSON.parse(body.toString('utf8'));
    if (typeof answer === 'object' && answer !== null && 'building' in answer) {
      if (typeof answer.building === 'boolean') return answer.building ? 'wanted' : 'gone';
    }
    throw new Error('it has no boolean field building');
  } catch (error) {
    logger.warn(
      { url: shownUrl(url), reason: (error as Error).message },
      'the cancel URL gave no answer that counts',
    );
    return signal.aborted ? 'late' : 'unclear';
  }
}
