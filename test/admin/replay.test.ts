import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { foreignEnvironment } from '../../main/config/config.ts';
import { bundleProblem } from '../../admin/replay/bundle-problem.ts';
import type { HistoryJson } from '../../admin/replay/history.ts';
import { sourcesMark, withMark } from '../../scripts/sources-mark.ts';
import { workflowBundle } from '../support/addresses.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { programArguments, runProgram } from '../support/program.ts';

const REPLAY = await programArguments('admin/replay.ts');

jest.setTimeout(600_000);

const HISTORIES = resolve('test/histories/earlier');

/** Runs `npm run -s replay --` as its script does. */
function replay(args: readonly string[], variables = {}) {
  return runProgram([...REPLAY, ...args], {
    env: { ...foreignEnvironment(), AIRLINE_WORKFLOW_BUNDLE: workflowBundle(), ...variables },
    maxBuffer: 64 * 2 ** 20,
  });
}

/** A history whose upload was asked for under another name: what a workflow finds that was changed. */
function changedHistory(): string {
  const history = readFileSync(join(HISTORIES, 'completed.json'), 'utf8');
  return history.replaceAll('"uploadSource"', '"sendSource"');
}

describe('npm run replay', () => {
  test('a folder: one line for each history, what is none with its reason, and how many', async () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'deeper'));
    copyFileSync(join(HISTORIES, 'completed.json'), join(folder, 'deeper', 'completed.json'));
    copyFileSync(join(HISTORIES, 'failed.json'), join(folder, 'failed.json'));
    const { events } = JSON.parse(
      readFileSync(join(HISTORIES, 'failed.json'), 'utf8'),
    ) as HistoryJson;
    writeFileSync(join(folder, 'empty.json'), '{}');
    writeFileSync(join(folder, 'half.json'), '{"events": [');
    writeFileSync(join(folder, 'tail.json'), JSON.stringify({ events: events.slice(4) }));
    const { code, stdout } = await replay([folder]);
    expect(stdout.split('\n')).toEqual([
      `ok        ${folder}/deeper/completed.json (60 events)`,
      expect.stringContaining(`skipped   ${folder}/empty.json: it has no list of \`events\``),
      expect.stringContaining(`ok        ${folder}/failed.json`),
      expect.stringContaining(`skipped   ${folder}/half.json: it is not JSON`),
      expect.stringContaining(`skipped   ${folder}/tail.json: its first event is not the start`),
      'Replayed 2 histories: all replay; 3 skipped.',
      '',
    ]);
    expect(code).toBe(0);
  });

  test('a history that diverges: which event, what it has there, what the code wants, and what to do', async () => {
    const file = join(temporaryDirectory(), 'changed.json');
    writeFileSync(file, changedHistory());
    const [plain, inJson] = await Promise.all([
      replay([file, join(HISTORIES, 'failed.json')]),
      replay(['--json', file]),
    ]);
    expect(plain.code).toBe(1);
    expect(plain.stdout).toContain(
      [
        `diverges  ${file}`,
        '  at event 12',
        '    the history has:  run the activity sendSource (good 1.0 to ~airline/debian/test)',
        '    the code wants:   run the activity uploadSource (good 1.0 to ~airline/debian/test)',
      ].join('\n'),
    );
    expect(plain.stdout).toMatch(/^ {2}> {4}12 {2}ACTIVITY_TASK_SCHEDULED +sendSource/m);
    expect(plain.stdout).toContain('Temporal: [TMPRL1100]');
    expect(plain.stdout).toContain('patched(');
    expect(plain.stdout).toContain('Replayed 2 histories: 1 of them diverge.');
    expect(inJson.code).toBe(1);
    expect(JSON.parse(inJson.stdout)).toMatchObject({
      bundle: workflowBundle(),
      histories: [
        {
          name: file,
          outcome: 'diverges',
          divergence: {
            eventId: 12,
            recorded: { kind: 'run the activity', name: 'sendSource' },
            wanted: { kind: 'run the activity', name: 'uploadSource' },
          },
        },
      ],
    });
  });

  test('a file of somebody else does nothing on a terminal', async () => {
    const file = join(temporaryDirectory(), 'theirs.json');
    writeFileSync(file, '\u001b[2J\u009b2J');
    const [plain, inJson] = await Promise.all([replay([file]), replay(['--json', file])]);
    // oxlint-disable-next-line no-control-regex
    expect(plain.stdout + inJson.stdout).not.toMatch(/[\u001b\u009b]/);
    expect(plain.stdout).toContain('␛[2J<U+009B>2J');
    expect(JSON.parse(inJson.stdout)).toMatchObject({
      histories: [{ reason: expect.stringContaining('\u001b[2J\u009b2J') }],
    });
  });

  test('what cannot be replayed ends with 2 and says why', async () => {
    const none = join(temporaryDirectory(), 'none.json');
    writeFileSync(none, '[]');
    const history = join(HISTORIES, 'failed.json');
    const missing = join(temporaryDirectory(), 'workflows.js');
    const [noTarget, noFile, noHistory, noBundle, help] = await Promise.all([
      replay([]),
      replay([join(HISTORIES, 'nothing.json')]),
      replay([none, history]),
      replay([history], { AIRLINE_WORKFLOW_BUNDLE: missing }),
      replay(['--help']),
    ]);
    expect([noTarget, noFile, noHistory, noBundle].map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    expect(noTarget.stderr).toContain('Usage: npm run -s replay -- ');
    expect(noFile.stderr).toContain('There is neither a file nor a folder');
    expect(noHistory.stdout).toContain('1 skipped');
    expect(noBundle.stderr).toBe(
      `There is no workflow bundle at ${missing}. Run \`npm run build\`.\n`,
    );
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Ends with 0') });
  });

  test('a bundle that is made of other sources is told from one that is made of these', () => {
    const project = temporaryDirectory();
    for (const folder of ['workflows', 'domain', 'node_modules', 'scripts'])
      mkdirSync(join(project, folder));
    const bundle = join(project, 'bundle.js');
    const source = join(project, 'workflows/build-source.ts');
    const tools = [
      'node_modules/.package-lock.json',
      'scripts/build.ts',
      'scripts/workflow-bundle.ts',
    ];
    for (const file of [source, ...tools.map((tool) => join(project, tool))])
      writeFileSync(file, '');
    const code = '//# sourceMappingURL=data:application/json;base64,e30=';
    writeFileSync(bundle, withMark(code, sourcesMark(project)));
    expect(bundleProblem(bundle, project)).toBeUndefined();
    writeFileSync(source, 'changed();');
    expect(bundleProblem(bundle, project)).toContain('is not made of the workflows/');
  });
});

describe('a build of a running Airline', () => {
  const path = '/api/v1/build/7/workflow-history/';
  const runs: Record<string, { file: string; link: string }> = {
    [path]: {
      file: 'continued-as-new-2.json',
      link: `<${path}?attempt=1&run=two>; rel="self", <${path}?attempt=1&run=one>; rel="prev"`,
    },
    [`${path}?attempt=1&run=one`]: {
      file: 'continued-as-new-1.json',
      link: `<${path}?attempt=1&run=one>; rel="self"`,
    },
  };
  /** An API with one build of two runs, which knows one token. */
  const api = createServer((request, response) => {
    const found = runs[request.url ?? ''];
    if (request.headers.authorization !== 'Bearer valid')
      response.writeHead(401).end(JSON.stringify({ error: 'No token.', hint: 'Send one.' }));
    else if (!found)
      response.writeHead(404).end(JSON.stringify({ error: 'There is no \u001b[2Jbuild.' }));
    else
      response
        .writeHead(200, { link: found.link })
        .end(readFileSync(join(HISTORIES, found.file), 'utf8'));
  });
  let variables: Record<string, string>;
  beforeAll(async () => {
    await new Promise<void>((listens) => api.listen(0, '127.0.0.1', listens));
    const { port } = api.address() as AddressInfo;
    variables = { AIRLINE_PUBLIC_URL: `http://127.0.0.1:${port}`, AIRLINE_TOKEN: 'valid' };
  });
  afterAll(() => {
    api.closeAllConnections();
    api.close();
  });

  test('is replayed by its id, run for run', async () => {
    const { code, stdout } = await replay(['7'], variables);
    expect(stdout.split('\n')).toEqual([
      'ok        build 7, attempt 1, run two (24 events)',
      'ok        build 7, attempt 1, run one (52 events)',
      'Replayed 2 histories: all replay.',
      '',
    ]);
    expect(code).toBe(0);
  });

  test('that is not given: the reason', async () => {
    const [noToken, noBuild, noApi] = await Promise.all([
      replay(['7'], { ...variables, AIRLINE_TOKEN: 'old' }),
      replay(['8'], variables),
      replay(['7'], { AIRLINE_PUBLIC_URL: 'http://127.0.0.1:1' }),
    ]);
    expect([noToken, noBuild, noApi].map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(noToken.stderr).toMatch(/answers 401\. No token\. Send one\. AIRLINE_TOKEN is/);
    expect(noBuild.stderr).toMatch(/answers 404\. There is no ␛\[2Jbuild\.$/m);
    expect(noApi.stderr).toMatch(/does not answer, or was cut/);
    expect(noToken.stderr).not.toContain('    at ');
  });
});
