import { findUntaken } from '../../../activities/landing/find-untaken.ts';
import { keepLog, runActivity } from '../activity.ts';

const PLACES = ['amd64', 'arm64'].map((architecture) => ({ distribution: 'debian', architecture }));
const ARM = 'a tester for debian on arm64: none polls the task queue airline-test-debian-arm64';
const FREE = 'a tester that is free';

/** What a landing waits for whose work is `pending`. @param queues those that have a tester */
async function waitsFor(
  pending: Record<string, 'taken' | 'untaken'>,
  queues = ['airline-test-debian-amd64', 'airline-test-debian-arm64'],
): Promise<string | null> {
  const activity = findUntaken({
    logger: keepLog().logger,
    queues: {
      hasWorker: async (queue) => queues.includes(queue),
      pendingActivities: async () =>
        Object.entries(pending).map(([name, state]) => ({
          type: name.split(' ')[0] ?? '',
          isTaken: state === 'taken',
        })),
    },
  });
  return (await runActivity(activity, { places: PLACES })).waitsFor;
}

describe('a landing', () => {
  it('waits for nobody while testers have all of its work', async () => {
    expect(await waitsFor({ makeBaseImage: 'taken' })).toBeNull();
    expect(await waitsFor({ 'runTest 1': 'taken', 'runTest 2': 'taken' }, [])).toBeNull();
    expect(await waitsFor({ leasePpa: 'untaken' }, [])).toBeNull();
  });

  it('waits for a tester of each of its images, whatever the others do', async () => {
    expect(await waitsFor({ 'makeBaseImage 1': 'taken', 'makeBaseImage 2': 'untaken' })).toBe(FREE);
  });

  it.each(['planTests', 'planBaselines', 'runTest'])(
    'waits for a tester where none has any of its tests (%s)',
    async (type) => {
      expect(await waitsFor({ [type]: 'untaken' })).toBe(FREE);
    },
  );

  it('waits for nobody while testers have some of its tests', async () => {
    expect(await waitsFor({ 'runTest 1': 'taken', 'runTest 2': 'untaken' })).toBeNull();
  });

  it('waits for a tester of a place that has none, though another place gets on', async () => {
    const pending = { 'runTest 1': 'taken', 'runTest 2': 'untaken' } as const;
    expect(await waitsFor(pending, ['airline-test-debian-amd64'])).toBe(ARM);
  });
});
