import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeTelemetryFilterString, DefaultLogger, Runtime } from '@temporalio/worker';
import { ConfigError, loadConfig, type Config } from '../main/config/config.ts';
import { historiesOfBuild, HistoryFetchError } from './fetch-history.ts';
import { bundleProblem } from './replay/bundle-age.ts';
import { findHistories, type FoundHistory } from './replay/history.ts';
import { replayHistories, type Replayed } from './replay/replay-histories.ts';
import { describeReplayed, summarize } from './replay/report.ts';

// Whether workflows that run, or ran, go on under the code that ships (docs/testing.md).

const USAGE = `npm run -s replay -- [--json] FILE | FOLDER | BUILD_ID ...

Replays recorded workflow histories on the workflow bundle that ships: what a worker does with a build that is under
way when new code is deployed. Files and folders (with all *.json in them) need no server; a build's id is asked of the
API, with the token in AIRLINE_TOKEN where it asks for one, and stands for all runs of all its attempts.

--json   prints one JSON object: {"bundle", "histories": [{"name", "outcome", "events", "divergence" | "reason"}]}
--help   prints this

The bundle is AIRLINE_WORKFLOW_BUNDLE (dist/workflows.js), made by \`npm run build\`.
Ends with 0 where every history replays, with 1 where one diverges, with 2 where nothing could be replayed: the call is
wrong, the bundle is missing or old, what was named is no history, or the API does not give it.`;

const EXIT = { diverged: 1, notReplayed: 2 };
const PROJECT_DIR = fileURLToPath(new URL('..', import.meta.url));

/** Nothing can be replayed; the message says why, and what to do. */
class ReplayRefused extends Error {
  override readonly name = 'ReplayRefused';
}

async function replay(targets: readonly string[], inJson: boolean): Promise<void> {
  const config = loadConfig();
  const bundle = resolve(PROJECT_DIR, config.workflowBundle);
  const problem = bundleProblem(bundle, PROJECT_DIR);
  if (problem) throw new ReplayRefused(`${problem} Run \`npm run build\`.`);
  for (const target of targets)
    if (!isBuildId(target) && !existsSync(target))
      throw new ReplayRefused(`There is neither a file nor a folder ${target}.`);
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: {
      logging: {
        filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
        forward: {},
      },
    },
  });
  const replayed: Replayed[] = [];
  for await (const one of replayHistories({ codePath: bundle }, named(targets, config))) {
    replayed.push(one);
    if (!inJson) console.log(describeReplayed(one));
  }
  if (inJson) console.log(JSON.stringify({ bundle, histories: replayed }));
  else console.log(summarize(replayed));
  const isNamed = ({ name }: Replayed) => targets.includes(name);
  if (replayed.some(({ outcome }) => outcome === 'diverges')) process.exitCode = EXIT.diverged;
  else if (
    replayed.every(({ outcome }) => outcome === 'skipped') ||
    replayed.some((one) => one.outcome === 'skipped' && isNamed(one))
  )
    process.exitCode = EXIT.notReplayed;
}

async function* named(targets: readonly string[], config: Config): AsyncGenerator<FoundHistory> {
  for (const target of targets)
    yield* isBuildId(target) ? historiesOfBuild(config, target) : findHistories(target);
}

/** Digits are a build, unless there is a file of that name. */
function isBuildId(target: string): boolean {
  return /^\d{1,9}$/.test(target) && !existsSync(target);
}

function readArguments(args: readonly string[]) {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length === 0 && !values.help)
      throw new Error('Name a file, a folder or a build.');
    return { ...values, targets: positionals };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return undefined;
  }
}

const values = readArguments(process.argv.slice(2));
if (!values) process.exitCode = EXIT.notReplayed;
else if (values.help) console.log(USAGE);
else
  try {
    await replay(values.targets, values.json ?? false);
  } catch (error) {
    const isForeseen = [ReplayRefused, ConfigError, HistoryFetchError].some(
      (kind) => error instanceof kind,
    );
    console.error(isForeseen ? (error as Error).message : error);
    process.exitCode = EXIT.notReplayed;
  }
