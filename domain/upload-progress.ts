/**
 * What a try of an upload heartbeats, and what the next one and the workflow find of it. `committing`: the `.changes` is
 * on its way. `delivered`: the server has confirmed it. `broken`: the session ended before the `.changes` was complete,
 * so that nothing can come of it.
 */
export type UploadProgress = {
  phase: 'checking' | 'sending' | 'committing' | 'delivered' | 'broken';
  sentBytes: number;
  totalBytes: number;
};

/**
 * Whether the PPA may have what a try has sent: Launchpad takes an upload when its session ends, however it ends, if the
 * `.changes` is complete by then.
 */
export function mayHaveArrived({ phase }: UploadProgress): boolean {
  return phase === 'committing' || phase === 'delivered';
}
