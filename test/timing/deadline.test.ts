import { withDeadline } from '../../timing/deadline.ts';

const never = new Promise<never>(() => {});

describe('a deadline', () => {
  it('gives what comes of the work, its error included, and leaves no timer', async () => {
    jest.useFakeTimers();
    try {
      expect(await withDeadline(Promise.resolve(7), 1_000)).toBe(7);
      await expect(withDeadline(Promise.reject(new Error('no')), 1_000)).rejects.toThrow('no');
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('fails when the time is over', async () => {
    await expect(withDeadline(never, 5)).rejects.toThrow('no answer within 5 ms');
    await expect(withDeadline(never, 5, 'the broker is silent')).rejects.toThrow(
      'the broker is silent',
    );
  });
});
