import { processesOf, type WorkerClocks } from '../../dispatch/describe-workers.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const seconds = (ago: number) => ({ seconds: NOW_MS / 1_000 - ago, nanos: 0 }) as never;
const report = (identity: string, taskQueue: string, more: object = {}) => ({
  workerIdentity: identity,
  taskQueue,
  hostInfo: { hostName: 'vm' },
  deploymentVersion: { buildId: '1.2.3' },
  status: 1,
  startTime: seconds(3_600),
  heartbeatTime: seconds(5),
  activityTaskSlotsInfo: { currentUsedSlots: 2, currentAvailableSlots: 28 },
  ...more,
});

it('puts together what the Temporal workers of a process report', () => {
  const [one] = processesOf(
    [
      report('1@vm', 'transfers', { heartbeatTime: seconds(8) }),
      report('1@vm', 'build', {
        workflowTaskSlotsInfo: { currentUsedSlots: 1, currentAvailableSlots: 39 },
        activityTaskSlotsInfo: {
          currentUsedSlots: 50,
          currentAvailableSlots: 0,
          totalProcessedTasks: 7,
          totalFailedTasks: 3,
        },
      }),
    ],
    NOW_MS,
    new Map(),
  );
  expect(one).toEqual({
    identity: '1@vm',
    host: 'vm',
    version: '1.2.3',
    state: 'running',
    started_at: '2026-11-21T11:00:00.000Z',
    reported_at: '2026-11-21T11:59:55.000Z',
    reporting: true,
    slots: [
      { queue: 'build', kind: 'workflow', used: 1, total: 40, processed: 0, failed: 0 },
      { queue: 'build', kind: 'activity', used: 50, total: 50, processed: 7, failed: 3 },
      { queue: 'transfers', kind: 'activity', used: 2, total: 30, processed: 0, failed: 0 },
    ],
  });
});

it('counts the slots of a tester that ask for work as free, since the SDK does not say how many are', () => {
  const tester = (used: number, asking: number) =>
    processesOf(
      [
        report('1@vm', 'airline-test-debian-amd64', {
          activityTaskSlotsInfo: { slotSupplierKind: 'Custom', currentUsedSlots: used },
          activityPollerInfo: { currentPollers: asking },
        }),
      ],
      NOW_MS,
      new Map(),
    )[0]?.slots.map((slots) => `${slots.used}/${slots.total}`);
  expect(tester(0, 3)).toEqual(['0/3']);
  expect(tester(2, 1)).toEqual(['2/3']);
  expect(tester(3, 0)).toEqual(['3/3']);
  expect(tester(0, 0)).toEqual([]);
});

it('says of a process that it stops, that it is silent, and that it tells no version of Airline', () => {
  const [silent, stopping] = processesOf(
    [
      report('2@vm', 'build', { status: 2 }),
      report('2@vm', 'transfers'),
      report('1@vm', 'build', {
        heartbeatTime: seconds(40),
        deploymentVersion: { buildId: '@temporalio/worker@1.24.0' },
      }),
    ],
    NOW_MS,
    new Map(),
  );
  expect(silent).toMatchObject({ identity: '1@vm', version: null, reporting: false });
  expect(stopping).toMatchObject({ identity: '2@vm', state: 'stopping', reporting: true });
});

describe('a worker whose clock is five minutes behind', () => {
  const LATE_S = 300;
  const at = (s: number) => [report('1@vm', 'build', { heartbeatTime: seconds(LATE_S - s) })];
  const look = (reportedS: number, nowS: number, clocks: WorkerClocks) =>
    processesOf(at(reportedS), NOW_MS + nowS * 1_000, clocks)[0]?.reporting;

  it('reports, as its next report shows', () => {
    const clocks: WorkerClocks = new Map();
    look(0, 0, clocks);
    expect(look(10, 12, clocks)).toBe(true);
    expect(look(10, 40, clocks)).toBe(true);
    expect(look(60, 120, clocks)).toBe(false);
  });

  it('is silent once its reports end', () => {
    const clocks: WorkerClocks = new Map();
    look(0, 0, clocks);
    look(10, 12, clocks);
    expect(look(10, 48, clocks)).toBe(false);
    expect(clocks.size).toBe(1);
    processesOf([], NOW_MS, clocks);
    expect(clocks.size).toBe(0);
  });
});

it('says of a worker whose clock is ahead that it is silent, once its reports end', () => {
  const clocks: WorkerClocks = new Map();
  const look = (reportedS: number, nowS: number) =>
    processesOf(
      [report('1@vm', 'build', { heartbeatTime: seconds(-300 - reportedS) })],
      NOW_MS + nowS * 1_000,
      clocks,
    )[0]?.reporting;
  expect([look(0, 0), look(10, 10), look(10, 40), look(10, 46)]).toEqual([true, true, true, false]);
});
