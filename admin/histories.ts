import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../main/config/config.ts';
import {
  fetchHistoriesOfBuild,
  fetchHistory,
  HistoryFetchError,
  historyPath,
} from './fetch-history.ts';

// Takes histories of workflows out of a running Airline, for testers to replay (docs/testing.md).

const USAGE = `npm run -s histories -- record BUILD_ID [--attempt N] [--run RUN_ID] [--output FILE]
npm run -s histories -- record BUILD_ID --all --output FOLDER

Writes the workflow history of a build as JSON that \`npm run replay\` takes, as GET /api/v1/build/<id>/workflow-history/
gives it: names of machines, and of URLs the user, the password and the values of the query, are taken out.

--attempt   an earlier attempt of a build that was retried
--run       an earlier run of a build that has continued as new
--all       all runs of all attempts, each a file build-<id>-attempt-<n>-run-<run id>.json of the folder
--output    what to write (default: standard output)
--help      prints this

The API is that of AIRLINE_PUBLIC_URL, else of AIRLINE_API_HOST and AIRLINE_API_PORT; AIRLINE_TOKEN is the token for it
where it asks for one. Ends with 0 when all is written, with 1 where it could not be had, with 2 where the call is wrong.`;

const EXIT = { failed: 1, wrongCall: 2 };

type Call = ReturnType<typeof readArguments>;

/** The call is wrong; the message says what. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      attempt: { type: 'string' },
      run: { type: 'string' },
      all: { type: 'boolean', default: false },
      output: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command, buildId = '', ...rest] = positionals;
  if (values.help) return { ...values, buildId };
  if (command !== 'record') throw new UsageError('There is one command: record.');
  if (!/^\d{1,9}$/.test(buildId) || rest.length > 0)
    throw new UsageError('Name one build, by its id.');
  if (
    values.all &&
    (values.output === undefined || values.run !== undefined || values.attempt !== undefined)
  )
    throw new UsageError('--all goes with --output, and with neither --attempt nor --run.');
  return { ...values, buildId };
}

async function record({ buildId, attempt, run, all, output }: Call): Promise<void> {
  const config = loadConfig();
  if (all && output !== undefined) {
    await mkdir(output, { recursive: true });
    for await (const fetched of fetchHistoriesOfBuild(config, buildId)) {
      const name = `build-${buildId}-attempt-${fetched.attempt}-run-${fetched.runId}.json`;
      await writeWhole(join(output, name), fetched.text);
      console.log(join(output, name));
    }
    return;
  }
  const { text } = await fetchHistory(config, historyPath(buildId, { attempt, run }));
  if (output === undefined) process.stdout.write(text);
  else await writeWhole(output, text);
}

/** Whoever reads the file never finds half of it. */
async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = `${path}.unfinished`;
  try {
    await writeFile(unfinished, text);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

try {
  const call = readArguments(process.argv.slice(2));
  if (call.help) console.log(USAGE);
  else await record(call);
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isWrongCall = error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
  const isForeseen =
    error instanceof ConfigError || error instanceof HistoryFetchError || code.startsWith('E');
  console.error(isWrongCall ? `${message}\n\n${USAGE}` : isForeseen ? message : error);
  process.exitCode = isWrongCall ? EXIT.wrongCall : EXIT.failed;
}
