import { ApplicationFailure } from '@temporalio/common';
import { notingTrouble } from '../../../activities/temporal/note-trouble.ts';
import type { Build } from '../../../models/build.ts';
import { newBuild } from '../../models/new-build.ts';
import { useDatabase } from '../../models/use-database.ts';
import { keepLog, runActivity } from '../activity.ts';

const database = useDatabase();
const { logger, lines } = keepLog();

async function run(build: Build, attempt: number, error?: Error): Promise<void> {
  const { look } = notingTrouble(
    {
      look: async () => {
        if (error) throw error;
      },
    },
    { database: database.now, logger },
  );
  await runActivity(look, undefined as never, {
    info: { attempt, workflowExecution: { workflowId: build.workflowId, runId: 'r' } },
  }).catch((reason: unknown) => {
    if (reason !== error) throw reason;
  });
}
const troubleOf = async (build: Build) => (await build.reload()).lastError;

describe('the trouble of a build', () => {
  it('is on its row as soon as a step fails, since the first failure, until the step succeeds', async () => {
    const build = await newBuild(database.now);
    await run(build, 1, new Error('the PPA answers 503'));
    const first = await troubleOf(build);
    expect(first).toMatchObject({ step: 'look', message: 'the PPA answers 503', tries: 1 });
    await run(build, 2, new Error('still 503'));
    expect(await troubleOf(build)).toEqual({ ...first, message: 'still 503', tries: 2 });
    await run(build, 3);
    expect(await troubleOf(build)).toBeNull();
  });

  it('is none where the step is not tried again: the verdict says it', async () => {
    const build = await newBuild(database.now);
    await run(build, 1, ApplicationFailure.nonRetryable('unsigned', 'unsigned_source'));
    expect(await troubleOf(build)).toBeNull();
  });

  it('changes nothing else where it cannot be noted', async () => {
    const build = await newBuild(database.now);
    const table = (from: string, to: string) =>
      database.now.sequelize.query(`ALTER TABLE build RENAME COLUMN ${from} TO ${to}`);
    await table('trouble', 'sorrow');
    try {
      await run(build, 1, new Error('503'));
    } finally {
      await table('sorrow', 'trouble');
    }
    expect(lines).toContainEqual(expect.objectContaining({ buildId: build.id }));
  });
});
