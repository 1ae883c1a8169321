import type { Info } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { atBoundary } from '../../../activities/temporal/failure-boundary.ts';
import { AirlineError } from '../../../domain/errors.ts';
import { PpaUnavailableError } from '../../../ppa/client.ts';
import { runActivity } from '../activity.ts';

const thrown = async (error: unknown, info: Partial<Info> = {}): Promise<unknown> => {
  const { act } = atBoundary({
    act: async (): Promise<void> => {
      throw error;
    },
  });
  return runActivity(act, undefined as never, { info }).catch((reason: unknown) => reason);
};

describe('the boundary between activities and Temporal', () => {
  it('lets results through', async () => {
    const { double } = atBoundary({ double: async (input: number) => input * 2 });
    expect(await double(21)).toBe(42);
  });

  it('makes an error of the catalogue a failure that is not retried, with its code as type', async () => {
    const failure = await thrown(
      new AirlineError('checksum_mismatch', 'hello.dsc is another file'),
    );
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type: 'checksum_mismatch',
      message: 'hello.dsc is another file',
      nonRetryable: true,
    });
  });

  it('gives a PPA the pause that it asks for', async () => {
    const anHour = { scheduledTimestampMs: Date.now(), scheduleToCloseTimeoutMs: 3_600_000 };
    const failure = await thrown(new PpaUnavailableError('503', { retryAfterMs: 7_000 }), anHour);
    expect(failure).toMatchObject({ nonRetryable: false, nextRetryDelay: 7_000 });
  });

  it('leaves time for one more try before the deadline of the activity', async () => {
    const error = new PpaUnavailableError('503', { retryAfterMs: 120_000 });
    const inAMinute = { scheduledTimestampMs: Date.now(), scheduleToCloseTimeoutMs: 60_000 };
    const { nextRetryDelay } = (await thrown(error, inAMinute)) as ApplicationFailure;
    expect(nextRetryDelay).toBeGreaterThan(20_000);
    expect(nextRetryDelay).toBeLessThanOrEqual(30_000);
  });

  it.each([
    new Error('ECONNRESET'),
    new PpaUnavailableError('502'),
    new CancelledFailure('cancelled'),
  ])('leaves %s as it is', async (error) => {
    expect(await thrown(error)).toBe(error);
  });
});
