import { describeExit, type Child, type Exit } from './child-process.ts';
import { boundLog } from './log-files.ts';
import { followWarnings } from './log-warnings.ts';
import type { Part, Progress, Service, StartContext } from './part.ts';
import { PartFailure } from './part-failure.ts';
import { createRun, launch, logFileOf, type StackDirectories } from './part-processes.ts';
import { endMarked } from './stale-processes.ts';
import { waitUntil } from './wait-until.ts';

const DEFAULT_LOG_CHECK_MS = 30_000;

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
 * @param report takes what happens
 * @param logCheckMs interval at which logs that have grown too large are moved aside
 */
export function createSupervisor(
  directories: StackDirectories,
  report: (progress: Progress) => void,
  logCheckMs = DEFAULT_LOG_CHECK_MS,
): Supervisor {
  const startedAt = Date.now();
  const running = new Map<string, { service: Service; child: Child; unfollow: () => void }>();
  const known = new Map<string, Part>();
  const abort = new AbortController();
  let stopping: Promise<void> | undefined;
  let fail!: (failure: PartFailure) => void;
  const failed = new Promise<PartFailure>((resolve) => (fail = resolve));
  const logTimer = setInterval(() => {
    for (const name of running.keys())
      try {
        boundLog(logFileOf(directories, name));
      } catch (error) {
        // Thrown from a timer it would end this process, and every part with it.
        say(name, 'warning', `its log cannot be moved aside: ${(error as Error).message}`);
      }
  }, logCheckMs);
  logTimer.unref();

  const say = (part: string, kind: Progress['kind'], text: string, since = startedAt) =>
    report({ part, kind, text, elapsedMs: Date.now() - since });

  const failure = (name: string, what: string) =>
    new PartFailure(name, what, logFileOf(directories, name));

  function contextOf(name: string): StartContext {
    return {
      signal: abort.signal,
      note: (text) => say(name, 'note', text),
      run: createRun(directories, name, abort.signal),
    };
  }

  async function startService(service: Service): Promise<void> {
    const { name } = service;
    const context = contextOf(name);
    await service.prepare?.(context);
    abort.signal.throwIfAborted();
    const { child, forget } = await launch(
      directories,
      name,
      service.command(),
      service.stopSignal,
    );
    const unfollow = service.logsJson
      ? followWarnings(logFileOf(directories, name), (text) => say(name, 'warning', text))
      : () => undefined;
    running.set(name, { service, child, unfollow });
    let isReady = false;
    const ended = child.exited.then((exit) => {
      child.killGroup();
      forget();
      if (isReady && !stopping)
        fail(failure(name, `${describeExit(exit)} while the stack was running.`));
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
        const advice = service.advice?.();
        const what = `${describeExit(await child.exited)} instead of starting.`;
        throw failure(name, advice === undefined ? what : `${what}\n${advice}`);
      }
      throw failure(name, `did not start: ${String(outcome.error)}`);
    }
    isReady = true;
    await service.complete?.(context);
    say(name, 'ready', service.summary());
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
