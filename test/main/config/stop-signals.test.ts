import { EventEmitter } from 'node:events';
import { onStopSignal } from '../../../main/config/stop-signals.ts';

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
