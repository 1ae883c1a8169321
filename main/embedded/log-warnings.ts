import { followLog } from './log-files.ts';

/** Calls back for each warning and error that a program adds to its log. @returns ends it */
export function followWarnings(logFile: string, warn: (text: string) => void): () => void {
  return followLog(
    logFile,
    (line) => {
      const warning = warningIn(line);
      if (warning !== undefined) warn(warning);
    },
    ({ message }) => warn(`its log cannot be followed: ${message}`),
  );
}

/** The message of a pino line at level warn (40) or above. */
function warningIn(line: string): string | undefined {
  try {
    const entry = JSON.parse(line) as { level?: number; msg?: string; err?: { message?: string } };
    if ((entry.level ?? 0) < 40) return undefined;
    return [entry.msg, entry.err?.message].filter(Boolean).join(': ');
  } catch {
    // A line that is not JSON is no log entry; it stays in the log.
    return undefined;
  }
}
