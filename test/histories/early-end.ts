import { attributesOf, type HistoryEvent, type HistoryJson } from '../../admin/replay/history.ts';
import { typeOf } from '../../admin/replay/step.ts';

const TASK = ['WORKFLOW_TASK_SCHEDULED', 'WORKFLOW_TASK_STARTED', 'WORKFLOW_TASK_COMPLETED'];

/**
 * The history of a workflow whose tasks ended as soon as a local activity had, as a query can have it: what was left of
 * each is done by a task of its own.
 */
export function endTasksEarly({ events }: HistoryJson): HistoryJson {
  const longer: HistoryEvent[] = [];
  const newIds = new Map<string, string>();
  const latest = new Map<string, HistoryEvent>();
  const add = (event: HistoryEvent) => {
    const eventId = `${longer.length + 1}`;
    longer.push({ ...withReferences(event, newIds), eventId });
    newIds.set(event.eventId, eventId);
  };
  for (const [at, event] of events.entries()) {
    latest.set(typeOf(event), event);
    add(event);
    const { markerName, workflowTaskCompletedEventId: task } = attributesOf(event);
    const next = events[at + 1];
    const isMoreLeft = next && attributesOf(next).workflowTaskCompletedEventId === task;
    if (markerName !== 'core_local_activity' || !isMoreLeft) continue;
    // What comes after it refers to the last of them.
    for (const type of TASK) add(latest.get(type) as HistoryEvent);
  }
  return { events: longer };
}

function withReferences(event: HistoryEvent, newIds: ReadonlyMap<string, string>): HistoryEvent {
  const name = Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? '';
  const attributes = Object.entries(attributesOf(event)).map(([key, value]) => {
    const isReference = key.endsWith('EventId') && typeof value === 'string';
    return [key, isReference ? (newIds.get(value) ?? value) : value];
  });
  return { ...event, [name]: Object.fromEntries(attributes) };
}
