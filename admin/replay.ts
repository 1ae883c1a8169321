import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printable, printableJson } from '../domain/text/printable.ts';
import { publicUrl } from '../main/config/addresses.ts';
import { ConfigError, loadConfig, type Config } from '../main/config/config.ts';
import { bundleProblem } from './replay/bundle-problem.ts';
import { fetchHistories, HistoryFetchError } from './replay/fetch-histories.ts';
import { findHistories, parseHistory, type FoundHistory } from './replay/history.ts';
import { replayHistories, type Replayed } from './replay/replay-histories.ts';
import { describeReplayed, summarize } from './replay/report.ts';
import { createCommand, runCommand } from './run-command.ts';

// Whether workflows that run, or ran, go on under the code that ships (docs/replay.md).

const EXIT = { diverged: 1, notReplayed: 2 };
const PROJECT_DIR = fileURLToPath(new URL('..', import.meta.url));

/** Nothing can be replayed; the message says why, and what to do. */
class ReplayRefused extends Error {
  override readonly name = 'ReplayRefused';
}

async function replay(targets: readonly string[], { json }: { json: boolean }): Promise<void> {
  const config = loadConfig();
  const bundle = resolve(PROJECT_DIR, config.workflowBundle);
  const problem = bundleProblem(bundle, PROJECT_DIR);
  if (problem) throw new ReplayRefused(`${problem} Run \`npm run build\`.`);
  for (const target of targets)
    if (!isBuildId(target) && !existsSync(target))
      throw new ReplayRefused(`There is neither a file nor a folder ${target}.`);
  const replayed: Replayed[] = [];
  const histories = historiesOf(targets, config);
  for await (const one of replayHistories({ codePath: bundle }, histories, loadQuietSdk)) {
    replayed.push(one);
    if (!json) console.log(printable(describeReplayed(one)));
  }
  if (json) console.log(printableJson(JSON.stringify({ bundle, histories: replayed })));
  else console.log(summarize(replayed));
  const isNamed = ({ name }: Replayed) => targets.includes(name);
  if (replayed.some(({ outcome }) => outcome === 'diverges')) process.exitCode = EXIT.diverged;
  else if (
    replayed.every(({ outcome }) => outcome === 'skipped') ||
    replayed.some((one) => one.outcome === 'skipped' && isNamed(one))
  )
    process.exitCode = EXIT.notReplayed;
}

/** The SDK, of whose own log nothing is printed. */
async function loadQuietSdk() {
  const sdk = await import('@temporalio/worker');
  sdk.Runtime.install({
    logger: new sdk.DefaultLogger('ERROR', () => undefined),
    telemetryOptions: {
      logging: {
        filter: sdk.makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
        forward: {},
      },
    },
  });
  return sdk;
}

async function* historiesOf(
  targets: readonly string[],
  config: Config,
): AsyncGenerator<FoundHistory> {
  for (const target of targets)
    yield* isBuildId(target) ? historiesOfBuild(target, config) : findHistories(target);
}

async function* historiesOfBuild(id: string, config: Config): AsyncGenerator<FoundHistory> {
  const api = { url: publicUrl(config), token: config.token };
  for await (const { text, attempt, runId } of fetchHistories(api, id))
    yield { name: `build ${id}, attempt ${attempt}, run ${runId}`, history: parseHistory(text) };
}

/** Digits are a build, unless there is a file of that name. */
function isBuildId(target: string): boolean {
  return /^\d{1,9}$/.test(target) && !existsSync(target);
}

const command = createCommand('npm run -s replay --')
  .description(
    'Replays recorded workflow histories on the workflow bundle that ships: what a worker does with a build that is under way when new code is deployed.',
  )
  .argument(
    '<histories...>',
    'files, folders (with all *.json in them), or ids of builds: all runs of all their attempts',
  )
  .option(
    '--json',
    'prints one JSON object: {"bundle", "histories": [{"name", "outcome", "events", "divergence" | "reason"}]}',
    false,
  )
  .action(replay)
  .addHelpText(
    'after',
    `
Files and folders need no server. Builds are asked of the API, with the token in AIRLINE_TOKEN where it asks for one.
The bundle is AIRLINE_WORKFLOW_BUNDLE (dist/workflows.js), made by \`npm run build\`.
Ends with 0 where every history replays, with 1 where one diverges, with 2 where nothing could be replayed: the call is
wrong, the bundle is missing or made of other sources, what was named is no history, or the API does not give it.`,
  );

await runCommand(command, {
  failed: EXIT.notReplayed,
  explain: (error) =>
    [ReplayRefused, ConfigError, HistoryFetchError].some((kind) => error instanceof kind)
      ? (error as Error).message
      : undefined,
});
