import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import { addLanding } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

it('tells the workflow of a retry when the landing was first requested', async () => {
  const landing = await addLanding(database.now);
  const { landingId, attempt, requestedAtMs } = landing.toInput();
  const { sequelize, Landing, LandingEvent } = database.now;
  await LandingEvent.record({ landingId, attempt, key: '1 failed', phase: 'failed' });
  const request = { policy: DEFAULT_LANDING_POLICY, requestedBy: 'ann', requestId: 'r' };
  await sequelize.transaction((transaction) => Landing.retry(landingId, request, transaction));
  expect(requestedAtMs).toBe(landing.createdAt.getTime());
  expect((await landing.reload()).toInput()).toMatchObject({ attempt: 2, requestedAtMs });
});
