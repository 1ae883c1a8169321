import { Readable } from 'node:stream';
import { z } from 'zod';
import { AirlineError } from '../../domain/errors.ts';
import type { HandlerDependencies } from '../dependencies.ts';
import type { ApiContext } from '../http/context.ts';
import { withQuery } from '../http/operation.ts';
import { integerParameter } from '../http/query.ts';
import { readOne } from '../rest/read-resource.ts';
import { idOf } from '../rest/resource-routes.ts';
import { build, workflowIdOf } from '../resources/build.ts';
import { scrubEvent } from './scrub-history.ts';
import type { WorkflowHistory } from '../../domain/builds/workflow-history.ts';

const invalidAttempt = () => 'attempt is the number of an attempt.';
const querySchema = z.object({
  attempt: integerParameter(1, { notInteger: invalidAttempt, outOfRange: invalidAttempt })
    .optional()
    .meta({ description: 'The attempt of the build. Default: the latest.' }),
  run: z.uuid('run is the id of a run.').optional().meta({
    description:
      'The run, of a build that went on in new ones (continue-as-new). Default: the latest.',
  }),
});
const historySchema = z
  .object({
    events: z
      .array(
        z.looseObject({
          eventId: z.string().meta({ description: 'Its number.' }),
          eventType: z.string().meta({ description: 'What happened.' }),
        }),
      )
      .meta({
        description: "Temporal's events as proto JSON.",
      }),
  })
  .meta({ title: 'workflow_history' });

/** The history of a build's workflow, as testers replay it. */
export const workflowHistoryOperation = withQuery({
  method: 'get',
  path: '/api/v1/build/{id}/workflow-history/',
  summary: "Read the history of a build's workflow, to replay it (docs/replay.md)",
  scope: 'read',
  query: querySchema,
  isVolatile: true,
  hasLinks: true,
  answers: {
    200: {
      description:
        'One run, without names of machines and secrets of URLs. Link: self, prev (the run, or attempt, before), next (the run after), last.',
      schema: historySchema,
    },
  },
  errors: ['not_found', 'invalid_field', 'temporal_unavailable', 'history_too_large'],
  handle: answerHistory,
});

async function answerHistory(
  ctx: ApiContext,
  deps: HandlerDependencies,
  { attempt: asked, run }: z.output<typeof querySchema>,
): Promise<void> {
  const row = await readOne(deps.database, build, idOf(ctx));
  const buildId = row['id'] as number;
  const latest = row['attempt'] as number;
  const attempt = asked ?? latest;
  if (attempt > latest)
    throw new AirlineError('not_found', `Build ${buildId} has no attempt ${attempt}.`);
  const read = deps.readHistory(workflowIdOf(row, attempt), run);
  const history = await read.catch((cause: unknown) => {
    if (cause instanceof AirlineError) throw cause;
    throw new AirlineError('temporal_unavailable', 'Temporal does not give the history.', {
      cause,
    });
  });
  if (!history) throw missing(buildId, attempt, run);
  ctx.status = 200;
  ctx.set({
    'Content-Type': 'application/json',
    Link: linksOf(`${build.uriOf(buildId)}workflow-history/`, attempt, history),
  });
  // Temporal is asked for the rest only as the caller reads.
  ctx.body = ctx.method === 'HEAD' ? '' : Readable.from(textOf(history));
}

function missing(buildId: number, attempt: number, run: string | undefined): AirlineError {
  const what = `attempt ${attempt} of build ${buildId}${run === undefined ? '' : `, run ${run}`}`;
  return new AirlineError(
    'not_found',
    `Temporal has no history of ${what}: it was not started yet, or it ended longer ago than the namespace's retention.`,
  );
}

function linksOf(path: string, attempt: number, history: WorkflowHistory): string {
  const { runId, continuedFrom, continuedAs } = history;
  const runOf = (id: string) => `${path}?attempt=${attempt}&run=${id}`;
  const previousAttempt = attempt > 1 ? `${path}?attempt=${attempt - 1}` : undefined;
  const links = {
    self: runOf(runId),
    prev: continuedFrom ? runOf(continuedFrom) : previousAttempt,
    next: continuedAs ? runOf(continuedAs) : undefined,
    last: path,
  };
  return Object.entries(links)
    .filter(([, target]) => target !== undefined)
    .map(([name, target]) => `<${target}>; rel="${name}"`)
    .join(', ');
}

/** The text that `JSON.stringify({ events }, null, 1)` would make of all events together. */
async function* textOf({ pages }: WorkflowHistory): AsyncGenerator<string> {
  let before = '{\n "events": [';
  for await (const page of pages) {
    let text = '';
    for (const event of page) {
      text += `${before}\n  ${JSON.stringify(scrubEvent(event), null, 1).replaceAll('\n', '\n  ')}`;
      before = ',';
    }
    yield text;
  }
  yield '\n ]\n}\n';
}
