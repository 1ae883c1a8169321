import pino from 'pino';
import {
  deliverToLandings,
  endUnstartedLandings,
  startLandings,
  sweepLandings,
} from '../../dispatch/dispatch-landings.ts';
import { StartRefusedError } from '../../dispatch/temporal-errors.ts';
import type { WorkflowStatus } from '../../dispatch/workflow-status.ts';
import type { Landing } from '../../models/landings/landing.ts';
import { useDatabase } from '../models/use-database.ts';
import { addLanding } from '../support/rows.ts';

const database = useDatabase();
const { signal } = new AbortController();
const HOUR_MS = 3_600_000;
const IN_AN_HOUR = new Date(Date.now() + HOUR_MS);

/** What Temporal answers, and what it was asked. */
function temporal(answers: { start?: Error; signal?: 'ended'; status?: WorkflowStatus } = {}) {
  const calls: string[] = [];
  const context = {
    database: database.now,
    retry: { firstMs: 60_000, maxMs: 60_000 },
    logger: pino({ level: 'silent' }),
    workflows: {
      startLanding: async ({ workflowId }: { workflowId: string }) => {
        calls.push(`start ${workflowId}`);
        if (answers.start) throw answers.start;
      },
      signalDecision: async (workflowId: string, { decision }: { decision: string }) => {
        calls.push(`${decision} ${workflowId}`);
        return answers.signal ?? ('delivered' as const);
      },
      signalWake: async (workflowId: string) => {
        calls.push(`wake ${workflowId}`);
        return answers.signal ?? ('delivered' as const);
      },
      signalCancel: async (workflowId: string, by: string) => {
        calls.push(`cancel ${workflowId} by ${by}`);
        return answers.signal ?? ('delivered' as const);
      },
      status: async () => answers.status ?? { state: 'running' as const },
    },
  };
  return { calls, context };
}
const request = <T>(
  change: (transaction: Parameters<typeof database.now.Landing.decide>[2]) => Promise<T>,
) => database.now.sequelize.transaction(change);
const waitedLongEnough = () =>
  database.now.Landing.update({ nextTryAt: new Date(0) }, { where: { finishedAt: null } });
const idOf = ({ id, ticketId }: Landing) => `land-${id}-ticket-${ticketId}`;

describe('the dispatcher', () => {
  beforeEach(async () => {
    await database.now.Landing.update({ finishedAt: new Date() }, { where: {} });
  });

  it('starts each landing once, the oldest first', async () => {
    const landings = [await addLanding(database.now), await addLanding(database.now)];
    const { calls, context } = temporal();
    await startLandings(context, signal);
    await startLandings(context, signal);
    expect(calls).toEqual(landings.map((landing) => `start ${idOf(landing)}`));
  });

  it('starts the others where nine cannot be started, and tries those again when they have waited', async () => {
    const stuck: Landing[] = [];
    for (let count = 0; count < 9; count++) stuck.push(await addLanding(database.now));
    const { calls, context } = temporal({ start: new Error('no') });
    await startLandings(context, signal);
    expect(calls).toHaveLength(9);
    const healthy = await addLanding(database.now);
    const next = temporal();
    await startLandings(next.context, signal);
    expect(next.calls).toEqual([`start ${idOf(healthy)}`]);
    expect(await stuck[0]?.reload()).toMatchObject({ failedTries: 1, dispatchedAt: null });
    await waitedLongEnough();
    await startLandings(next.context, signal);
    expect(next.calls.slice(1)).toEqual(calls);
    expect(await stuck[0]?.reload()).toMatchObject({ failedTries: 0, nextTryAt: null });
  });

  it('gives up a round whose database fails, and goes on in the next', async () => {
    const landing = await addLanding(database.now);
    const { calls, context } = temporal();
    const lost = jest
      .spyOn(database.now.sequelize, 'transaction')
      .mockRejectedValue(new Error('gone'));
    await expect(startLandings(context, signal)).rejects.toThrow('gone');
    lost.mockRestore();
    await startLandings(context, signal);
    expect(calls).toEqual([`start ${idOf(landing)}`]);
  });

  it('tells the others where one cannot be told', async () => {
    const landings = [await addLanding(database.now), await addLanding(database.now)];
    const { calls, context } = temporal();
    await startLandings(context, signal);
    for (const { id } of landings)
      await request((transaction) =>
        database.now.Landing.requestCancellation(id, 'ben', transaction),
      );
    const [first] = landings;
    const signalCancel = async (workflowId: string, by: string) => {
      if (first && workflowId === idOf(first)) throw new Error('not this one');
      return context.workflows.signalCancel(workflowId, by);
    };
    const workflows = { ...context.workflows, signalCancel };
    await deliverToLandings({ ...context, workflows }, signal);
    expect(calls.at(-1)).toBe(`cancel ${idOf(landings[1] as Landing)} by ben`);
    expect(await first?.reload()).toMatchObject({ failedTries: 1, cancelDeliveredAt: null });
    await deliverToLandings(context, signal);
    expect(calls).toHaveLength(3);
    await waitedLongEnough();
    await deliverToLandings(context, signal);
    expect(calls.at(-1)).toBe(`cancel ${idOf(landings[0] as Landing)} by ben`);
  });

  it('ends a landing that Temporal refuses for good, and its ticket', async () => {
    const landing = await addLanding(database.now);
    await startLandings(temporal({ start: new StartRefusedError('too large') }).context, signal);
    await landing.reload();
    expect(landing).toMatchObject({
      phase: 'failed',
      failure: { class: 'internal', message: 'Temporal refuses it: too large' },
    });
    expect(landing.finishedAt).not.toBeNull();
    expect(await database.now.LandingClaim.count({ where: { landingId: landing.id } })).toBe(0);
    const ticket = await database.now.Ticket.findByPk(landing.ticketId);
    expect(ticket).toMatchObject({ currentWorkflowStep: 999, status: 999 });
  });

  it('ends a landing that Temporal has not started within its time, and gives its packages back', async () => {
    const [overdue, fresh] = [await addLanding(database.now), await addLanding(database.now)];
    await overdue.update({ requestedAt: new Date(Date.now() - 2 * HOUR_MS) });
    const { context } = temporal({ start: new Error('no such namespace') });
    await startLandings(context, signal);
    await endUnstartedLandings(context, HOUR_MS, signal);
    expect(await overdue.reload()).toMatchObject({
      phase: 'failed',
      failure: {
        class: 'service_unavailable',
        phase: 'queued',
        message: 'Temporal did not start its workflow within 1 h (AIRLINE_START_MS)',
        hint: expect.stringContaining('Retry the landing'),
      },
    });
    expect(await database.now.LandingClaim.count({ where: { landingId: overdue.id } })).toBe(0);
    expect(await fresh.reload()).toMatchObject({ finishedAt: null, phase: 'queued' });
  });

  it('ends a landing that is cancelled before Temporal has started it', async () => {
    const landing = await addLanding(database.now);
    const { context } = temporal({ start: new Error('no such namespace') });
    await startLandings(context, signal);
    await request((transaction) =>
      database.now.Landing.requestCancellation(landing.id, 'ben', transaction),
    );
    await endUnstartedLandings(context, HOUR_MS, signal);
    expect(await landing.reload()).toMatchObject({
      phase: 'cancelled',
      failure: {
        class: 'cancelled',
        message: 'cancelled by ben; its workflow was not started',
      },
    });
  });

  it('leaves a landing that is cancelled to its workflow where another has started that meanwhile', async () => {
    const landing = await addLanding(database.now);
    const { context } = temporal();
    await request((transaction) =>
      database.now.Landing.requestCancellation(landing.id, 'ben', transaction),
    );
    const asRead = await database.now.Landing.unstartedFor(HOUR_MS, 1);
    expect(asRead).toHaveLength(1);
    const read = jest.spyOn(database.now.Landing, 'unstartedFor').mockResolvedValue(asRead);
    await startLandings(context, signal);
    await endUnstartedLandings(context, HOUR_MS, signal);
    read.mockRestore();
    expect(await landing.reload()).toMatchObject({ finishedAt: null, phase: 'queued' });
  });

  it('cancels the workflow of a landing that runs though nobody has heard that it was started', async () => {
    const landing = await addLanding(database.now);
    const { context } = temporal({ start: new Error('the answer was lost') });
    await startLandings(context, signal);
    for (const phase of ['queued', 'building'] as const)
      await database.now.LandingEvent.record({
        landingId: landing.id,
        attempt: 1,
        key: phase,
        phase,
      });
    await request((transaction) =>
      database.now.Landing.requestCancellation(landing.id, 'ben', transaction),
    );
    await endUnstartedLandings(context, -1, signal);
    expect(await landing.reload()).toMatchObject({ finishedAt: null, phase: 'building' });
    const { calls, context: answering } = temporal();
    await startLandings(answering, signal);
    await deliverToLandings(answering, signal);
    expect(calls).toEqual([`cancel ${idOf(landing)} by ben`]);
  });

  it('tells a workflow once what was decided, and that it is cancelled', async () => {
    const landing = await addLanding(database.now);
    const { calls, context } = temporal();
    await startLandings(context, signal);
    await landing.update({ phase: 'approving' });
    const decision = { decision: 'approve' as const, by: 'ann', comment: 'tried' };
    await request((transaction) => database.now.Landing.decide(landing.id, decision, transaction));
    await request((transaction) =>
      database.now.Landing.requestCancellation(landing.id, 'ben', transaction),
    );
    await deliverToLandings(context, signal);
    await deliverToLandings(context, signal);
    const id = idOf(landing);
    expect(calls).toEqual([`start ${id}`, `approve ${id}`, `cancel ${id} by ben`]);
  });

  it('tells no decision that another tells just then, or that no longer holds', async () => {
    const [told, moved] = [await addLanding(database.now), await addLanding(database.now)];
    const { calls, context } = temporal();
    await startLandings(context, signal);
    const decision = { decision: 'approve' as const, by: 'ann', comment: 'tried' };
    for (const landing of [told, moved]) {
      await landing.update({ phase: 'approving' });
      await request((transaction) =>
        database.now.Landing.decide(landing.id, decision, transaction),
      );
    }
    const other = temporal();
    const signalDecision: typeof context.workflows.signalDecision = async (...given) => {
      await database.now.LandingEvent.record({
        landingId: moved.id,
        attempt: 1,
        key: 'moved',
        phase: 'imaging',
      });
      await deliverToLandings(other.context, signal);
      return context.workflows.signalDecision(...given);
    };
    const workflows = { ...context.workflows, signalDecision };
    await deliverToLandings({ ...context, workflows }, signal);
    await deliverToLandings(context, signal);
    expect(calls.slice(2)).toEqual([`approve ${idOf(told)}`]);
    expect(other.calls).toEqual([]);
  });

  it('ends a cancelled landing whose workflow has ended without a result', async () => {
    const landing = await addLanding(database.now);
    await startLandings(temporal().context, signal);
    await request((transaction) =>
      database.now.Landing.requestCancellation(landing.id, 'ben', transaction),
    );
    await deliverToLandings(temporal({ signal: 'ended' }).context, signal);
    expect((await landing.reload()).failure).toMatchObject({
      class: 'cancelled',
      message: 'cancelled by ben; its workflow had ended without a result',
    });
  });

  it('asks after a landing that is silent, and ends it only where nothing runs', async () => {
    const landing = await addLanding(database.now);
    await startLandings(temporal().context, signal);
    const silentFor = (state: 'running' | 'ended') =>
      sweepLandings(temporal({ status: { state } }).context, IN_AN_HOUR, signal);
    await silentFor('running');
    expect((await landing.reload()).finishedAt).toBeNull();
    await silentFor('ended');
    expect((await landing.reload()).failure).toMatchObject({
      class: 'internal',
      message: 'its workflow has ended without a result',
    });
  });

  describe('where the workflow of a landing may have lost what it was told', () => {
    const approval = { decision: 'approve' as const, by: 'ann', comment: 'tried' };
    const HALF_AN_HOUR_AGO = new Date(Date.now() - HOUR_MS / 2);
    const silence = () =>
      database.now.sequelize.query('UPDATE landing SET updated_at = :anHourAgo', {
        replacements: { anHourAgo: new Date(Date.now() - HOUR_MS) },
      });
    const addStarted = async (phase: 'building' | 'approving' | 'publishing') => {
      const landing = await addLanding(database.now);
      await startLandings(temporal().context, signal);
      return landing.update({ phase });
    };
    const cancel = ({ id }: Landing) =>
      request((transaction) => database.now.Landing.requestCancellation(id, 'ben', transaction));
    const approve = ({ id }: Landing) =>
      request((transaction) => database.now.Landing.decide(id, approval, transaction));
    const pause = ({ id }: Landing) =>
      request((transaction) => database.now.Landing.pause(id, 'ann', transaction));
    const resume = ({ id }: Landing) =>
      request((transaction) => database.now.Landing.resume(id, 'ann', transaction));
    const toldOnce = () => deliverToLandings(temporal().context, signal);
    const sweep = async (answers?: Parameters<typeof temporal>[0]) => {
      const { calls, context } = temporal(answers);
      await sweepLandings(context, HALF_AN_HOUR_AGO, signal);
      return calls;
    };

    it('tells one that is silent and runs again, once in that time, and no other', async () => {
      const cancelled = await addStarted('building');
      await cancel(cancelled);
      const approved = await addStarted('approving');
      await approve(approved);
      const resumed = await addStarted('approving');
      await pause(resumed);
      await resume(resumed);
      await addStarted('building');
      await toldOnce();
      const decidedAt = (await approved.reload()).decisionDeliveredAt;
      await silence();
      const heard = await addStarted('building');
      await cancel(heard);
      await toldOnce();

      const again = [
        `cancel ${idOf(cancelled)} by ben`,
        `approve ${idOf(approved)}`,
        `wake ${idOf(resumed)}`,
      ];
      expect((await sweep()).toSorted()).toEqual(again.toSorted());
      expect(await sweep()).toEqual([]);
      await silence();
      expect((await sweep()).toSorted()).toEqual(
        [...again, `cancel ${idOf(heard)} by ben`].toSorted(),
      );
      // A decision counts from when it was told first.
      expect((await approved.reload()).decisionDeliveredAt).toEqual(decidedAt);
    });

    it('tells nothing to one that is being published, or that cannot get on', async () => {
      const publishing = await addStarted('approving');
      await approve(publishing);
      await publishing.update({ phase: 'publishing' });
      await toldOnce();
      await silence();
      expect(await sweep()).toEqual([]);
      await cancel(await addStarted('building'));
      await toldOnce();
      await silence();
      expect(await sweep({ status: { state: 'stuck', tries: 3, message: 'no' } })).toEqual([]);
    });

    it('does not tell what it has forgotten since, to be tested again', async () => {
      const landing = await addStarted('approving');
      await approve(landing);
      await toldOnce();
      await silence();
      const { calls, context } = temporal();
      const status = async () => {
        await database.now.LandingEvent.record({
          landingId: landing.id,
          attempt: 1,
          key: 'moved',
          phase: 'imaging',
        });
        return { state: 'running' as const };
      };
      const workflows = { ...context.workflows, status };
      await sweepLandings({ ...context, workflows }, HALF_AN_HOUR_AGO, signal);
      expect(calls).toEqual([]);
    });
  });

  it('says of a landing whose result was lost with a restore that the database does not know it', async () => {
    const landing = await addLanding(database.now);
    await startLandings(temporal().context, signal);
    await sweepLandings(temporal({ status: { state: 'completed' } }).context, IN_AN_HOUR, signal);
    expect((await landing.reload()).failure).toMatchObject({
      class: 'internal',
      retryable: true,
      message:
        'its workflow has ended, and the database does not know its result, as after a restore; the target may have all of it',
      hint: 'Retry the landing: what is built and published stays.',
    });
  });

  describe('where the workflow of a landing fails again and again', () => {
    const stuck = (tries: number) =>
      ({ state: 'stuck', tries, message: 'Nondeterminism error' }) as const;
    const asked = (status: WorkflowStatus) =>
      sweepLandings(temporal({ status }).context, IN_AN_HOUR, signal);
    const addStarted = async () => {
      const landing = await addLanding(database.now);
      await startLandings(temporal().context, signal);
      return landing;
    };
    const report = ({ id: landingId }: Landing) =>
      database.now.LandingEvent.record({ landingId, attempt: 1, key: 'on', phase: 'building' });
    const stuckLandings = () => database.now.Landing.countStuck();

    it('says so on the landing, since when it does, and no more once it runs', async () => {
      const landing = await addStarted();
      await asked(stuck(3));
      const { lastError } = await landing.reload();
      expect(lastError).toEqual({
        step: 'workflow',
        message: 'Nondeterminism error',
        tries: 3,
        since: expect.any(String),
      });
      await asked(stuck(5));
      expect((await landing.reload()).lastError).toEqual({ ...lastError, tries: 5 });
      expect(await stuckLandings()).toBe(1);
      await asked({ state: 'running' });
      expect((await landing.reload()).lastError).toBeNull();
      expect(await stuckLandings()).toBe(0);
    });

    it('says so no more once the workflow reports', async () => {
      const landing = await addStarted();
      await asked(stuck(3));
      await report(landing);
      expect(await landing.reload()).toMatchObject({ phase: 'building', lastError: null });
    });

    it('does not say so of one that has reported while Temporal was asked', async () => {
      const landing = await addStarted();
      const { context } = temporal();
      const status = async () => {
        await report(landing);
        return stuck(3);
      };
      await sweepLandings(
        { ...context, workflows: { ...context.workflows, status } },
        IN_AN_HOUR,
        signal,
      );
      expect(await landing.reload()).toMatchObject({ phase: 'building', lastError: null });
    });
  });
});
