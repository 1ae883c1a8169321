import type { ArchitectureBuild, Build, LogTail } from '../../api/openapi/contract.generated.ts';
import { MISSING_LINES } from '../../domain/builds/log-tail.ts';
import { printable } from '../../domain/text/printable.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { pollUntil } from '../server/poll-until.ts';
import { readLines } from '../server/read-lines.ts';
import type { WaitOptions } from '../server/transport.ts';
import { markWith, placeAfter, type Mark } from './log-place.ts';
import { tellEnd } from './watch-build.ts';

const INTERVAL_MS = 2_000;
/** So many of the last characters tell whether a tail goes on from where it was read. */
const SEEN = 80;

/** How far the log of one package on one architecture was printed, of one attempt. */
type Followed = {
  readonly attempt: number;
  end: number;
  /** The last characters of its tail. */
  seen: string;
  /** The last line, which may go on. */
  held: string;
  mark: Mark;
  /** Nothing was printed since the last gap. */
  isCut: boolean;
  problem: string | undefined;
  /** How many lines of the whole log were printed, once that is known. */
  printedLines: number | undefined;
  /** The whole log was printed. */
  isDone: boolean;
};

/**
 * Prints the logs of a build while they are written, and what is left of them when it has ended.
 *
 * @param wanted of which packages and architectures; by default all
 * @returns how the build ended
 */
export async function followLogs(
  context: CommandContext,
  id: number,
  wanted: { package?: string; architecture?: string; timeout?: number },
): Promise<ExitCode> {
  const { api, out } = context;
  const followed = new Map<string, Followed>();
  let lines = 0;
  let isOne = true;
  let last = '';

  const labelled = (one: ArchitectureBuild, text: string) =>
    isOne ? text : `${keyOf(one)}: ${text}`;

  function print(one: ArchitectureBuild, text: string): void {
    lines += 1;
    const { package: name, architecture } = one;
    const line = labelled(one, text);
    if (out.form === 'quiet') void out.show({ json: line, quiet: line, human: () => '' });
    // Colours are the command's: one of a log would go on in the lines after it.
    else out.entry({ package: name, architecture, text }, () => printable(line));
  }

  /** What was printed of the log of an attempt: of a later one it is another log, which begins on a line of its own. */
  function followedOf(one: ArchitectureBuild, attempt: number): Followed {
    const key = keyOf(one);
    const before = followed.get(key);
    if (before?.attempt === attempt) return before;
    if (before) printHeld(one, before);
    if (before && before.end > 0 && !before.isDone) print(one, MISSING_LINES);
    const log: Followed = {
      attempt,
      end: 0,
      seen: '',
      held: '',
      mark: [],
      isCut: false,
      problem: undefined,
      printedLines: undefined,
      isDone: false,
    };
    followed.set(key, log);
    return log;
  }

  /** Prints a last line that does not go on. */
  function printHeld(one: ArchitectureBuild, log: Followed): void {
    if (log.held !== '') print(one, log.held);
    log.held = '';
    last = '';
  }

  function printNew(one: ArchitectureBuild, log: Followed, tail: LogTail): void {
    // Airline removes one that nobody has asked for in a while. The next one may be longer by now.
    const known = tail.text.slice(0, Math.max(tail.text.length - (tail.end - log.end), 0));
    const isAnew = tail.end < log.end || !log.seen.endsWith(known.slice(-SEEN));
    const come = isAnew ? tail.end : tail.end - log.end;
    const isCut = isAnew || come > tail.text.length;
    const gap = isCut ? `${log.held && '\n'}${MISSING_LINES}\n` : '';
    const all = (log.held + gap + (come > 0 ? tail.text.slice(-come) : '')).split('\n');
    log.end = tail.end;
    log.seen = tail.text.slice(-SEEN);
    log.held = all.pop() ?? '';
    last = labelled(one, log.held);
    for (const text of all) {
      print(one, text);
      if (text === MISSING_LINES) log.isCut = true;
      else if (text.trim() !== '') {
        log.mark = markWith(log.isCut ? [] : log.mark, text);
        log.isCut = false;
      }
    }
    const problem = tail.problem?.message;
    if (problem !== undefined && problem !== log.problem)
      out.notice(`${one.package} on ${one.architecture}: ${problem}`);
    log.problem = problem;
  }

  /** The log is read twice where lines of it were printed before: it may be too large to keep. */
  async function printRest(
    one: ArchitectureBuild,
    log: Followed,
    read: () => AsyncIterable<string>,
  ): Promise<void> {
    log.printedLines ??= await placeAfter(read(), log.mark);
    log.held = '';
    if (log.printedLines === undefined)
      out.notice(
        `Cannot find where to continue in this log: \`airline build logs ${id}\` prints all of it.`,
      );
    else {
      let number = 0;
      for await (const text of read()) {
        number += 1;
        if (number <= log.printedLines) continue;
        print(one, text);
        log.printedLines = number;
      }
    }
    last = '';
    log.isDone = true;
  }

  async function* linesOf(url: string, once: WaitOptions): AsyncGenerator<string> {
    const { bytes } = await api.stream(url, once);
    yield* readLines(bytes);
  }

  // What may still go on is shown where it can be taken back.
  out.meanwhile(() => last);
  const ended = await pollUntil(
    context,
    {
      intervalMs: INTERVAL_MS,
      timeoutMs: wanted.timeout,
      place: () => `${lines} lines`,
      resumeHint: `Build ${id} goes on. \`airline build logs ${id} --follow\` comes back to it.`,
    },
    async ({ once, restored }) => {
      const build = await api.get<Build>(`/api/v1/build/${id}/`, {}, once);
      const chosen = build.builds.filter(
        (one) =>
          (wanted.package === undefined || one.package === wanted.package) &&
          (wanted.architecture === undefined || one.architecture === wanted.architecture),
      );
      isOne = chosen.length === 1;
      for (const one of chosen) {
        const { package: name, architecture } = one;
        const known = followed.get(keyOf(one));
        if (known?.isDone && known.attempt === build.attempt) continue;
        const path = `/api/v1/build/${id}/log_tail/`;
        const tail = await api.get<LogTail>(path, { package: name, architecture }, once);
        const log = followedOf(one, tail.attempt);
        // The whole log has what was written too fast for its tail, too.
        const { log: url } = tail;
        const isEnded = build.finished_at !== null;
        if (isEnded && url !== null) await printRest(one, log, () => linesOf(url, once));
        else printNew(one, log, tail);
        if (isEnded) printHeld(one, log);
      }
      // Not before: where a log cannot be read, the build can all the same.
      restored();
      if (build.finished_at === null) return undefined;
      if (chosen.length > 0 || build.builds.length === 0) return build;
      throw new CommandError(`Build ${id} has no such logs.`, {
        code: 'not_found',
        exit: EXIT.notFound,
      });
    },
  ).finally(() => out.meanwhile(undefined));
  // As it was read: by now somebody may have retried it.
  return tellEnd(context, id, ended);
}

function keyOf({ package: name, architecture }: ArchitectureBuild): string {
  return `${name}/${architecture}`;
}
