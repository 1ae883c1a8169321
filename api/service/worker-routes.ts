import { z } from 'zod';
import { readCallWait } from '../../models/builds/call-budget.ts';
import { withDeadline } from '../../timing/deadline.ts';
import { answerJson } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { orError } from './or-error.ts';

const slotsSchema = z
  .object({
    queue: z.string().meta({ description: 'The task queue.' }),
    kind: z.enum(['workflow', 'activity']).meta({ description: 'What its tasks are.' }),
    used: z.int().meta({ description: 'How many of its slots have a task.' }),
    total: z.int().meta({ description: 'How many slots it has.' }),
    processed: z.int().meta({
      description: 'Tasks that it has done since it started, those that failed among them.',
    }),
    failed: z.int().meta({ description: 'Tasks that failed.' }),
  })
  .meta({ title: 'worker_slots' });
const workerSchema = z
  .object({
    identity: z.string().meta({ description: 'The name that it gives itself.' }),
    host: z.string().meta({ description: 'The machine or container that it runs on.' }),
    version: z.string().nullable().meta({
      description: 'Its version of Airline, or what AIRLINE_WORKER_BUILD_ID calls it.',
    }),
    state: z
      .enum(['running', 'stopping', 'stopped'])
      .meta({ description: 'What it says that it does.' }),
    started_at: z.string().nullable().meta({ description: 'When it started.' }),
    reported_at: z
      .string()
      .nullable()
      .meta({ description: 'When it last reported, by its own clock; it does every 10 seconds.' }),
    reporting: z.boolean().meta({
      description:
        'Whether it reported in the last 35 seconds, however its clock differs from that of the API. One that does not is frozen, cut off, or gone.',
    }),
    slots: z.array(slotsSchema).meta({ description: 'What it can take, and what it has.' }),
  })
  .meta({ title: 'worker' });
const workersSchema = z
  .object({
    workers: z
      .array(workerSchema)
      .nullable()
      .meta({ description: 'The processes of workers and testers; null where not known.' }),
    workers_error: z
      .string()
      .optional()
      .meta({ description: 'Why they are not known, where they are not.' }),
    launchpad: z
      .object({
        calls_per_second: z.int().meta({
          description: 'Calls of its web service that all workers together may make in a second.',
        }),
        wait_ms: z.int().meta({
          description: 'How long a call that comes now waits for its turn.',
        }),
      })
      .nullable()
      .meta({ description: 'What bounds the calls of the PPA; null where not known.' }),
  })
  .meta({ title: 'workers' });

/** Who does the work, and what bounds it. */
export const workersOperation: Operation = {
  method: 'get',
  path: '/api/v1/status/workers/',
  summary: 'List the workers with their slots, and what bounds the calls of the PPA',
  scope: 'read',
  isVolatile: true,
  answers: { 200: { description: 'Workers, and bounds.', schema: workersSchema } },
  errors: [],
  async handle(ctx, { database, limits, launchpadCallsPerSecond: perSecond, readWorkers }) {
    const [workers, wait] = await Promise.all([
      orError(readWorkers),
      orError(() =>
        withDeadline(readCallWait(database.sequelize, perSecond), limits.probeTimeoutMs),
      ),
    ]);
    answerJson(ctx, 200, {
      workers: workers.value ?? null,
      ...(workers.error ? { workers_error: workers.error } : {}),
      launchpad:
        wait.value === undefined ? null : { calls_per_second: perSecond, wait_ms: wait.value },
    });
  },
};
