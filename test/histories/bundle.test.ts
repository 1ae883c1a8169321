import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { workflowBundle } from '../support/addresses.ts';
import { sourcesMark, withMark } from '../../scripts/sources-mark.ts';
import { WORKFLOW_BUNDLE } from '../../scripts/workflow-bundle.ts';
import { copyWorkflows, type WorkflowCopy } from './changed-workflows.ts';

jest.setTimeout(600_000);

/** What workflow code is made of besides our own: nothing of it reads a file, a socket, the clock or an environment. */
const PACKAGES = ['@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc'];
/**
 * Declarations at the top of a module that can hold something that changes: one run of a workflow would find there what
 * another has left. What stands further in has a space before it (prettier sees to that).
 */
const MODULE_STATE =
  /^(?:export )?(?:let|var) .*|^(?:export )?const \w+[^=\n]*= (?:new (?:Map|Set|WeakMap|WeakSet|Array)\b|\[\];|\{\};).*/gm;

let copy: WorkflowCopy;
beforeAll(() => {
  copy = copyWorkflows();
});
afterAll(() => copy.remove());

/** The files that the bundle that ships is made of, by its source map. */
function sources(): string[] {
  const maps = readFileSync(workflowBundle(), 'utf8').matchAll(
    /sourceMappingURL=data:application\/json;charset=utf-8;base64,([A-Za-z0-9+/=]+)/g,
  );
  const map = [...maps].at(-1)?.[1] ?? '';
  return (JSON.parse(Buffer.from(map, 'base64').toString()) as { sources: string[] }).sources;
}

const ownSources = () =>
  sources()
    .filter((path) => existsSync(path) && !path.includes('/node_modules/'))
    .map((path) => relative(process.cwd(), path));

describe('the workflow bundle', () => {
  test('is the same when it is made again', async () => {
    const logger = new DefaultLogger('ERROR');
    const { code } = await bundleWorkflowCode({ ...WORKFLOW_BUNDLE, logger });
    const again = withMark(code, sourcesMark(process.cwd()));
    // Its difference would be megabytes.
    expect(again === readFileSync(workflowBundle(), 'utf8')).toBe(true);
  });

  test('is made of workflows/, domain/ and five packages', () => {
    expect(ownSources().length).toBeGreaterThan(5);
    expect(ownSources().filter((path) => !/^(?:workflows|domain)\//.test(path))).toEqual([]);
    const packages = sources().flatMap(
      (path) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
    );
    expect([...new Set(packages)].toSorted()).toEqual(PACKAGES);
  });

  test.each(['fs', 'http', 'child_process'])(
    'is not made where workflow code imports %s',
    async (name) => {
      const change = {
        file: 'poll-schedule.ts',
        from: /^/,
        to: `import * as outside from '${name}';\nconsole.log(outside);\n`,
      };
      await expect(copy.bundleWith(change)).rejects.toThrow(/disallowed modules/);
    },
  );

  test('keeps nothing in a module', () => {
    const state = ownSources().flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(MODULE_STATE)].map(([line]) => `${path}: ${line}`),
    );
    expect(state).toEqual([]);
  });

  test.each(['let looks = 0;', 'export var last;', 'const seen = new Map();', 'const all = [];'])(
    'would be found to keep something in a module: %s',
    (line) => {
      expect(`import x from 'y';\n${line}\n`.match(MODULE_STATE)).toEqual([line]);
      expect(`function f() {\n  ${line}\n}\n`.match(MODULE_STATE)).toBeNull();
    },
  );
});
