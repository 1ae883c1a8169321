import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateOfPhase, type BuildPhase } from '../../domain/builds/build-phase.ts';
import type { BuildState } from '../../domain/builds/build-request.ts';
import { CANCEL_SIGNAL, type BuildSourceResult } from '../../domain/builds/build-workflow.ts';
import type { LandingInput, LandingResult } from '../../domain/landings/landing.ts';
import {
  LANDING_FAILURE_CLASSES,
  type LandingFailureClass,
} from '../../domain/landings/landing-failure.ts';
import type { UploadProblem } from '../../domain/builds/upload-check.ts';
import { FAILURE_CLASSES, type FailureClass } from '../../domain/builds/failure.ts';
import {
  attributesOf,
  findHistories,
  parseHistory,
  valueOf,
  type HistoryEvent,
  type HistoryJson,
} from '../../admin/replay/history.ts';
import { activityName, typeOf } from '../../admin/replay/step.ts';
import {
  LANDINGS_WITHOUT_PATH,
  NOT_CANCELLED_IN,
  NOT_CONTINUED_IN,
  PATHS,
  WITHOUT_HISTORY,
  WITHOUT_PATH,
  type PlaceOfLanding,
} from './paths.ts';

const BUILD_STATES = {
  queued: true,
  checking: true,
  uploading: true,
  accepting: true,
  building: true,
  collecting: true,
  completed: true,
  failed: true,
} satisfies Record<BuildState, true>;

const FILES = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'));
const read = (file: string): HistoryJson =>
  parseHistory(readFileSync(join(import.meta.dirname, file), 'utf8'));

/** The histories of a path, one for each run. */
function runsOf(name: string): HistoryJson[] {
  return FILES.filter((file) => file.replace(/(?:-\d+)?\.json$/, '') === name)
    .toSorted()
    .map(read);
}

/** The text of histories with what their payloads say. */
function readable(text: string): string {
  return text.replaceAll(/"data": ?"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );
}

const WORKFLOWS = join(import.meta.dirname, '../../workflows');

/** The marks that workflows ask for: what is given to `patched`, and what a landing is asked whether it knows. */
function marksOfWorkflows(): string[] {
  const marks = readdirSync(WORKFLOWS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => marksAskedIn(readFileSync(join(WORKFLOWS, file), 'utf8')));
  return [...new Set(marks)];
}

function marksAskedIn(code: string): string[] {
  const [, older = ''] = /^type OlderChange =([^;]*);/m.exec(code) ?? [];
  const given = [...code.matchAll(/\bpatched\(\s*([^),]*)/g)].map(([, mark = '']) => mark);
  const unquoted = given.filter((mark) => !/^'.*'$/.test(mark));
  if (unquoted.length > 0 && older === '')
    throw new Error(`patched(${unquoted.join()}) does not spell out the mark that it asks for`);
  return [...`${older} ${given.join(' ')}`.matchAll(/'([^']+)'/g)].map(([, mark = '']) => mark);
}

/** The marks that the histories of this folder have, those of earlier code as well. */
async function marksOfHistories(): Promise<Set<unknown>> {
  const marks = new Set<unknown>();
  for await (const found of findHistories(import.meta.dirname))
    for (const event of 'history' in found ? found.history.events : []) {
      const { markerName, details } = attributesOf(event);
      if (markerName !== 'core_patch') continue;
      const { id } = valueOf(details?.['patch-data']?.payloads?.[0]) as { id: string };
      marks.add(id);
    }
  return marks;
}

/** How a workflow has ended. */
function endOf({ events }: HistoryJson): string {
  const last = events.at(-1) as HistoryEvent;
  const type = typeOf(last).replace('WORKFLOW_EXECUTION_', '');
  if (type === 'CANCELED') return 'cancelled in Temporal';
  if (type !== 'COMPLETED') return type.toLowerCase();
  const { result } = attributesOf(last) as { result?: { payloads: { data: string }[] } };
  const value = valueOf(result?.payloads[0]) as
    | BuildSourceResult
    | LandingResult
    | UploadProblem[]
    | { problem: string | null }
    | { rounds: number };
  if (Array.isArray(value)) return 'answered';
  if ('rounds' in value) return 'nothing to watch';
  if ('problem' in value) return value.problem === null ? 'PPA free' : 'PPA quarantined';
  if ('phase' in value)
    return `landing ${value.phase === 'complete' ? value.phase : value.failure.class}`;
  return value.state === 'failed' ? value.failure.class : value.state;
}

/** The name of the activity that an event completes. */
function completedActivity(events: HistoryEvent[], event: HistoryEvent): string | undefined {
  if (typeOf(event) !== 'ACTIVITY_TASK_COMPLETED') return undefined;
  const { scheduledEventId } = attributesOf(event);
  const scheduled = events.find(({ eventId }) => eventId === scheduledEventId);
  return scheduled && activityName(scheduled);
}

/** What a build does in an activity, and comes to after one, where its search attribute does not tell. */
const BEGINS: Record<string, BuildPhase> = {
  checkSources: 'checking',
  uploadSource: 'uploading',
  collectLogs: 'collecting',
};
const COMES_TO: Record<string, BuildPhase> = { uploadSource: 'accepting' };

/** The state in which a build was when it was told to stop: by what it had shown in Temporal, and run, until then. */
function stateAtSignal({ events }: HistoryJson): BuildState {
  const before = events.slice(
    0,
    events.findIndex(
      (event) =>
        typeOf(event) === 'WORKFLOW_EXECUTION_SIGNALED' &&
        attributesOf(event)['signalName'] === CANCEL_SIGNAL,
    ),
  );
  const shown = before.flatMap((event) => {
    const { AirlineBuildState: payload } = (attributesOf(event).searchAttributes?.indexedFields ??
      {}) as { AirlineBuildState?: { data: string } };
    const phase = payload
      ? (valueOf(payload) as BuildPhase)
      : (BEGINS[activityName(event) ?? ''] ?? COMES_TO[completedActivity(before, event) ?? '']);
    return phase ? [phase] : [];
  });
  return stateOfPhase(shown.at(-1) ?? 'queued');
}

/** Where a landing goes on in this run; undefined in its first, and of what is no landing. */
function placeOfRun({ events: [started] }: HistoryJson): PlaceOfLanding | undefined {
  const { workflowType, input } = attributesOf(started as HistoryEvent) as {
    workflowType?: { name: string };
    input?: { payloads: { data: string }[] };
  };
  if (workflowType?.name !== 'LandTicketWorkflow') return undefined;
  const { resumed } = valueOf(input?.payloads[0]) as LandingInput;
  if (!resumed) return undefined;
  if (resumed.imaging) return 'imaging';
  if (resumed.testing) return 'testing';
  if (resumed.approving)
    return resumed.approving.progress ? 'approving what is tested' : 'approving';
  return resumed.leasingAtMs === undefined ? 'in line' : 'leasing';
}

describe('the set of histories', () => {
  test('has one for every path, and no other', () => {
    const names = FILES.map((file) => file.replace(/(?:-\d+)?\.json$/, ''));
    expect([...new Set(names)].toSorted()).toEqual(PATHS.map(({ name }) => name).toSorted());
  });

  test('has a path for every failure class, or the reason why not', () => {
    const reached = PATHS.map(({ ends }) => ends);
    for (const failureClass of Object.keys(FAILURE_CLASSES) as FailureClass[])
      expect({ failureClass, hasPath: reached.includes(failureClass) }).toEqual({
        failureClass,
        hasPath: WITHOUT_PATH[failureClass] === undefined,
      });
  });

  test('has a path for every failure class of landings, or the reason why not', () => {
    const reached = PATHS.map(({ ends }) => ends);
    for (const failureClass of Object.keys(LANDING_FAILURE_CLASSES) as LandingFailureClass[])
      expect({ failureClass, hasPath: reached.includes(`landing ${failureClass}`) }).toEqual({
        failureClass,
        hasPath: LANDINGS_WITHOUT_PATH[failureClass] === undefined,
      });
  });

  test('has a landing that goes on in every place in a new run, or the reason why not', () => {
    const places = FILES.flatMap((file) => placeOfRun(read(file)) ?? []);
    for (const [place, reason] of Object.entries(NOT_CONTINUED_IN))
      expect({ place, isRecorded: places.includes(place as PlaceOfLanding) }).toEqual({
        place,
        isRecorded: reason === undefined,
      });
  });

  test('has a cancellation in every state, or the reason why not', () => {
    const reached = PATHS.map(({ cancelledIn }) => cancelledIn);
    for (const state of Object.keys(BUILD_STATES) as BuildState[])
      expect({ state, hasPath: reached.includes(state) }).toEqual({
        state,
        hasPath: NOT_CANCELLED_IN[state] === undefined,
      });
  });

  test('has every mark that a workflow asks for, or the reason why not', async () => {
    const recorded = await marksOfHistories();
    const unrecorded = marksOfWorkflows().filter((mark) => !recorded.has(mark));
    expect(unrecorded.toSorted()).toEqual(Object.keys(WITHOUT_HISTORY).toSorted());
  });
});

describe('the history of each path', () => {
  test.each(PATHS)('$name ends as $ends', ({ name, ends, cancelledIn, runs, shows }) => {
    const histories = runsOf(name);
    expect(histories.length).toBeGreaterThanOrEqual(runs === 'several' ? 2 : 1);
    for (const earlier of histories.slice(0, -1)) expect(endOf(earlier)).toBe('continued_as_new');
    expect(endOf(histories.at(-1) as HistoryJson)).toBe(ends);
    if (cancelledIn) expect(stateAtSignal(histories[0] as HistoryJson)).toBe(cancelledIn);
    if (shows) expect(readable(JSON.stringify(histories))).toContain(shows);
  });

  test('names no machine and no process, and no value of a query', () => {
    for (const file of FILES) {
      const text = readable(readFileSync(join(import.meta.dirname, file), 'utf8'));
      expect(text).not.toMatch(/"identity": "(?!scrubbed)|"\d+@/);
      expect(text).not.toMatch(/:\/\/[^\s"]*[?&]\w+=(?!scrubbed)/);
    }
  });
});

describe('a build', () => {
  test('takes at most 40 events, however often its PPA is polled', () => {
    const { events } = read('completed.json');
    expect(events.length).toBeLessThanOrEqual(40);
    expect(events.map(activityName)).not.toContain('watchBuilds');
  });

  test('that polls alone takes at most 12 for each poll', () => {
    const { events } = read('earlier/before-ppa-watch/completed.json');
    const polls = events.flatMap((event, index) =>
      activityName(event) === 'watchBuilds' ? [index] : [],
    );
    expect(polls.length).toBeGreaterThan(1);
    for (const [at, poll] of polls.slice(1).entries())
      expect(poll - (polls[at] ?? 0)).toBeLessThanOrEqual(12);
  });
});
