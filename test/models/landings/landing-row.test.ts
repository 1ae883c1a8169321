import { DEFAULT_LANDING_POLICY } from '../../../domain/landings/landing-policy.ts';
import { addLanding, failLanding } from '../../support/rows.ts';
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

it('keeps what the target has for the attempt that is under way, and for none that has ended', async () => {
  const landing = await addLanding(database.now);
  const { sequelize, Landing } = database.now;
  const keep = (attempt: number, version: string) =>
    Landing.keepTargetVersions({ landingId: landing.id, attempt }, { ed: version });
  const kept = async () => (await landing.reload()).targetVersions;
  await keep(1, '1.0-1');
  expect(await kept()).toEqual({ ed: '1.0-1' });
  await failLanding(database.now, landing);
  await keep(1, '1.0-2');
  expect(await kept()).toEqual({ ed: '1.0-1' });

  const request = { policy: DEFAULT_LANDING_POLICY, requestedBy: 'ann', requestId: 'r' };
  await sequelize.transaction((transaction) => Landing.retry(landing.id, request, transaction));
  await keep(1, '1.0-2');
  expect(await kept()).toEqual({ ed: '1.0-1' });
  await keep(2, '1.0-3');
  expect(await kept()).toEqual({ ed: '1.0-3' });
});
