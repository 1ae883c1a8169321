import { reportLanding } from '../../../activities/landing/report-landing.ts';
import type { LandingPhase } from '../../../domain/landings/landing-phase.ts';
import { addLanding } from '../../support/rows.ts';
import { useDatabase } from '../../models/use-database.ts';

const database = useDatabase();

it('a report that is made once more is told the decision that came since', async () => {
  const { id, attempt } = await addLanding(database.now);
  const report = (key: string, phase: LandingPhase) =>
    reportLanding({ database: database.now })({ landingId: id, attempt, key, phase });
  expect(await report('1 approving', 'approving')).toEqual({ isEnded: false });

  const decision = { decision: 'approve', by: 'ann', comment: 'Tried by hand.' } as const;
  await database.now.sequelize.transaction((transaction) =>
    database.now.Landing.decide(id, decision, transaction),
  );
  expect(await report('1 approving', 'approving')).toEqual({ isEnded: false, decision });
  // What is past it has been told.
  expect(await report('2 publishing', 'publishing')).toEqual({ isEnded: false });
});

it('a report of an attempt that has ended is told so, and one that is held back is not', async () => {
  const landing = await addLanding(database.now);
  const report = (key: string, phase: LandingPhase) =>
    reportLanding({ database: database.now })({ ...landing.toInput(), key, phase });
  await landing.update({ pausedAt: new Date(), pausedBy: 'ann' });
  expect(await report('1 publishing', 'publishing')).toEqual({ isEnded: true });
  await report('2 failed', 'failed');
  expect(await report('2 failed', 'failed')).toEqual({ isEnded: false });
  expect(await report('1 approving', 'approving')).toEqual({ isEnded: true, hasEnded: true });
});
