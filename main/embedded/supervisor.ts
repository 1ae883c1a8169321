import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeExit, startChild, type Child, type Command, type Exit } from './child-process.ts';
import { boundLog, followLog, lastLines } from './log-files.ts';
import type { Part, Progress, Service, StartContext } from './part.ts';
import { endMarked, STACK_MARKER, type ProcessRecord } from './stale-processes.ts';
import { waitUntil } from './wait-until.ts';

const LOG_CHECK_INTERVAL_MS = 30_000;
const SHOWN_LOG_LINES = 40;

/** A part could not be started, or ended by itself. */
export class PartFailure extends Error {
  override readonly name = 'PartFailure';
  readonly part: string;

  constructor(part: string, what: string, logFile: string, options?: ErrorOptions) {
    const lines = lastLines(logFile, SHOWN_LOG_LINES);
    const log =
      lines.length > 0 ? `\nIts last log lines (${logFile}):\n  ${lines.join('\n  ')}` : '';
    super(`${part} ${what}${log}`, options);
    this.part = part;
  }
}

export type Supervisor = {
  /** Starts parts, each as soon as those it needs are ready. A failure stops what was started, then throws. */
  start: (parts: readonly Part[], signal?: AbortSignal) => Promise<void>;
  /**
   * Stops each part once those that need it have stopped, then ends what they have left behind. Safe to call again.
   *
   * @throws Error that names the processes that do not end
   */
  stop: () => Promise<void>;
  /** Resolves when a running part ends by itself. */
  failed: Promise<PartFailure>;
};

/**
 * Runs parts as child processes.
 *
 * @param directories whose stack it is (`stateDir`), where pid files (`runDir`) and logs (`logDir`) go; all exist
 * @param report takes what happens
 */
export function createSupervisor(
  directories: { stateDir: string; runDir: string; logDir: string },
  report: (progress: Progress) => void,
): Supervisor {
  const startedAt = Date.now();
  const running = new Map<string, { service: Service; child: Child; unfollow: () => void }>();
  const known = new Map<string, Part>();
  const abort = new AbortController();
  let stopping: Promise<void> | undefined;
  let fail!: (failure: PartFailure) => void;
  const failed = new Promise<PartFailure>((resolve) => (fail = resolve));
  const logTimer = setInterval(() => {
    for (const name of running.keys()) boundLog(logFile(name));
  }, LOG_CHECK_INTERVAL_MS);
  logTimer.unref();

  const logFile = (name: string) => join(directories.logDir, `${name}.log`);
  const say = (part: string, kind: Progress['kind'], text: string, since = startedAt) =>
    report({ part, kind, text, elapsedMs: Date.now() - since });

  async function launch(
    name: string,
    command: Command,
    stopSignal: NodeJS.Signals,
  ): Promise<{ child: Child; forget: () => void }> {
    const marked = {
      ...command,
      environment: { ...command.environment, [STACK_MARKER]: directories.stateDir },
    };
    const child = await startChild(marked, logFile(name), stopSignal);
    const record = join(directories.runDir, `${name}.json`);
    writeFileSync(
      record,
      JSON.stringify({ part: name, stopSignal, ...child.identity } satisfies ProcessRecord),
    );
    return { child, forget: () => rmSync(record, { force: true }) };
  }

  function contextOf(name: string): StartContext {
    return {
      signal: abort.signal,
      note: (text) => say(name, 'note', text),
      run: async (command, timeoutMs) => {
        abort.signal.throwIfAborted();
        const { child, forget } = await launch(name, command, 'SIGTERM');
        const limit = AbortSignal.any([abort.signal, AbortSignal.timeout(timeoutMs)]);
        const end = () => child.killGroup();
        limit.addEventListener('abort', end, { once: true });
        const exit = await child.exited;
        limit.removeEventListener('abort', end);
        child.killGroup();
        forget();
        abort.signal.throwIfAborted();
        if (limit.aborted)
          throw new PartFailure(name, `took longer than ${timeoutMs / 1_000} s`, logFile(name));
        if (exit.code !== 0)
          throw new PartFailure(
            name,
            `failed: ${[command.file, ...command.args].join(' ')} ${describeExit(exit)}`,
            logFile(name),
          );
      },
    };
  }

  async function startService(service: Service): Promise<void> {
    const { name } = service;
    const context = contextOf(name);
    await service.prepare?.(context);
    abort.signal.throwIfAborted();
    const { child, forget } = await launch(name, service.command(), service.stopSignal);
    const unfollow = service.logsJson ? followWarnings(name) : () => undefined;
    running.set(name, { service, child, unfollow });
    let isReady = false;
    const ended = child.exited.then((exit) => {
      child.killGroup();
      forget();
      if (isReady && !stopping)
        fail(
          new PartFailure(
            name,
            `${describeExit(exit)} while the stack was running.`,
            logFile(name),
          ),
        );
      return exit;
    });
    const earlyEnd = new AbortController();
    void ended.then(() => earlyEnd.abort());
    const ready = waitUntil(name, service.isReady, {
      timeoutMs: service.startTimeoutMs,
      signal: AbortSignal.any([abort.signal, earlyEnd.signal]),
    });
    const outcome = await Promise.race([
      ended.then((exit): { exit: Exit } => ({ exit })),
      ready.then(
        () => 'ready' as const,
        (error: unknown) => ({ error }),
      ),
    ]);
    abort.signal.throwIfAborted();
    if (outcome !== 'ready') {
      if ('exit' in outcome || earlyEnd.signal.aborted) {
        unfollow();
        running.delete(name);
        throw new PartFailure(
          name,
          `${describeExit(await child.exited)} instead of starting.`,
          logFile(name),
        );
      }
      throw new PartFailure(name, `did not start: ${String(outcome.error)}`, logFile(name));
    }
    isReady = true;
    await service.complete?.(context);
    say(name, 'ready', service.summary());
  }

  function followWarnings(name: string): () => void {
    return followLog(logFile(name), (line) => {
      const warning = warningIn(line);
      if (warning !== undefined) say(name, 'warning', warning);
    });
  }

  async function start(parts: readonly Part[], signal?: AbortSignal): Promise<void> {
    const giveUp = () => abort.abort(signal?.reason);
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    for (const part of parts) known.set(part.name, part);
    const started = new Map<string, Promise<void>>();
    const startPart = (part: Part): Promise<void> => {
      const underWay = started.get(part.name);
      if (underWay) return underWay;
      const starting = (async () => {
        await Promise.all(
          part.needs
            .map((name) => parts.find((other) => other.name === name))
            .filter((needed) => needed !== undefined)
            .map(startPart),
        );
        abort.signal.throwIfAborted();
        if (part.kind === 'service') return startService(part);
        say(part.name, 'ready', await part.perform(contextOf(part.name)));
      })();
      started.set(part.name, starting);
      return starting;
    };
    try {
      await Promise.all(parts.map(startPart));
      const early = await Promise.race([failed, Promise.resolve(undefined)]);
      if (early) throw early;
    } catch (error) {
      abort.abort(error);
      await Promise.allSettled(started.values());
      await stop();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** Whether a part needs another, be it through parts between them. */
  function requires(part: Part, name: string): boolean {
    return part.needs.some((needed) => {
      const between = known.get(needed);
      return needed === name || (between !== undefined && requires(between, name));
    });
  }

  function stop(): Promise<void> {
    stopping ??= (async () => {
      const began = Date.now();
      const stopped = new Map<string, Promise<void>>();
      const stopPart = (name: string): Promise<void> => {
        const underWay = stopped.get(name);
        if (underWay) return underWay;
        const stoppingPart = (async () => {
          const users = [...running.values()].filter(({ service }) => requires(service, name));
          await Promise.all(users.map(({ service }) => stopPart(service.name)));
          await stopService(name, began);
        })();
        stopped.set(name, stoppingPart);
        return stoppingPart;
      };
      await Promise.all([...running.keys()].map(stopPart));
      clearInterval(logTimer);
      await endMarked(directories.stateDir);
    })();
    return stopping;
  }

  async function stopService(name: string, began: number): Promise<void> {
    const entry = running.get(name);
    if (!entry) return;
    const { service, child, unfollow } = entry;
    child.signal(service.stopSignal);
    const timer = setTimeout(() => {
      say(name, 'warning', `did not stop within ${service.stopTimeoutMs / 1_000} s: killed`, began);
      child.killGroup();
    }, service.stopTimeoutMs);
    const exit = await child.exited;
    clearTimeout(timer);
    child.killGroup();
    unfollow();
    running.delete(name);
    say(name, 'stopped', describeExit(exit), began);
  }

  return { start, stop, failed };
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
