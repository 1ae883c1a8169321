import { QueryTypes, type BindOrReplacements } from 'sequelize';
import { NOTHING_REMOVED, removeOldEvents } from '../../models/events/remove-old-events.ts';
import { oldestUnpublished } from '../../models/events/publish-events.ts';
import {
  claimDelivery,
  countPendingDeliveries,
  removeOldDeliveries,
  webhooksWithDue,
} from '../../models/events/webhook-outbox.ts';
import { endedBefore } from '../../models/service/old-files.ts';
import { findVersions } from '../../models/service/search.ts';
import { query } from '../../models/sql/query.ts';
import { selectPage } from '../../models/sql/read-rows.ts';
import { readTicketEvents } from '../../models/tickets/ticket-events.ts';
import { addWebhook } from '../support/rows.ts';
import { useDatabase } from './use-database.ts';

const database = useDatabase();

/**
 * How PostgreSQL would run what a read or a change asks last, of tables that are too large to be read or sorted.
 *
 * @param which the last statement that has this
 */
async function planOf(run: () => Promise<unknown>, which = /./): Promise<string> {
  const { sequelize } = database.now;
  const spy = jest.spyOn(sequelize, 'query');
  await run();
  const calls = spy.mock.calls as unknown as [string, { bind?: BindOrReplacements }][];
  const [text, options] = calls.findLast(([one]) => one !== 'COMMIT;' && which.test(one)) ?? [
    '',
    {},
  ];
  spy.mockRestore();
  return sequelize.transaction(async (transaction) => {
    await query(sequelize, 'SET LOCAL enable_seqscan = off', [], transaction);
    await query(sequelize, 'SET LOCAL enable_sort = off', [], transaction);
    const lines = await sequelize.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, {
      bind: options.bind ?? [],
      transaction,
      type: QueryTypes.SELECT,
    });
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  });
}

/** The same of the first page of the landings of which an attribute has a value, the last ones first. */
const planOfLandings = (attribute: string, value: string, orderedBy: string) =>
  planOf(() =>
    selectPage(database.now.Landing, {
      conditions: [{ attribute, lookup: 'exact', value }],
      order: [[orderedBy, 'DESC']],
      limit: 5,
      offset: 0,
    }),
  );

describe('an index finds', () => {
  it('builds that have no workflow, in the order in which they were requested', async () => {
    const { Build } = database.now;
    const among = { since: new Date(0), dueBy: new Date() };
    for (const find of [
      () => Build.dispatchOldest(1, async () => {}, among),
      () => Build.unstartedFor(60_000, 10),
    ]) {
      const plan = await planOf(find, /FROM "?build/);
      expect(plan).toMatch(/using build_not_dispatched on build\b/);
      expect(plan).not.toMatch(/Sort/);
    }
  });

  it('landings that ended before a time, in the order of their ends', async () => {
    const { sequelize } = database.now;
    const plan = await planOf(() =>
      removeOldEvents(sequelize, 'landing', new Date(), NOTHING_REMOVED),
    );
    expect(plan).toMatch(/using landing_by_end on landing\b/);
    expect(plan).not.toMatch(/Sort Key: landing\./);
  });

  it.each([
    ['in a phase', 'phase', 'approving', /landing_by_phase/g],
    ['to a target', 'target', '~airline/debian/landed', /landing_by_target/g],
  ] as const)('a page of the landings %s, and counts them', async (_, attribute, value, index) => {
    const plan = await planOfLandings(attribute, value, 'id');
    expect(plan.match(index)).toHaveLength(2);
  });

  it.each(['complete', 'failed', 'cancelled'])(
    'a page of the landings that ended last as %s',
    async (phase) => {
      const plan = await planOfLandings('phase', phase, 'finishedAt');
      expect(plan).toMatch(/Backward using landing_by_phase_end/);
    },
  );

  it('a page of the failed tickets, and counts them', async () => {
    const plan = await planOf(() =>
      selectPage(database.now.Ticket, {
        conditions: [{ attribute: 'failedAtStep', lookup: 'isnull', isNull: false }],
        order: [['id', 'DESC']],
        limit: 25,
        offset: 0,
      }),
    );
    expect(plan.match(/ticket_failed/g)).toHaveLength(2);
  });

  it('the latest cancellations of landings, and decisions on them', async () => {
    const { sequelize } = database.now;
    const plan = await planOf(
      () => readTicketEvents(sequelize, {}, { limit: 10, offset: 0 }),
      / AS beginning/,
    );
    expect(plan).toMatch(/Backward using landing_by_cancellation/);
    expect(plan).toMatch(/Backward using landing_by_decision/);
    expect(plan).not.toMatch(/Seq Scan on landing\b/);
  });

  it.each([/ AS beginning/, /AS "totalCount"/])(
    'what one person asked and decided of landings and builds, by its statement that has %s',
    async (which) => {
      const { sequelize } = database.now;
      const plan = await planOf(
        () => readTicketEvents(sequelize, { actor: 'ann' }, { limit: 10, offset: 0 }),
        which,
      );
      for (const index of [
        'landing_by_requester',
        'landing_by_decider',
        'landing_by_canceller',
        'build_by_requester',
        'build_by_canceller',
      ])
        expect(plan).toMatch(new RegExp(`${index} .*\n +Index Cond: .*'ann'`));
    },
  );

  it('the PPA of a ticket that a lease has put there', async () => {
    const plan = await planOf(() => database.now.TicketPpa.destroy({ where: { leaseId: 1 } }));
    expect(plan).toMatch(/ticket_ppa_by_lease/);
  });

  it("deliveries to webhooks that are old, or due, by the database's clock", async () => {
    const { sequelize } = database.now;
    const { id } = await addWebhook(database.now);
    await query(
      sequelize,
      `INSERT INTO webhook_delivery (webhook_id, next_try_at)
       SELECT $1, now() + interval '1 hour' FROM generate_series(1, 1000)`,
      [id],
    );
    await query(sequelize, 'ANALYZE webhook, webhook_delivery');
    const old = await planOf(() => removeOldDeliveries(database.now, 86_400_000, 10));
    expect(old).toMatch(/Index Cond: \(requested_at < /);
    for (const find of [
      () => webhooksWithDue(database.now),
      () => claimDelivery(database.now, id, 1_000),
    ])
      expect(await planOf(find)).toMatch(/Index Cond: .*next_try_at <= /);
  });

  it('what waits for the broker, so many of each kind, in order', async () => {
    const { sequelize, ProgressEvent, LandingEvent } = database.now;
    const builds = /Limit.*\n *-> +Index (Only )?Scan using progress_event_not_published/;
    const landings = /Limit.*\n *-> +Index (Only )?Scan using landing_event_not_published/;
    expect(await planOf(() => ProgressEvent.unpublished())).toMatch(builds);
    expect(await planOf(() => LandingEvent.unpublished())).toMatch(landings);
    const oldest = await planOf(() => oldestUnpublished(sequelize));
    for (const found of [builds, landings]) expect(oldest).toMatch(found);
  });

  it('what waits for webhooks that are active, so many of each', async () => {
    const plan = await planOf(() => countPendingDeliveries(database.now));
    expect(plan).toMatch(/Limit.*\n *-> +Index Only Scan using webhook_delivery_due/);
  });

  it('a page of the log of a webhook, and counts so many of its deliveries', async () => {
    const { WebhookDelivery } = database.now;
    const plan = await planOf(() => WebhookDelivery.list(2, { limit: 10, offset: 0 }));
    expect(plan).toMatch(/Limit.*\n *-> +Index Only Scan using webhook_delivery_by_webhook/);
    expect(plan).toMatch(/Limit.*\n *-> +Index Scan Backward using webhook_delivery_by_webhook/);
  });

  it('the verdicts that compare a landing with a run, where the files of runs are old', async () => {
    const { sequelize } = database.now;
    const plan = await planOf(() => endedBefore(sequelize, 'test_run', [1, 2], new Date()));
    expect(plan).toMatch(/test_verdict_by_baseline/);
    expect(plan).not.toMatch(/Seq Scan on test_verdict/);
  });

  it('uploads by how their version begins', async () => {
    const plan = await planOf(() => findVersions(database.now.sequelize, '1.0', 10));
    expect(plan).toMatch(/source_package_upload_by_any_version/);
    expect(plan).toMatch(/build_record_by_version/);
  });
});
