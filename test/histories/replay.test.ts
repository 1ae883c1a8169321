import { join, sep } from 'node:path';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { findHistories, type FoundHistory } from '../../admin/replay/history.ts';
import { replayHistories, type Replayed } from '../../admin/replay/replay-histories.ts';
import { describeReplayed } from '../../admin/replay/report.ts';
import { workflowBundle } from '../support/addresses.ts';
import { copyWorkflows, type Change, type WorkflowCopy } from './changed-workflows.ts';
import { endTasksEarly } from './early-end.ts';

jest.setTimeout(600_000);

let copy: WorkflowCopy;

beforeAll(() => {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    // Temporal's core writes what it finds to standard error, too.
    telemetryOptions: {
      logging: {
        filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
        forward: {},
      },
    },
  });
  copy = copyWorkflows();
});
afterAll(() => copy.remove());

/** Replays one of the histories, by its name, or all. */
async function replay(
  bundle: Parameters<typeof replayHistories>[0],
  history = '',
): Promise<Replayed[]> {
  const all: Replayed[] = [];
  const path = join(import.meta.dirname, history && `${history}.json`);
  for await (const one of replayHistories(bundle, findHistories(path))) all.push(one);
  return all;
}

/** The histories of present code, as they are where a query ended each workflow task early. */
async function* endedEarly(): AsyncGenerator<FoundHistory> {
  for await (const found of findHistories(import.meta.dirname)) {
    const isPresent = !found.name.includes(`${sep}earlier${sep}`);
    if (isPresent && 'history' in found) yield { ...found, history: endTasksEarly(found.history) };
  }
}

/** What does not replay, as a tester would read it. */
const problems = (all: readonly Replayed[]) =>
  all.filter(({ outcome }) => outcome !== 'ok').map(describeReplayed);

const nameOf = ({ name }: Replayed) =>
  name.slice(import.meta.dirname.length + 1).replace(/\.json$/, '');

describe('the recorded histories', () => {
  test('replay on the bundle that ships, those of earlier code as well', async () => {
    const all = await replay({ codePath: workflowBundle() });
    expect(problems(all)).toEqual([]);
    expect(all.map(nameOf)).toEqual(
      expect.arrayContaining([
        'earlier/before-phases/cancelled-by-url',
        'earlier/before-phases/completed',
        'earlier/cancelled',
        'earlier/completed',
        'earlier/continued-as-new-1',
        'earlier/continued-as-new-2',
        'earlier/failed',
        'earlier/retried-in-ppa',
        'earlier/timed-out',
      ]),
    );
  });
});

test('a history replays where its workflow tasks ended as soon as a local activity had', async () => {
  const all: Replayed[] = [];
  for await (const one of replayHistories({ codePath: workflowBundle() }, endedEarly()))
    all.push(one);
  expect(problems(all)).toEqual([]);
  expect(all.map(nameOf)).toEqual(expect.arrayContaining(['landed-tested', 'retried-in-ppa']));
});

type Noticed = { change: Change; by: string; recorded?: object; wanted?: object };
const AS_IT_GOES_ON: Change = {
  file: 'land-ticket.ts',
  from: "if (policy && policy.tests !== 'none')",
  to: "if (built) await sleep(1);\nif (policy && policy.tests !== 'none')",
  imports: 'sleep',
};
const NOTICED: Record<string, Noticed> = {
  'an added timer': {
    change: {
      file: 'upload.ts',
      from: 'watched.sent += 1;',
      to: 'watched.sent += 1;\nawait sleep(1);',
      imports: 'sleep',
    },
    by: 'earlier/before-ppa-watch/completed',
    wanted: { kind: 'start a timer' },
  },
  'a removed activity': {
    change: {
      file: 'activity-stubs.ts',
      from: /transfer\(\s*summary,\s*limits\.logCollectionMs,[^]*?\.collectLogs\(input\)/,
      to: 'Promise.resolve({ logs: [], missing: [], rootCauses: [] })',
    },
    by: 'completed',
    recorded: { kind: 'run the activity', name: 'collectLogs' },
  },
  'a renamed activity': {
    change: { file: 'activity-stubs.ts', from: '.uploadSource(input)', to: '.sendSource(input)' },
    by: 'completed',
    recorded: { name: 'uploadSource' },
    wanted: { name: 'sendSource' },
  },
  'a poll before its wait instead of after it': {
    change: {
      file: 'watch.ts',
      from: /(await sleep\(delayMs, \{\s+summary: `poll[^;]*;)(\s+)(await poll\([^;]*;)/,
      to: '$3$2$1',
    },
    by: 'earlier/before-ppa-watch/completed',
    recorded: { kind: 'start a timer' },
    wanted: { name: 'watchBuilds' },
  },
  'a watch of the PPA that is not joined': {
    change: {
      file: 'follow-ppa-watch.ts',
      from: 'if (!isWatched) await join(attempt, knowsFailure);',
      to: ';',
    },
    by: 'completed',
    recorded: { kind: 'run the local activity' },
  },
  'a changed condition': {
    change: { file: 'stop-in-ppa.ts', from: 'if (watched.records.length > 0)', to: 'if (true)' },
    by: 'cancelled-accepting',
    recorded: { name: 'watchBuilds' },
    wanted: { name: 'cancelBuilds' },
  },
  'another time to continue as new': {
    change: {
      file: 'continue-as-new.ts',
      from: 'historyLength >= maxEvents',
      to: 'historyLength >= 2 * maxEvents',
    },
    by: 'earlier/before-ppa-watch/continued-as-new-1',
    recorded: { kind: 'continue as new' },
    wanted: { kind: 'start a timer' },
  },
  'a removed search attribute': {
    change: {
      file: 'build-attempt.ts',
      from: /upsertSearchAttributes\(\[\{ key: attributeKey\('AirlineBuildState'\), value: phase \}\]\);/,
      to: ';',
    },
    by: 'completed',
    recorded: { kind: 'set the search attribute', name: 'AirlineBuildState' },
  },
  'a search attribute that is removed from what builds without phases do': {
    change: {
      file: 'poll.ts',
      from: /upsertSearchAttributes\(\[\{ key: attributeKey\('AirlineBuildState'\), value: 'building' \}\]\);/,
      to: ';',
    },
    by: 'earlier/before-phases/completed',
    recorded: { kind: 'set the search attribute', name: 'AirlineBuildState' },
  },
  'a step before the tests are made anew': {
    change: {
      file: 'landing/test-packages.ts',
      from: 'if (number >= policy.staleTries)',
      to: 'await sleep(1);\nif (number >= policy.staleTries)',
      imports: 'sleep',
    },
    by: 'landing-target-moved',
    wanted: { kind: 'start a timer' },
  },
  'a step before a landing goes on among its tests': {
    change: AS_IT_GOES_ON,
    by: 'landing-continued-testing-2',
    wanted: { kind: 'start a timer' },
  },
  'a step before a landing goes on with its approval': {
    change: AS_IT_GOES_ON,
    by: 'landing-woken-tested-2',
    wanted: { kind: 'start a timer' },
  },
  'a message that is not reported': {
    change: {
      file: 'build-source.ts',
      from: "await attempt.report({ key: 'started', message: 'STARTED', phase })",
      to: '{ isEnded: false }',
    },
    by: 'completed',
    recorded: { kind: 'run the local activity', name: 'reportProgress' },
  },
};

/** Each by a history that comes there: a change of the same step above is noticed by it. */
const UNNOTICED: Record<string, { change: Change; by: string }> = {
  "another text for Temporal's UI": {
    change: { file: 'finish.ts', from: "'logs into the data store'", to: "'the logs'" },
    by: 'completed',
  },
  "another text of a landing for Temporal's UI": {
    change: { file: 'landing/landing-stubs.ts', from: "'its turn'", to: "'its place in line'" },
    by: 'landed',
  },
  'a new step behind `patched`': {
    change: {
      file: 'upload.ts',
      from: 'watched.sent += 1;',
      to: "watched.sent += 1;\nif (patchedNow('rest')) await sleep(1);",
      imports: 'patched as patchedNow, sleep',
    },
    by: 'earlier/before-ppa-watch/completed',
  },
};

describe('a changed workflow', () => {
  test.each(Object.entries(NOTICED))(
    '%s is noticed',
    async (_, { change, by, recorded, wanted }) => {
      const [noticed] = await replay(await copy.bundleWith(change), by);
      expect(noticed).toMatchObject({
        outcome: 'diverges',
        divergence: {
          eventId: expect.any(Number),
          ...(recorded ? { recorded } : {}),
          ...(wanted ? { wanted } : {}),
        },
      });
    },
  );

  test.each(Object.entries(UNNOTICED))('%s replays', async (_, { change, by }) => {
    const all = await replay(await copy.bundleWith(change), by);
    expect(all.map(({ outcome }) => outcome)).toEqual(['ok']);
  });
});
