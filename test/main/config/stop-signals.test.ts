import { EventEmitter } from 'node:events';
import { endWhileStarting, onStopSignal } from '../../../main/config/stop-signals.ts';

it('a process stops once, by the first of its signals, and outlives the others', () => {
  const source = new EventEmitter();
  const stops: string[] = [];
  onStopSignal(async (signal) => void stops.push(signal), source);
  source.emit('SIGTERM');
  source.emit('SIGINT');
  source.emit('SIGTERM');
  expect(stops).toEqual(['SIGTERM']);
  // A signal without a listener ends the process.
  for (const signal of ['SIGTERM', 'SIGINT']) expect(source.listenerCount(signal)).toBe(1);
});

it('a process that still starts ends at a signal, and stops in order once it has started', () => {
  const source = new EventEmitter();
  const stops: string[] = [];
  const startIsOver = endWhileStarting(() => void stops.push('at once'), source);
  source.emit('SIGTERM');
  source.emit('SIGINT');
  expect(stops).toEqual(['at once', 'at once']);
  startIsOver();
  onStopSignal(async () => void stops.push('in order'), source);
  source.emit('SIGTERM');
  expect(stops.slice(2)).toEqual(['in order']);
});
