import { join } from 'node:path';
import {
  describeExit,
  startChild,
  type Child,
  type Command,
  type Exit,
} from '../../main/embedded/child-process.ts';
import { lastLines } from '../../main/embedded/log-files.ts';
import type { Part, Service, StartContext } from '../../main/embedded/part.ts';
import { STACK_MARKER } from '../../main/embedded/stale-processes.ts';
import { waitUntil } from '../../main/embedded/wait-until.ts';
import { killTree, signalTree } from './process-tree.ts';

// A part may need another one that is down just now.
const UP_TIMEOUT_MS = 180_000;
const POLL_MS = 250;
const RESTART_DELAY_MS = 500;
const SECOND_SIGNAL_MS = 10;
const MAX_LOG_LINES = 15;

/** A part that ended without having been told to. */
export type UnaskedEnd = { part: string; atMs: number; how: string; lastLines: string[] };

/**
 * `down`: it ended by itself and comes back soon; `killed`: whoever did it starts it again; `gone`: for good; `cut`: it
 * runs, and not all reach it.
 */
type PartState = 'down' | 'starting' | 'up' | 'paused' | 'killed' | 'gone' | 'cut';

/** A service under chaos: unlike the supervisor's, it may end at any time, and comes back. */
export type RunningPart = {
  readonly name: string;
  readonly state: PartState;
  /** How often its program was started. */
  readonly starts: number;
  /** The process that it is now. */
  readonly pid: number;
  /** Starts its program. Resolves when that runs; `up` tells when it does its work. */
  start(): Promise<void>;
  /** Resolves when the part is up. @throws where it does not come up, whatever is done to others */
  up(): Promise<void>;
  kill(): Promise<void>;
  pause(): void;
  goOn(): void;
  /** Asks it to end in order, for good. */
  end(): Promise<Exit>;
};

/**
 * Runs the embedded stack's parts so that they can be killed.
 *
 * @param stateDir whose stack it is: its processes carry it as their marker
 */
export function createPartRunner({ stateDir, logDir }: { stateDir: string; logDir: string }) {
  const unaskedEnds: UnaskedEnd[] = [];
  const beganMs = Date.now();

  const launch = (name: string, command: Command, deathSignal: NodeJS.Signals) =>
    startChild(
      { ...command, environment: { ...command.environment, [STACK_MARKER]: stateDir } },
      join(logDir, `${name}.log`),
      deathSignal,
    );

  function contextOf(name: string): StartContext {
    return {
      signal: new AbortController().signal,
      note: () => undefined,
      async run(command, timeoutMs) {
        const child = await launch(name, command, 'SIGTERM');
        const timer = setTimeout(() => child.killGroup(), timeoutMs);
        const exit = await child.exited;
        clearTimeout(timer);
        if (exit.code !== 0)
          throw new Error(
            `${name} ${describeExit(exit)}\n${lastLines(join(logDir, `${name}.log`), MAX_LOG_LINES).join('\n')}`,
          );
      },
    };
  }

  /**
   * Starts all parts, each when those it needs are up; steps are done once.
   *
   * @param running takes the services, by name
   */
  async function startAll(
    parts: readonly Part[],
    running: Map<string, RunningPart>,
  ): Promise<void> {
    const begun = new Map<string, Promise<void>>();
    const begin = (part: Part): Promise<void> => {
      const underWay = begun.get(part.name);
      if (underWay) return underWay;
      const beginning = (async () => {
        await Promise.all(parts.filter(({ name }) => part.needs.includes(name)).map(begin));
        if (part.kind === 'step') {
          await part.perform(contextOf(part.name));
          return;
        }
        const started = prepare(part);
        running.set(part.name, started);
        await started.start();
        await started.up();
      })();
      begun.set(part.name, beginning);
      return beginning;
    };
    await Promise.all(parts.map(begin));
  }

  /** A part that has not started yet. */
  function prepare(service: Service): RunningPart {
    const { name } = service;
    let state: PartState = 'down';
    let child: Child | undefined;
    let starts = 0;
    let pollNumber = 0;

    async function start(): Promise<void> {
      state = 'starting';
      await service.prepare?.(contextOf(name));
      starts += 1;
      // A log of its own for every start, so that none is overwritten.
      const log = starts === 1 ? name : `${name}.start-${starts}`;
      const started = await launch(log, service.command(), service.stopSignal);
      child = started;
      void started.exited.then((exit) => {
        if (child === started && (state === 'starting' || state === 'up')) endedUnasked(exit, log);
        return undefined;
      });
      pollReady();
    }

    function endedUnasked(exit: Exit, log: string): void {
      unaskedEnds.push({
        part: name,
        atMs: Date.now() - beganMs,
        how: describeExit(exit),
        lastLines: lastLines(join(logDir, `${log}.log`), MAX_LOG_LINES),
      });
      state = 'down';
      child?.killGroup();
      setTimeout(() => {
        if (state === 'down') void start();
      }, RESTART_DELAY_MS);
    }

    /** Sees when it is up. Where that never comes, `up` says so to whoever waits for it. */
    function pollReady(): void {
      const mine = ++pollNumber;
      const isUp = async () => {
        if (mine !== pollNumber || state !== 'starting') return true;
        if (!(await service.isReady())) return false;
        await service.complete?.(contextOf(name));
        if (mine === pollNumber && state === 'starting') state = 'up';
        return true;
      };
      waitUntil(name, isUp, { timeoutMs: UP_TIMEOUT_MS, intervalMs: POLL_MS }).catch(
        () => undefined,
      );
    }

    return {
      name,
      get state() {
        return state;
      },
      get starts() {
        return starts;
      },
      get pid() {
        return child?.identity.pid ?? 0;
      },
      start,
      up: () =>
        waitUntil(`${name} up`, () => state === 'up', {
          timeoutMs: UP_TIMEOUT_MS,
          intervalMs: POLL_MS,
        }),
      async kill() {
        state = 'killed';
        const victim = child;
        // The news of its end may come when the next one is starting already, whose end it is not.
        child = undefined;
        if (victim) await killTree(victim.identity.pid);
      },
      pause() {
        state = 'paused';
        if (child) signalTree(child.identity.pid, 'SIGSTOP');
      },
      goOn() {
        if (child) signalTree(child.identity.pid, 'SIGCONT');
        state = 'starting';
        pollReady();
      },
      async end() {
        state = 'gone';
        if (!child) return { code: null, signal: null };
        const ending = child;
        // Twice, as npm does with what a terminal has sent already.
        ending.signal(service.stopSignal);
        setTimeout(() => ending.signal(service.stopSignal), SECOND_SIGNAL_MS);
        const timer = setTimeout(() => ending.killGroup(), service.stopTimeoutMs);
        const exit = await ending.exited;
        clearTimeout(timer);
        return exit;
      },
    };
  }

  return { startAll, prepare, unaskedEnds };
}
