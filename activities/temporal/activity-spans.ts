import { SpanKind } from '@opentelemetry/api';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { isFinal, type ProgressReport } from '../../domain/builds/progress.ts';
import { inSpan, startSpan } from '../../timing/spans.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { buildIdOf } from './activity-interceptor.ts';

/**
 * Makes every try of an activity of a build a span of the trace that the build's request began. The final report makes
 * one of the workflow, too: nothing of it outlives a worker but its history, so that it is only known when it ends.
 */
export function activitySpans({
  database: { Build },
  logger,
}: {
  database: Pick<ActivityDependencies['database'], 'Build'>;
  logger: ActivityDependencies['logger'];
}): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const buildId = buildIdOf(input.args, info);
        const traced = buildId === undefined ? null : await readTrace(buildId);
        if (!traced) return next(input);
        const { traceparent, dispatchedAt } = traced;
        const { activityType, attempt, workflowType } = info;
        const attributes = { 'airline.build_id': buildId };
        const result = await inSpan(
          activityType,
          traceparent,
          { kind: SpanKind.CONSUMER, attributes: { ...attributes, 'airline.try': attempt } },
          () => next(input),
        );
        if (workflowType && activityType === 'reportProgress' && isFinalReport(input.args))
          startSpan(workflowType, traceparent, {
            kind: SpanKind.CONSUMER,
            attributes,
            ...(dispatchedAt ? { startTime: dispatchedAt } : {}),
          }).end();
        return result;
      },
    },
  });

  async function readTrace(buildId: number) {
    try {
      return await Build.readTrace(buildId);
    } catch (error) {
      logger.warn({ buildId, err: error }, 'the trace of a build could not be read');
      return null;
    }
  }
}

function isFinalReport(args: readonly unknown[]): boolean {
  const [report] = args as readonly ProgressReport[];
  return report !== undefined && isFinal(report.message);
}
