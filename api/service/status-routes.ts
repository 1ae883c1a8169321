import { z } from 'zod';
import { MAX_COUNTED_EVENTS } from '../../domain/service/counted-events.ts';
import { slotsOfQueue } from '../../domain/service/worker-process.ts';
import { isPolled, type WorkerQueue } from '../../domain/service/worker-queue.ts';
import { countCalls } from '../../models/builds/call-budget.ts';
import { webhookBehindSince } from '../../models/events/late-webhooks.ts';
import { countUnpublished, oldestUnpublished } from '../../models/events/publish-events.ts';
import { readWaitingBuilds, type WaitingBuild } from '../../models/builds/waiting-builds.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import { answerJson, type ApiContext } from '../http/context.ts';
import { withDeadline } from '../../timing/deadline.ts';
import type { Operation } from '../http/operation.ts';
import {
  architectureBuildSchema,
  buildPhaseSchema,
  buildStateSchema,
} from '../resources/progress-schemas.ts';
import { withoutErrors } from './check-health.ts';
import { orError } from './or-error.ts';
import { whyWaiting } from './why-waiting.ts';

/** How many builds the status names. */
const MAX_WAITING = 20;

const partSchema = z
  .object({
    healthy: z.boolean().meta({ description: 'Whether it answers.' }),
    latency_ms: z.int().meta({ description: 'How long its answer took.' }),
    error: z
      .string()
      .optional()
      .meta({ description: 'What went wrong, where it does not answer.' }),
  })
  .meta({ title: 'part_health' });
const healthSchema = z
  .object({
    database: partSchema.meta({ description: 'PostgreSQL.' }),
    temporal: partSchema.meta({ description: 'Temporal.' }),
    broker: partSchema.meta({ description: 'RabbitMQ.' }),
    store: partSchema.meta({ description: 'The data store.' }),
  })
  .meta({ title: 'health' });
const readinessSchema = z
  .object({
    ready: z
      .boolean()
      .meta({ description: 'Whether all of them answer, and the API does not stop.' }),
    health: healthSchema.meta({ description: 'Each part that it depends on.' }),
  })
  .meta({ title: 'readiness' });
const startSchema = z
  .object({
    started: z.boolean().meta({ description: 'Whether the API has found what it starts with.' }),
  })
  .meta({ title: 'start' });
const statusSchema = z
  .object({
    worker_queues: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Its name.' }),
          kind: z.enum(['workflow', 'activity']).meta({ description: 'What its tasks are.' }),
          pollers: z
            .array(
              z.object({
                identity: z.string().meta({ description: 'The name that it gives itself.' }),
                last_access_at: z
                  .string()
                  .nullable()
                  .meta({ description: 'When it last asked for a task.' }),
                polling: z.boolean().meta({
                  description:
                    'Whether it asked for a task of any queue in the last 90 seconds. One that does not is stopped, frozen or cut off.',
                }),
              }),
            )
            .meta({
              description: 'The workers that have asked for its tasks in the last minutes.',
            }),
          backlog: z.int().meta({ description: 'How many tasks wait in it.' }),
          backlog_age_ms: z.int().nullable().meta({
            description: 'How long the oldest of them has waited; null where none waits.',
          }),
          slots: z
            .object({
              used: z.int().meta({ description: 'How many have a task.' }),
              total: z.int().meta({ description: 'How many there are.' }),
            })
            .nullable()
            .meta({
              description:
                'What all workers that report can take of it at once; null where none reports.',
            }),
          busy: z.boolean().meta({
            description:
              'Whether tasks wait, or its workers have some; where none reports, whether builds that workers have taken have not ended.',
          }),
        }),
      )
      .nullable()
      .meta({
        description: 'The queues that workers take tasks from; null where they are not known.',
      }),
    worker_queues_error: z
      .string()
      .optional()
      .meta({ description: 'Why the queues are not known, where they are not.' }),
    builds: z
      .partialRecord(buildStateSchema, z.int())
      .nullable()
      .meta({ description: 'How many builds are in each state, of all that there ever were.' }),
    under_way: z
      .partialRecord(buildPhaseSchema, z.int())
      .nullable()
      .meta({ description: 'How many builds that have not ended are in each phase.' }),
    ended: z
      .object({
        completed: z.int().meta({ description: 'How many are complete.' }),
        failed: z.int().meta({ description: 'How many failed.' }),
        cancelled: z.int().meta({ description: 'How many were cancelled.' }),
      })
      .nullable()
      .meta({
        description:
          'How the builds have ended, of all that there ever were. In `builds`, those that were cancelled are among those that failed.',
      }),
    dispatch: z
      .object({
        backlog: z.int().meta({ description: 'How many.' }),
        oldest_age_ms: z.int().nullable().meta({ description: 'How long the oldest has waited.' }),
      })
      .nullable()
      .meta({
        description:
          'The builds that wait for their workflow: how many, and how long the oldest does.',
      }),
    overdue: z
      .object({
        build_step_failing_ms: z.int().nullable().meta({
          description: 'How long the step of a build has failed that has failed longest.',
        }),
        tester_wait_ms: z.int().nullable().meta({
          description:
            'How long the landing has waited that has waited longest for a tester of its images or tests.',
        }),
        event_wait_ms: z.int().nullable().meta({
          description:
            'How long the event has waited for the broker that has waited longest, among those that are counted.',
        }),
        ppa_unwatched_ms: z.int().nullable().meta({
          description:
            'How long ago the PPA was polled that was polled longest ago, where its builds poll it by themselves by now.',
        }),
        webhook_behind_ms: z.int().nullable().meta({
          description:
            'How long the webhook has failed, or has had a delivery due, that has been so longest.',
        }),
        stuck_landings: z.int().meta({
          description: 'How many landings have a workflow that cannot get on by itself.',
        }),
        stuck_cleanings: z.int().meta({
          description: 'How many cleanings of PPAs of the pool have such a workflow.',
        }),
      })
      .nullable()
      .meta({ description: 'What goes on without getting on; a time is null where nothing does.' }),
    unpublished_events: z
      .int()
      .nullable()
      .meta({
        description: `How many events of builds and landings wait for the broker, counted up to ${MAX_COUNTED_EVENTS}.`,
      }),
    launchpad: z
      .object({
        calls: z.int().meta({ description: 'How often its web service was called, ever.' }),
        failed_calls: z
          .int()
          .meta({ description: 'How many of these calls it did not answer, or could not.' }),
        left_alone_until: z.string().nullable().meta({
          description:
            'Until when no worker calls it, because it did not answer or has asked for a pause.',
        }),
        watched_builds: z.int().meta({ description: 'Builds that wait for what their PPA does.' }),
        watched_ppas: z.int().meta({ description: 'The PPAs in which they wait.' }),
        oldest_round_age_ms: z.int().nullable().meta({
          description: 'How long ago the PPA was polled that was polled longest ago.',
        }),
      })
      .nullable()
      .meta({ description: 'What Airline asks Launchpad, or what stands in for it.' }),
    waiting: z
      .array(
        z.object({
          build: z.string().meta({ description: 'The address of the build.' }),
          ticket_id: z.int().meta({ description: 'The id of its ticket.' }),
          packages: z.array(z.string()).meta({ description: 'Its source packages.' }),
          ppa: z.string().meta({ description: 'The PPA, as the caller wrote it.' }),
          state: buildStateSchema.meta({ description: 'Where it stands, in coarse words.' }),
          phase: buildPhaseSchema.meta({ description: 'What it is doing, or waits for.' }),
          cancel_requested_at: z
            .string()
            .nullable()
            .meta({ description: 'When its cancellation was requested.' }),
          builds: z.array(architectureBuildSchema).meta({ description: 'What the PPA builds.' }),
          since: z.string().meta({ description: 'Since when it makes no progress.' }),
          why: z.string().meta({ description: 'What it waits for, in words.' }),
        }),
      )
      .nullable()
      .meta({
        description: `The builds that make no progress, and why: those with a step that fails first, then those that wait longest; at most ${MAX_WAITING}.`,
      }),
    waiting_total: z.int().nullable().meta({ description: 'How many builds make no progress.' }),
    health: healthSchema.meta({ description: 'Each part that it depends on.' }),
  })
  .meta({ title: 'status' });

/** The state of the service: for debugging and monitoring, and for whatever starts it or routes to it. */
export const statusOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    summary: 'Whether the process is alive',
    scope: null,
    isVolatile: true,
    answers: {
      200: {
        description: 'It is.',
        schema: z.object({ healthy: z.literal(true).meta({ description: 'It answers.' }) }),
      },
    },
    errors: [],
    handle: (ctx) => answerJson(ctx, 200, { healthy: true }),
  },
  {
    method: 'get',
    path: '/readyz',
    summary: 'Whether database, Temporal, broker and data store answer',
    scope: null,
    isVolatile: true,
    answers: {
      200: { description: 'All do.', schema: readinessSchema },
      503: { description: 'Some do not, or the API stops.', schema: readinessSchema },
    },
    errors: [],
    handle: async (ctx, deps) => {
      const parts = await deps.checkHealth();
      // An API that stops takes requests for a while: whatever routes to it has to hear of it before.
      const ready = !deps.stopping.aborted && Object.values(parts).every(({ healthy }) => healthy);
      const shown = deps.authentication === 'off' ? parts : withoutErrors(parts);
      answerJson(ctx, ready ? 200 : 503, { ready, health: shown });
    },
  },
  {
    method: 'get',
    path: '/startupz',
    summary: 'Whether the API has reached the database once, with all its migrations',
    scope: null,
    isVolatile: true,
    answers: {
      200: {
        description: 'It has. It says so until it ends, also while the database is away.',
        schema: startSchema,
      },
      503: { description: 'It has not yet; its log says why.', schema: startSchema },
    },
    errors: [],
    handle: async (ctx, deps) => {
      const started = await deps.checkStart();
      answerJson(ctx, started ? 200 : 503, { started });
    },
  },
  {
    method: 'get',
    path: '/api/v1/status',
    summary: 'What the service is doing and how its parts are',
    scope: 'read',
    isVolatile: true,
    answers: { 200: { description: 'Queues, builds by state, health.', schema: statusSchema } },
    errors: [],
    handle: answerStatus,
  },
];

function deadlineOf({ limits }: HandlerDependencies) {
  return <T>(work: Promise<T>) => withDeadline(work, limits.probeTimeoutMs);
}

async function answerStatus(ctx: ApiContext, deps: HandlerDependencies): Promise<void> {
  const within = deadlineOf(deps);
  const [parts, queues, workers, rows, waiting] = await Promise.all([
    deps.checkHealth(),
    orError(deps.readQueues),
    orError(deps.readWorkers),
    orError(() => within(readRows(deps))),
    orError(() => within(readWaitingBuilds(deps.database.sequelize, MAX_WAITING))),
  ]);
  const { taken, ...counted } = rows.value ?? UNKNOWN_ROWS;
  answerJson(ctx, 200, {
    worker_queues:
      queues.value?.map((queue) => {
        const slots = slotsOfQueue(workers.value ?? [], queue);
        return { ...queue, slots, busy: isBusy({ ...queue, slots }, taken) };
      }) ?? null,
    ...(queues.error ? { worker_queues_error: queues.error } : {}),
    ...counted,
    waiting: waiting.value?.builds.map((build) => serializeWaiting(build, queues.value)) ?? null,
    waiting_total: waiting.value?.total ?? null,
    health: parts,
  });
}

/** Where the database does not answer. */
const UNKNOWN_ROWS = {
  builds: null,
  under_way: null,
  ended: null,
  dispatch: null,
  overdue: null,
  unpublished_events: null,
  launchpad: null,
  taken: 0,
};

async function readRows({ database, unwatchedMs }: HandlerDependencies) {
  const [
    builds,
    underWay,
    ended,
    backlog,
    failing,
    untested,
    stuckLandings,
    stuckCleanings,
    unpublished,
    oldestEvent,
    lateWebhook,
    taken,
    watches,
    called,
  ] = await Promise.all([
    database.Build.countByState(),
    database.Build.countByPhase(),
    database.Build.countEnded(),
    database.Build.backlog(),
    database.Build.oldestLastError(),
    database.Landing.oldestWithoutTester(),
    database.Landing.countStuck(),
    database.PoolPpa.countStuck(),
    countUnpublished(database),
    oldestUnpublished(database.sequelize),
    webhookBehindSince(database.sequelize),
    database.Build.countTaken(),
    database.PpaWatch.countWatched(),
    countCalls(database.sequelize),
  ]);
  const roundAgeMs = ageMs(watches.oldestRoundAt, watches.at);
  return {
    builds,
    under_way: underWay,
    ended,
    dispatch: { backlog: backlog.count, oldest_age_ms: ageMs(backlog.oldestAt, backlog.at) },
    overdue: {
      build_step_failing_ms: ageMs(failing.since, failing.at),
      tester_wait_ms: ageMs(untested.since, untested.at),
      event_wait_ms: ageMs(oldestEvent.since, oldestEvent.at),
      ppa_unwatched_ms: roundAgeMs !== null && roundAgeMs > unwatchedMs ? roundAgeMs : null,
      webhook_behind_ms: ageMs(lateWebhook.since, lateWebhook.at),
      stuck_landings: stuckLandings,
      stuck_cleanings: stuckCleanings,
    },
    unpublished_events: unpublished,
    launchpad: {
      calls: called.calls,
      failed_calls: called.failedCalls,
      left_alone_until: called.closedUntil?.toISOString() ?? null,
      watched_builds: watches.builds,
      watched_ppas: watches.ppas,
      oldest_round_age_ms: roundAgeMs,
    },
    taken,
  };
}

/** How old something is at a time of the same clock; null where there is nothing. */
function ageMs(since: Date | null, at: Date): number | null {
  return since && Math.max(0, at.getTime() - since.getTime());
}

function isBusy(
  queue: WorkerQueue & { slots: ReturnType<typeof slotsOfQueue> },
  taken: number,
): boolean {
  if (queue.backlog > 0) return true;
  return queue.slots ? queue.slots.used > 0 : isPolled(queue) && taken > 0;
}

function serializeWaiting(build: WaitingBuild, queues: readonly WorkerQueue[] | undefined) {
  return {
    build: `/api/v1/build/${build.id}/`,
    ticket_id: build.ticket_id,
    packages: build.package_names,
    ppa: build.ppa,
    state: build.state,
    phase: build.phase,
    cancel_requested_at: build.cancel_requested_at?.toISOString() ?? null,
    builds: build.architecture_builds,
    since: build.since.toISOString(),
    why: whyWaiting(build, queues),
  };
}
