import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { workflowBundle } from '../support/addresses.ts';

jest.setTimeout(60_000);

const FILES = readdirSync(__dirname).filter((name) => name.endsWith('.json'));

type Event = { eventType: string; activityTaskScheduledEventAttributes?: { activityType: { name: string } } };

const events = (name: string): Event[] =>
  (JSON.parse(readFileSync(join(__dirname, name), 'utf8')) as { events: Event[] }).events;

function replay(bundle: { code: string } | { codePath: string }, name: string): Promise<void> {
  const history = historyFromJSON(JSON.parse(readFileSync(join(__dirname, name), 'utf8')));
  return Worker.runReplayHistory({ workflowBundle: bundle }, history, name);
}

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
});

describe('recorded histories', () => {
  test('there is one for each way a build can go', () => {
    expect(FILES.toSorted()).toEqual([
      'cancelled.json',
      'completed.json',
      'continued-as-new-1.json',
      'continued-as-new-2.json',
      'failed.json',
    ]);
  });

  test.each(FILES)('%s replays on the bundle that ships', async (name) => {
    await expect(replay({ codePath: workflowBundle() }, name)).resolves.toBeUndefined();
  });

  test('a changed workflow does not replay', async () => {
    mkdirSync('dist', { recursive: true });
    // Inside the project, so that the copy finds its packages.
    const copy = mkdtempSync(resolve('dist', 'changed-workflow-'));
    try {
      for (const folder of ['workflows', 'domain']) cpSync(folder, join(copy, folder), { recursive: true });
      const path = join(copy, 'workflows', 'build-source.ts');
      const source = readFileSync(path, 'utf8');
      const changed = source.replace('await upload();', 'await sleep(1);\nawait upload();');
      expect(changed).not.toBe(source);
      writeFileSync(path, changed);
      const bundle = await bundleWorkflowCode({
        workflowsPath: join(copy, 'workflows', 'index.ts'),
        logger: new DefaultLogger('ERROR'),
      });
      await expect(replay(bundle, 'completed.json')).rejects.toThrow(DeterminismViolationError);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  test('a build of one minute takes at most 60 events, and at most 12 for each look at the PPA', () => {
    const history = events('completed.json');
    expect(history.length).toBeLessThanOrEqual(60);
    const looks = history.flatMap((event, index) =>
      event.activityTaskScheduledEventAttributes?.activityType.name === 'watchBuilds' ? [index] : [],
    );
    expect(looks.length).toBeGreaterThan(1);
    for (const [at, look] of looks.slice(1).entries())
      expect(look - (looks[at] ?? 0)).toBeLessThanOrEqual(12);
  });

  test('none names a machine or a process', () => {
    for (const name of FILES)
      expect(readFileSync(join(__dirname, name), 'utf8')).not.toMatch(/"identity": "(?!scrubbed)|\d@/);
  });
});
