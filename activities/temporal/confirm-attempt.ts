import { Context } from '@temporalio/activity';
import { ActivityCancelledError } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER_MS = 10_000;

/**
 * Heartbeats, and waits for Temporal's answer, where a plain heartbeat is neither sent at once nor answered. When it
 * returns, Temporal has the details for the next try, and this try is the one that counts: not one that was paused, or
 * cut off from Temporal, for so long that another has begun.
 *
 * @throws CancelledFailure where the activity is to be cancelled; else an Error where this try no longer counts, or
 * where Temporal does not answer within 10 s
 */
export async function confirmAttempt(details: unknown): Promise<void> {
  const context = Context.current();
  const { client, info } = context;
  context.heartbeat(details);
  try {
    await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.activity.heartbeat(info.taskToken, details),
    );
  } catch (error) {
    // The worker learns of it with its own next heartbeat.
    if (error instanceof ActivityCancelledError)
      await Promise.race([context.cancelled, sleep(ANSWER_MS)]);
    throw error;
  }
}
