import type { Workflow } from '@temporalio/worker/lib/workflow/interface.js';
import { attributesOf, summaryOf, valueOf, type HistoryEvent } from './history.ts';

type Completion = Awaited<ReturnType<Workflow['activate']>>;
type Command = NonNullable<NonNullable<Completion['successful']>['commands']>[number];

/** A command of workflow code, and the length of the history in whose workflow task it was given. */
export type Asked = { task: number; command: Command };

/**
 * One thing that a workflow asks of Temporal: as an event of a history says it was asked for, or as the code asks for
 * it now. The two are the same step where `kind`, `name` and `id` are.
 */
export type Step = {
  kind: string;
  /** Of an activity or a search attribute. */
  name: string;
  id: string;
  /** The text for Temporal's UI. It may change at any time. */
  summary: string;
};

/** The kinds of steps, by the names of their events. */
const KINDS: Readonly<Record<string, string>> = {
  TIMER_STARTED: 'start a timer',
  TIMER_CANCELED: 'cancel a timer',
  ACTIVITY_TASK_SCHEDULED: 'run the activity',
  ACTIVITY_TASK_CANCEL_REQUESTED: 'cancel an activity',
  UPSERT_WORKFLOW_SEARCH_ATTRIBUTES: 'set the search attribute',
  WORKFLOW_EXECUTION_COMPLETED: 'end with a result',
  WORKFLOW_EXECUTION_FAILED: 'end with a failure',
  WORKFLOW_EXECUTION_CANCELED: 'end as cancelled',
  WORKFLOW_EXECUTION_CONTINUED_AS_NEW: 'continue as new',
};
export const LOCAL_ACTIVITY = 'run the local activity';
// Temporal records it with a `patched` by itself.
const CHANGE_VERSION = 'TemporalChangeVersion';

/** An event's type as Temporal's UI has it, such as ACTIVITY_TASK_SCHEDULED. */
export function typeOf({ eventType }: HistoryEvent): string {
  return eventType.startsWith('EVENT_TYPE_')
    ? eventType.slice('EVENT_TYPE_'.length)
    : eventType.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

/**
 * The step that an event records; undefined where it records none: Temporal or a caller made the event, not the code.
 */
export function stepOfEvent(
  event: HistoryEvent,
  scheduled: ReadonlyMap<string, HistoryEvent>,
): Step | undefined {
  const attributes = attributesOf(event);
  const summary = summaryOf(event.userMetadata?.summary);
  const type = typeOf(event);
  if (attributes.markerName === 'core_local_activity') {
    const marker = valueOf(attributes.details?.['data']?.payloads?.[0]) as
      { activity_type?: string; seq?: number } | undefined;
    const { activity_type: name = '', seq = 0 } = marker ?? {};
    return { kind: LOCAL_ACTIVITY, name, id: `${seq}`, summary };
  }
  const kind = KINDS[type];
  if (kind === undefined || attributes.workflowTaskCompletedEventId === undefined) return undefined;
  switch (type) {
    case 'TIMER_STARTED':
    case 'TIMER_CANCELED':
      return { kind, name: '', id: attributes.timerId ?? '', summary };
    case 'ACTIVITY_TASK_SCHEDULED':
      return { kind, name: activityName(event), id: attributes.activityId ?? '', summary };
    case 'ACTIVITY_TASK_CANCEL_REQUESTED': {
      const of = scheduled.get(attributes.scheduledEventId ?? '');
      return { kind, name: '', id: (of && attributesOf(of).activityId) ?? '', summary };
    }
    case 'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES': {
      const name = namesOf(attributes.searchAttributes?.indexedFields);
      return name === CHANGE_VERSION ? undefined : { kind, name, id: '', summary };
    }
    default:
      return { kind, name: '', id: '', summary };
  }
}

/**
 * The steps that commands ask for. What is cancelled in the very workflow task that starts it never reaches the
 * history.
 */
export function stepsOfCommands(asked: readonly Asked[]): Step[] {
  const starts = new Map<string, Asked>();
  const left = new Set(asked);
  for (const one of asked) {
    const { startTimer, cancelTimer, scheduleActivity, requestCancelActivity } = one.command;
    const started = startTimer ?? scheduleActivity;
    if (started) starts.set(`${one.task} ${started.seq}`, one);
    const ended = cancelTimer ?? requestCancelActivity;
    const start = ended && starts.get(`${one.task} ${ended.seq}`);
    if (start) for (const pointless of [start, one]) left.delete(pointless);
  }
  return [...left]
    .map(({ command }) => stepOfCommand(command))
    .filter((step) => step !== undefined);
}

/** The step that a command asks for; undefined where no event comes of it by itself. */
function stepOfCommand(command: Command): Step | undefined {
  const summary = summaryOf(encoded(command.userMetadata?.summary));
  const step = (
    type: string,
    of: { name?: string; id?: string | number | null | undefined } = {},
  ): Step => ({
    kind: KINDS[type] ?? type,
    name: of.name ?? '',
    id: `${of.id ?? ''}`,
    summary,
  });
  if (command.startTimer) return step('TIMER_STARTED', { id: command.startTimer.seq });
  if (command.cancelTimer) return step('TIMER_CANCELED', { id: command.cancelTimer.seq });
  if (command.scheduleActivity) {
    const { activityType, activityId } = command.scheduleActivity;
    return step('ACTIVITY_TASK_SCHEDULED', { name: activityType ?? '', id: activityId });
  }
  if (command.requestCancelActivity)
    return step('ACTIVITY_TASK_CANCEL_REQUESTED', { id: command.requestCancelActivity.seq });
  if (command.scheduleLocalActivity) {
    const { activityType, seq } = command.scheduleLocalActivity;
    return { kind: LOCAL_ACTIVITY, name: activityType ?? '', id: `${seq ?? ''}`, summary };
  }
  if (command.upsertWorkflowSearchAttributes) {
    const fields = command.upsertWorkflowSearchAttributes.searchAttributes?.indexedFields;
    return step('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES', { name: namesOf(fields ?? {}) });
  }
  if (command.completeWorkflowExecution) return step('WORKFLOW_EXECUTION_COMPLETED');
  if (command.failWorkflowExecution) return step('WORKFLOW_EXECUTION_FAILED');
  if (command.cancelWorkflowExecution) return step('WORKFLOW_EXECUTION_CANCELED');
  if (command.continueAsNewWorkflowExecution) return step('WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
  return undefined;
}

/** Whether two steps are one to Temporal, which compares no summaries. */
export function isSameStep(one: Step, other: Step): boolean {
  return one.kind === other.kind && one.name === other.name && one.id === other.id;
}

/** The type of the activity that an event schedules. */
export function activityName(event: HistoryEvent): string {
  return attributesOf(event).activityType?.name ?? '';
}

function namesOf(fields: object | undefined): string {
  return Object.keys(fields ?? {})
    .toSorted()
    .join(', ');
}

function encoded(payload: { data?: Uint8Array | null } | null | undefined): { data?: string } {
  return payload?.data ? { data: Buffer.from(payload.data).toString('base64') } : {};
}
