import type { ArchitectureBuild, Build, LogTail } from '../../api/openapi/contract.generated.ts';
import { MISSING_LINES } from '../../domain/log-tail.ts';
import { printable, printableLine } from '../../domain/printable.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { pollUntil } from '../server/poll-until.ts';
import { tellEnd } from './watch-build.ts';

const INTERVAL_MS = 2_000;
/** By so many lines that were printed, the place in the whole log is found. */
const MARK_LINES = 8;

/** How far the log of one package on one architecture was printed. */
type Followed = {
  end: number;
  /** The last line, which may go on. */
  held: string;
  /** The last lines that were printed without a gap between them, without the empty ones. */
  mark: string[];
  /** Nothing was printed since the last gap. */
  isCut: boolean;
  problem: string | undefined;
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
    isOne ? text : `${one.package}/${one.architecture}: ${text}`;

  function print(one: ArchitectureBuild, text: string): void {
    lines += 1;
    const { package: name, architecture } = one;
    const line = labelled(one, out.isTerminal ? printable(text) : text);
    if (out.form === 'quiet') void out.show({ json: line, quiet: line, human: () => '' });
    else out.entry({ package: name, architecture, text }, () => line);
  }

  function printNew(one: ArchitectureBuild, log: Followed, tail: LogTail): void {
    const come = tail.end - log.end;
    const gap = come > tail.text.length ? `${log.held && '\n'}${MISSING_LINES}\n` : '';
    const all = (log.held + gap + (come > 0 ? tail.text.slice(-come) : '')).split('\n');
    log.end = tail.end;
    log.held = all.pop() ?? '';
    last = labelled(one, log.held);
    for (const text of all) {
      print(one, text);
      if (text === MISSING_LINES) log.isCut = true;
      else if (text.trim() !== '') {
        log.mark = [...(log.isCut ? [] : log.mark), text].slice(-MARK_LINES);
        log.isCut = false;
      }
    }
    const problem = tail.problem?.message;
    if (problem !== undefined && problem !== log.problem)
      out.notice(`${one.package} on ${one.architecture}: ${problem}`);
    log.problem = problem;
  }

  async function printRest(one: ArchitectureBuild, log: Followed, url: string): Promise<void> {
    const whole = (await api.text(url)).replace(/\n$/, '').split('\n');
    const from = placeAfter(whole, log.mark);
    if (from !== undefined) for (const text of whole.slice(from)) print(one, text);
    else
      out.notice(`The end of this log is not where it was: \`airline build logs ${id}\` has it.`);
  }

  // What may still go on is shown where it can be taken back.
  out.meanwhile(() => printableLine(last));
  await pollUntil(
    context,
    {
      intervalMs: INTERVAL_MS,
      timeoutMs: wanted.timeout,
      place: () => `${lines} lines`,
      resumeHint: `Build ${id} goes on. \`airline build logs ${id} --follow\` comes back to it.`,
    },
    async ({ once, restored }) => {
      const build = await api.get<Build>(`/api/v1/build/${id}/`, {}, once);
      restored();
      const chosen = build.builds.filter(
        (one) =>
          (wanted.package === undefined || one.package === wanted.package) &&
          (wanted.architecture === undefined || one.architecture === wanted.architecture),
      );
      isOne = chosen.length === 1;
      for (const one of chosen) {
        const { package: name, architecture } = one;
        const key = `${name}/${architecture}`;
        const log = followed.get(key) ?? {
          end: 0,
          held: '',
          mark: [],
          isCut: false,
          problem: undefined,
        };
        followed.set(key, log);
        const path = `/api/v1/build/${id}/log_tail/`;
        const tail = await api.get<LogTail>(path, { package: name, architecture }, once);
        // The whole log has what was written too fast for its tail, too.
        if (build.finished_at !== null && tail.log !== null) await printRest(one, log, tail.log);
        else printNew(one, log, tail);
      }
      if (build.finished_at === null) return undefined;
      if (chosen.length > 0 || build.builds.length === 0) return build;
      throw new CommandError(`Build ${id} has no such logs.`, {
        code: 'not_found',
        exit: EXIT.notFound,
      });
    },
  ).finally(() => out.meanwhile(undefined));
  return tellEnd(context, id, undefined);
}

/**
 * Where a log goes on after lines that were printed; undefined where they are not in it. The page that they came from may
 * begin within a line; it leaves out empty lines, and spaces at the ends of lines.
 *
 * @param mark the last lines that were printed
 */
function placeAfter(whole: readonly string[], mark: readonly string[]): number | undefined {
  if (mark.length === 0) return 0;
  const filled = whole
    .map((text, at) => ({ text: text.trimEnd(), at }))
    .filter(({ text }) => text !== '');
  for (let first = filled.length - mark.length; first >= 0; first--) {
    const isHere = mark.every((text, at) => {
      const line = filled[first + at]?.text ?? '';
      return at === 0 ? line.endsWith(text.trimEnd()) : line === text.trimEnd();
    });
    if (isHere) return (filled[first + mark.length - 1]?.at ?? 0) + 1;
  }
  return undefined;
}
