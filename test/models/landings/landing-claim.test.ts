import { query } from '../../../models/sql/query.ts';
import { addLanding } from '../../support/rows.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();
const TARGET = '~airline/ubuntu/landed';

describe('the claims of landings', () => {
  it('have places that are numbers, in the order in which they stood in line', async () => {
    const { LandingClaim, sequelize } = database.now;
    const landings = [await addLanding(database.now), await addLanding(database.now)];
    for (const { id } of landings)
      await sequelize.transaction((transaction) =>
        LandingClaim.standInLine({ id, target: TARGET }, ['hello'], transaction),
      );
    const claims = await LandingClaim.findAll({ where: { target: TARGET }, order: ['place'] });
    expect(claims.map(({ landingId }) => landingId)).toEqual(landings.map(({ id }) => id));
    const [first, second] = claims.map(({ place }) => place);
    expect(second).toBe(Number(first) + 1);
  });

  it('hold up no events, those of a landing with the number of their target neither', async () => {
    const { LandingClaim, LandingEvent, sequelize } = database.now;
    const [hashed] = await query<{ number: number; target: string }>(
      sequelize,
      `SELECT hashtext(target) AS number, target
       FROM (SELECT 'target ' || n AS target FROM generate_series(1, 100) n) targets
       WHERE hashtext(target) > 0 LIMIT 1`,
    );
    const { number, target } = hashed as NonNullable<typeof hashed>;
    await query(sequelize, `SELECT setval('landing_id_seq', $1, false)`, [number]);
    const { id, attempt } = await addLanding(database.now, { isQueueNamed: true });
    expect(id).toBe(number);
    await LandingEvent.record({ landingId: id, attempt, key: 'first', phase: 'queued' });

    const published = await sequelize.transaction(async (transaction) => {
      await LandingClaim.standInLine({ id, target }, ['bash'], transaction);
      return LandingEvent.publishNextLanding(async () => undefined);
    });

    expect(published).toMatchObject({ id: number, published: 1 });
  });
});
