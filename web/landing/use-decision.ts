import { useState } from 'preact/hooks';
import { roughNowMs } from '../clock.ts';
import { ago } from '../format.ts';
import type { Landing } from '../server/api-types.ts';
import { request, RequestError } from '../server/request.ts';

export type LandingDecision = {
  /** Whether the reader was told that the landing was tested anew since, and may decide anyway. */
  isChanged: boolean;
  /**
   * Decides what the reader has seen of the landing.
   *
   * @param key its Idempotency-Key
   * @throws RequestError also where another attempt or round waits by now: it says so, and the next call decides that
   */
  decide: (of: { decision: 'approve' | 'reject'; comment: string }, key: string) => Promise<void>;
};

/** Decides of a landing for a dialog, as the landing was when that opened. */
export function useDecision(landing: Landing): LandingDecision {
  const [seen, setSeen] = useState(landing);
  const [isChanged, setChanged] = useState(false);
  const decide: LandingDecision['decide'] = async (of, key) => {
    const { resource_uri: address, attempt, phase_since: since } = seen;
    const body = { ...of, attempt, approving_since: since };
    try {
      await request('POST', `${address}decide/`, { key, body });
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== 'conflict') throw error;
      const { body: now } = await request<Landing>('GET', address);
      const isOther = now.attempt !== attempt || now.phase_since !== since;
      // The answer says why nothing can be decided now.
      if (!isOther || now.phase !== 'approving' || now.decision) throw error;
      setSeen(now);
      setChanged(true);
      throw testedAnew(error, now);
    }
  };
  return { isChanged, decide };
}

function testedAnew({ status, code }: RequestError, { attempt, phase_since: since }: Landing) {
  return new RequestError({
    status,
    code,
    message: `Since this was opened, it was made and tested anew: attempt ${attempt}, ${ago(since, roughNowMs.peek())}.`,
    hint: 'Go back to look at it; or do it anyway.',
  });
}
