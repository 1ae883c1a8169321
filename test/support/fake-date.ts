/**
 * Has `Date` begin at a time, and stand still until it is moved. Sockets and timers keep their own time.
 * `jest.useRealTimers` ends it.
 */
export function fakeDate(now: number): void {
  jest.useFakeTimers({
    now,
    doNotFake: [
      'nextTick',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'performance',
      'queueMicrotask',
      'hrtime',
    ],
  });
}
