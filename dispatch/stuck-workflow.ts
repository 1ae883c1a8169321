import type { Logger } from 'pino';

/** Tells whoever watches the log of a workflow that cannot get on by itself. */
export function alarmStuck(
  { logger }: { logger: Logger },
  workflowId: string,
  { tries, message }: { tries: number; message: string },
): void {
  logger.error(
    { workflowId, tries, alarm: 'workflow_stuck', problem: message },
    'the task of a workflow fails again and again',
  );
}
