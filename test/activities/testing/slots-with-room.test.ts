import type { SlotReserveContext } from '@temporalio/worker';
import { slotsWithRoom } from '../../../activities/testing/slots-with-room.ts';
import { keepLog } from '../activity.ts';

const CONTEXT: SlotReserveContext = {
  slotType: 'activity',
  taskQueue: 'airline-test-debian-amd64',
  workerIdentity: '1@vm',
  workerBuildId: '',
  isSticky: false,
};

/** Slots over a disk that has room once `disk.hasRoom` is so and it is looked at once more. */
function slotsOver(disk: { hasRoom: boolean | Error }, slots = 1) {
  const { logger, lines } = keepLog();
  let lookAgain: () => void = () => undefined;
  const room = { isShort: false };
  const supplier = slotsWithRoom({
    slots,
    logger,
    room,
    hasRoom: async () => {
      if (disk.hasRoom instanceof Error) throw disk.hasRoom;
      return disk.hasRoom;
    },
    pause: (signal) =>
      new Promise((resolve, reject) => {
        lookAgain = resolve;
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  });
  return {
    alarms: () => lines.flatMap(({ alarm }) => alarm ?? []),
    isShort: () => room.isShort,
    lookAgain: () => lookAgain(),
    giveBack: () => supplier.releaseSlot({ permit: {} }),
    /** `given` becomes true once there is a slot; `failed` has the reason why there will be none. */
    reserve() {
      const stop = new AbortController();
      const slot = {
        given: false,
        failed: undefined as unknown,
        stop: () => stop.abort('stopped'),
      };
      supplier.reserveSlot(CONTEXT, stop.signal).then(
        () => (slot.given = true),
        (error: unknown) => (slot.failed = error),
      );
      return slot;
    },
  };
}

const allIsQuiet = () => new Promise((resolve) => setImmediate(resolve));

it('gives as many slots as it has, and each once more that is given back', async () => {
  const slots = slotsOver({ hasRoom: true }, 2);
  const [one, two, three] = [slots.reserve(), slots.reserve(), slots.reserve()];
  await allIsQuiet();
  expect([one.given, two.given, three.given]).toEqual([true, true, false]);
  slots.giveBack();
  await allIsQuiet();
  expect(three.given).toBe(true);
});

it('gives none while the disk is short, and says so once', async () => {
  const disk = { hasRoom: false };
  const slots = slotsOver(disk);
  const slot = slots.reserve();
  await allIsQuiet();
  slots.lookAgain();
  await allIsQuiet();
  expect([slot.given, slots.isShort()]).toEqual([false, true]);
  expect(slots.alarms()).toEqual(['tester_disk_short']);

  disk.hasRoom = true;
  slots.lookAgain();
  await allIsQuiet();
  expect([slot.given, slots.isShort()]).toEqual([true, false]);

  disk.hasRoom = false;
  slots.giveBack();
  slots.reserve();
  await allIsQuiet();
  expect(slots.alarms()).toEqual(['tester_disk_short', 'tester_disk_short']);
});

it('gives one where nobody can tell how full the disk is', async () => {
  const slot = slotsOver({ hasRoom: new Error('Input/output error') }).reserve();
  await allIsQuiet();
  expect(slot.given).toBe(true);
});

it.each([
  ['for room', { hasRoom: false }, 0],
  ['for a slot', { hasRoom: true }, 1],
])(
  'ends the wait %s with the reason of the worker that stops, and keeps no slot',
  async (_, disk, taken) => {
    const slots = slotsOver(disk);
    for (let each = 0; each < taken; each++) slots.reserve();
    const slot = slots.reserve();
    await allIsQuiet();
    slot.stop();
    await allIsQuiet();
    expect(slot).toMatchObject({ given: false, failed: 'stopped' });

    disk.hasRoom = true;
    if (taken > 0) slots.giveBack();
    const next = slots.reserve();
    await allIsQuiet();
    expect(next.given).toBe(true);
  },
);
