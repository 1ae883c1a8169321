import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivitySlotInfo, CustomSlotSupplier, WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createPermits } from '../../timing/semaphore.ts';

const LOOK_MS = 10_000;
/** Of the kinds of tasks that a tester takes none of. */
const UNUSED = { type: 'fixed-size', numSlots: 10 } as const;

/** What a tester's slots say of its disk. */
export type Room = {
  /** Whether it takes no work, as its disk is short. */
  isShort: boolean;
};

export type SlotRule = {
  /** How many works it does at once. */
  slots: number;
  /** Whether the disk takes one more; where it throws, nobody can tell, and a slot is given. */
  hasRoom: () => Promise<boolean>;
  /** Kept up to date for others: no slot is given while it is short. */
  room: Room;
  logger: Logger;
  /** Waits until the disk is looked at once more; it throws at the signal. */
  pause?: (signal: AbortSignal) => Promise<void>;
};

/** What a tester's Temporal worker is made with, so that its slots are those of slotsWithRoom. */
export function workerSlots(
  rule: SlotRule,
): Pick<WorkerOptions, 'tuner' | 'maxConcurrentActivityTaskPolls'> {
  return {
    tuner: {
      workflowTaskSlotSupplier: UNUSED,
      activityTaskSlotSupplier: slotsWithRoom(rule),
      localActivityTaskSlotSupplier: UNUSED,
      nexusTaskSlotSupplier: UNUSED,
    },
    // Each free slot asks for work: dispatch/describe-workers.ts counts them by that.
    maxConcurrentActivityTaskPolls: rule.slots,
  };
}

/** @throws Error while a tester takes no work, as its disk is short */
export async function assertRoom({ isShort }: Room): Promise<void> {
  if (isShort) throw new Error('the disk of the tester is short: it takes no work');
}

/**
 * Slots of a tester that are given only while its disk has room. A Temporal worker takes a slot before it asks for
 * work: a tester whose disk is short leaves the work to others, else it would take all of it, and fail it at once.
 */
export function slotsWithRoom({
  slots,
  hasRoom,
  room,
  logger,
  pause = (signal) => sleep(LOOK_MS, undefined, { signal }),
}: SlotRule): CustomSlotSupplier<ActivitySlotInfo> {
  const permits = createPermits(slots);

  async function untilRoom(signal: AbortSignal): Promise<void> {
    while (!(await hasRoom().catch(() => true))) {
      if (!room.isShort)
        logger.error(
          { alarm: 'tester_disk_short' },
          'the disk of the tester is short: it takes no work until it has room again',
        );
      room.isShort = true;
      await pause(signal);
    }
    if (room.isShort) logger.info('the disk of the tester has room again: it takes work');
    room.isShort = false;
  }

  return {
    type: 'custom',
    async reserveSlot(_context, signal) {
      await permits.take(signal);
      try {
        await untilRoom(signal);
        signal.throwIfAborted();
        return {};
      } catch {
        permits.giveBack();
        // The SDK logs any other error.
        throw signal.reason;
      }
    },
    // Of work that a worker's own workflows hand to it: testers have none.
    tryReserveSlot: () => null,
    markSlotUsed: () => undefined,
    releaseSlot: () => permits.giveBack(),
  };
}
