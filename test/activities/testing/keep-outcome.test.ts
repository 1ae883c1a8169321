import { keepOutcome } from '../../../activities/testing/keep-outcome.ts';
import { createFileStore } from '../../../store/file.ts';
import { useDatabase } from '../../models/use-database.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { addImage, addLanding, addTestRun } from '../../support/rows.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

const database = useDatabase();
const store = createFileStore({
  directory: temporaryDirectory(),
  baseUrl: 'http://127.0.0.1/store',
});

it('a test of another source that ends, and the end of its landing, do not wait for each other', async () => {
  const { sequelize, LandingEvent, Ticket } = database.now;
  const landing = await addLanding(database.now);
  const { landingId, attempt } = landing.toInput();
  const { id: imageId } = await addImage(database.now);
  const run = await addTestRun(database.now, landing, imageId, { state: 'running' });
  const held = await sequelize.transaction();
  await Ticket.lock(landing.ticketId, held);
  const ended = LandingEvent.record({ landingId, attempt, key: '1', phase: 'cancelled' });
  await until('the end of the landing waits for the ticket', () => waitsForLock(sequelize));
  const kept = keepOutcome({ database: database.now, store }, run, {
    how: { state: 'finished', exitCode: 0, results: [], exercised: [], fault: null },
    artifacts: null,
    folder: `tests/${run.id}`,
    name: 'mksh_1-1_amd64',
  });
  await until('the end of the test waits, too', () => waitsForLock(sequelize, 2));
  await held.commit();
  expect(await Promise.allSettled([ended, kept])).toMatchObject([
    { status: 'fulfilled', value: { phase: 'cancelled' } },
    { status: 'fulfilled' },
  ]);
});
