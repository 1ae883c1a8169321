/**
 * What a try of an upload heartbeats, and what the next one and the workflow find of it. `committing`: the `.changes`
 * is on its way. `delivered`: the server has confirmed it. `broken`: the session ended before the `.changes` was
 * complete, so that nothing can come of it.
 */
export type UploadProgress = {
  phase: 'checking' | 'sending' | 'committing' | 'delivered' | 'broken';
  sentBytes: number;
  totalBytes: number;
  /** Sessions that this try and those before it have begun; tries of older workers say nothing of them. */
  sessions?: number;
};

/** How far an upload is, as messages and the build resource show it. A request may have several packages. */
export type ShownUpload = { package: string; sent_bytes: number; total_bytes: number };

/**
 * Whether the PPA may have what a try has sent: Launchpad takes an upload when its session ends, however it ends, if
 * the `.changes` is complete by then.
 */
export function mayHaveArrived({ phase }: UploadProgress): boolean {
  return phase === 'committing' || phase === 'delivered';
}
