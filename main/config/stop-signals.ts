import type { EventEmitter } from 'node:events';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

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
  for (const signal of STOP_SIGNALS) source.on(signal, () => void (stopping ??= stop(signal)));
}

/**
 * Has a signal end a process that still starts, successfully: it has nothing to stop in order. As the first process of
 * a container it would lose a signal that nobody waits for, begin to work after that, and be killed in its work.
 *
 * @param end ends the process
 * @param source emits the signals; by default this process
 * @returns to be called when the start is over, just before what stops the process in order waits for signals
 */
export function endWhileStarting(
  end: () => void = () => process.exit(0),
  source: EventEmitter = process,
): () => void {
  for (const signal of STOP_SIGNALS) source.on(signal, end);
  return () => {
    for (const signal of STOP_SIGNALS) source.off(signal, end);
  };
}
