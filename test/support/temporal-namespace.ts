import { randomUUID } from 'node:crypto';
import type { Connection } from '@temporalio/client';
import { until } from './until.ts';

const LIMIT_MS = 600_000;

/** Registers a namespace of a test's own, because every worker polls the same task queue. @returns its name */
export async function registerNamespace(connection: Connection): Promise<string> {
  const namespace = `test-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  // The frontend knows a new namespace only when it has read the list of namespaces anew.
  await until(
    'the namespace is known',
    () =>
      connection.workflowService.listWorkflowExecutions({ namespace }).then(
        () => true,
        () => false,
      ),
    LIMIT_MS,
  );
  return namespace;
}
