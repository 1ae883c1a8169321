/** A whole number within bounds; undefined where the text is none. */
export function wholeNumber(text: string, min: number, max: number): number | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}

/** Prints lines, each with the seconds since now. */
export function startSaying(): (line: string) => void {
  const startedAtMs = Date.now();
  return (line) =>
    console.log(`${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(8)} s  ${line}`);
}

/** Aborts when the measurement is told to stop. */
export function stopSignal(): AbortSignal {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interruption.abort(new Error(`stopped by ${signal}`)));
  return interruption.signal;
}
