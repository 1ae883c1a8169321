import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A payload as proto JSON has it. */
type PayloadJson = { data?: string };

/** An event of a history as proto JSON has it; its attributes stand under a name of their own. */
export type HistoryEvent = {
  eventId: string;
  eventType: string;
  userMetadata?: { summary?: PayloadJson };
} & Record<string, unknown>;

/** A workflow history as `historyToJSON`, `temporal workflow show -o json` and our API give it. */
export type HistoryJson = { events: HistoryEvent[] };

/** A history, or the reason why it cannot be replayed. */
export type FoundHistory =
  { name: string; history: HistoryJson } | { name: string; notAHistory: string };

/**
 * Reads a text as a history.
 *
 * @throws Error that says what is wrong with it
 */
export function parseHistory(text: string): HistoryJson {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON (${(error as Error).message})`, { cause: error });
  }
  const { events } = (parsed ?? {}) as Partial<HistoryJson>;
  if (!Array.isArray(events) || events.length === 0)
    throw new Error('it has no list of `events`, as the JSON of a workflow history has');
  const started = events[0]?.['workflowExecutionStartedEventAttributes'];
  if (typeof started !== 'object' || started === null)
    throw new Error(
      'its first event is not the start of a workflow: the beginning is missing, and replay needs all of it',
    );
  return { events };
}

/**
 * The histories of a file, or of a folder and the folders in it in the order of their names. They are read one by one,
 * as they are asked for. What a folder has besides is told with the reason why it is no history.
 *
 * @throws Error where there is nothing at the path
 */
export async function* findHistories(path: string): AsyncGenerator<FoundHistory> {
  if (!(await stat(path)).isDirectory()) {
    yield await readHistory(path);
    return;
  }
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.toSorted()) yield await readHistory(file);
}

async function readHistory(path: string): Promise<FoundHistory> {
  try {
    return { name: path, history: parseHistory(await readFile(path, 'utf8')) };
  } catch (error) {
    return { name: path, notAHistory: (error as Error).message };
  }
}

/** Those of the attributes of events that tell what happened. */
type Attributes = {
  workflowTaskCompletedEventId?: string;
  timerId?: string;
  activityId?: string;
  activityType?: { name?: string };
  scheduledEventId?: string;
  signalName?: string;
  searchAttributes?: { indexedFields?: object };
  markerName?: string;
  details?: Record<string, { payloads?: PayloadJson[] }>;
};

/** The attributes of an event, whatever its type. */
export function attributesOf(event: HistoryEvent): Attributes {
  const name = Object.keys(event).find((key) => key.endsWith('EventAttributes'));
  return name === undefined ? {} : (event[name] as Attributes);
}

/** The text for Temporal's UI that goes with an event. */
export function summaryOf(payload: PayloadJson | undefined): string {
  const value = valueOf(payload);
  return typeof value === 'string' ? value : '';
}

/** The value of a payload that holds JSON; undefined where it holds something else. */
export function valueOf(payload: PayloadJson | undefined): unknown {
  const data = payload?.data;
  if (typeof data !== 'string') return undefined;
  try {
    return JSON.parse(Buffer.from(data, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
