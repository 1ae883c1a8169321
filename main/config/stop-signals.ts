import type { EventEmitter } from 'node:events';

/**
 * Stops a process when it is told to: once, however many signals come. npm passes on what the terminal has sent
 * already, and a signal that nobody waits for would kill the process in the middle of its stop.
 *
 * @param stop is told which signal came first
 * @param source emits the signals; by default this process
 */
export function onStopSignal(
  stop: (signal: NodeJS.Signals) => Promise<void>,
  source: EventEmitter = process,
): void {
  let stopping: Promise<void> | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    source.on(signal, () => void (stopping ??= stop(signal)));
}
