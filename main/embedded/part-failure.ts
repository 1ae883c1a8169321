import { lastLines } from './log-files.ts';

const MAX_LOG_LINES = 40;

/** A part could not be started, or ended by itself. */
export class PartFailure extends Error {
  override readonly name = 'PartFailure';
  readonly part: string;

  constructor(part: string, what: string, logFile: string) {
    const lines = lastLines(logFile, MAX_LOG_LINES);
    const log =
      lines.length > 0 ? `\nIts last log lines (${logFile}):\n  ${lines.join('\n  ')}` : '';
    super(`${part} ${what}${log}`);
    this.part = part;
  }
}
