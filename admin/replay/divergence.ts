import { attributesOf, type HistoryEvent, type HistoryJson } from './history.ts';
import {
  activityName,
  isSameStep,
  LOCAL_ACTIVITY,
  stepOfEvent,
  stepsOfCommands,
  typeOf,
  type Asked,
  type Step,
} from './step.ts';

/** An event as a person reads it. */
type ShownEvent = { id: number; type: string; about: string };

/** Where a history and the code part. */
export type Divergence = {
  /** The event that the code does not ask for; undefined where none can be named. */
  eventId?: number;
  /** What the history has there. */
  recorded?: Step;
  /** What the code asks for instead; undefined: nothing. */
  wanted?: Step;
  /** The events before and after it. */
  around: ShownEvent[];
  /** Temporal's own words. */
  message: string;
};

const EVENTS_BEFORE = 6;
const EVENTS_AFTER = 3;

/**
 * Tells where a history and the code that replayed it part, and how.
 *
 * @param asked the code's commands until the replay was given up
 * @param message of the SDK's error
 */
export function explainDivergence(
  history: HistoryJson,
  asked: readonly Asked[],
  message: string,
): Divergence {
  const details = ownWords(message);
  const scheduled = new Map(
    history.events
      .filter((event) => typeOf(event) === 'ACTIVITY_TASK_SCHEDULED')
      .map((event) => [event.eventId, event]),
  );
  const recorded = history.events.flatMap((event) => {
    const step = stepOfEvent(event, scheduled);
    return step ? [{ eventId: Number(event.eventId), step }] : [];
  });
  const named = eventNamedIn(details, recorded);
  const found = firstDifference(recorded, stepsOfCommands(asked), named);
  const eventId = found?.eventId ?? named;
  return {
    ...(eventId === undefined ? {} : { eventId }),
    ...(found ? { recorded: found.recorded } : {}),
    ...(found?.wanted ? { wanted: found.wanted } : {}),
    around: eventId === undefined ? [] : around(history.events, eventId, scheduled),
    message: details,
  };
}

type Recorded = { eventId: number; step: Step };
type Difference = { eventId: number; recorded: Step; wanted?: Step };

/**
 * The first step that the history has and the code does not ask for. Local activities are compared apart from the rest:
 * their events are written when they end, those of all other steps when they are asked for.
 *
 * @param named the event that the SDK names
 */
function firstDifference(
  recorded: readonly Recorded[],
  wanted: readonly Step[],
  named: number | undefined,
): Difference | undefined {
  const isLocal = ({ kind }: Step) => kind === LOCAL_ACTIVITY;
  const candidates = [isLocal, (step: Step) => !isLocal(step)].flatMap((belongs) => {
    const difference = compare(
      recorded.filter(({ step }) => belongs(step)),
      wanted.filter(belongs),
    );
    return difference ? [difference] : [];
  });
  const [first, second] = candidates.toSorted((one, other) => one.eventId - other.eventId);
  // A step that the code has not come to yet is no difference, unless the code has gone past it, or the SDK names it.
  const wants = first?.wanted ?? second?.wanted;
  if (!first || (!wants && first.eventId !== named)) return undefined;
  return wants ? { ...first, wanted: wants } : first;
}

function compare(recorded: readonly Recorded[], wanted: readonly Step[]): Difference | undefined {
  for (const [at, { eventId, step }] of recorded.entries()) {
    const other = wanted[at];
    if (!other) return { eventId, recorded: step };
    if (!isSameStep(step, other)) return { eventId, recorded: step, wanted: other };
  }
  return undefined;
}

/** The part of the SDK's message that says something, such as `[TMPRL1100] Nondeterminism error: …`. */
function ownWords(message: string): string {
  const details = message.replace(/^.*?Details: /s, '');
  return /\bmessage: "((?:[^"\\]|\\.)*)"/.exec(details)?.[1] ?? details;
}

/** The SDK names an event by its id, and a local activity by its own number. */
function eventNamedIn(message: string, recorded: readonly Recorded[]): number | undefined {
  const id = /\bHistoryEvent\(id: (\d+)/.exec(message)?.[1];
  if (id !== undefined) return Number(id);
  const local = /\bLocalActivity\((\d+)\)/.exec(message)?.[1];
  return recorded.find(({ step }) => step.kind === LOCAL_ACTIVITY && step.id === local)?.eventId;
}

function around(
  events: readonly HistoryEvent[],
  eventId: number,
  scheduled: ReadonlyMap<string, HistoryEvent>,
): ShownEvent[] {
  const at = events.findIndex((event) => Number(event.eventId) === eventId);
  return events
    .slice(Math.max(0, at - EVENTS_BEFORE), at + EVENTS_AFTER + 1)
    .map((event) => ({ id: Number(event.eventId), type: typeOf(event), about: about(event) }));

  function about(event: HistoryEvent): string {
    const step = stepOfEvent(event, scheduled);
    if (step) return describeSubject(step);
    const { scheduledEventId = '', signalName, timerId = '' } = attributesOf(event);
    const of = scheduled.get(scheduledEventId);
    return of ? activityName(of) : (signalName ?? timerId);
  }
}

/** What a step is about, such as `watchBuilds (poll 3)`. */
export function describeSubject({ name, id, summary }: Step): string {
  const subject = name || id;
  return summary === '' ? subject : `${subject} (${summary})`.trim();
}
