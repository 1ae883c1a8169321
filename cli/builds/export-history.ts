import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_NAME } from '../../domain/packages/source-file.ts';
import { printableJson } from '../../domain/text/printable.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError, usageError } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import { linkTarget } from '../server/link-header.ts';

/** A history can have 50 MB, and Temporal may be slow. */
const ANSWER_MS = 120_000;

type History = { events: unknown[] };

/** Which run of a build's workflow: the latest by default. */
type ChosenRun = { attempt?: number; run?: string };

/**
 * Prints the history of one run of a build's workflow, or writes it to a file.
 *
 * @throws CommandError
 */
export async function exportRun(
  context: CommandContext,
  id: number,
  { attempt, run }: ChosenRun,
  file: string | undefined,
): Promise<void> {
  const { api, out } = context;
  const query = new URLSearchParams({
    ...(attempt === undefined ? {} : { attempt: String(attempt) }),
    ...(run === undefined ? {} : { run }),
  });
  const path = `${historyPath(id)}${query.size > 0 ? `?${query.toString()}` : ''}`;
  const { value, text } = await api.json<History>(path, { answerMs: ANSWER_MS });
  if (file === undefined) {
    const shown = printableJson(text.trimEnd());
    await out.show({ json: value, quiet: shown, human: () => shown });
    return;
  }
  await write(context, file, text);
  await out.show({
    json: { file, events: value.events.length },
    human: () => `${file}: ${value.events.length} events of build ${id}`,
  });
}

/**
 * Writes the histories of all runs of all attempts of a build into a folder, each to
 * `build-<id>-attempt-<number>-run-<run id>.json`, the latest first.
 *
 * @throws CommandError
 */
export async function exportAllRuns(
  context: CommandContext,
  id: number,
  folder: string,
): Promise<void> {
  const { api, out } = context;
  for (let path: string | undefined = historyPath(id); path !== undefined;) {
    const { value, text, link } = await api.json<History>(path, { answerMs: ANSWER_MS });
    const file = join(folder, fileName(id, new URL(linkTarget(link, 'self') ?? '', api.url)));
    await mkdir(folder, { recursive: true }).catch((error: Error) => {
      throw usageError(`${folder} cannot be made: ${error.message}`);
    });
    await write(context, file, text);
    const events = value.events.length;
    out.entry({ file, events }, () => `${file}: ${events} events of build ${id}`);
    path = linkTarget(link, 'prev');
  }
}

function historyPath(id: number): string {
  return `/api/v1/build/${id}/workflow-history/`;
}

/** @param self the address of one run for good, which names its attempt and the run */
function fileName(id: number, { searchParams, href }: URL): string {
  const run = `attempt-${searchParams.get('attempt')}-run-${searchParams.get('run')}`;
  const name = `build-${id}-${run}.json`;
  if (searchParams.has('attempt') && searchParams.has('run') && FILE_NAME.test(name)) return name;
  throw new CommandError(`${href} does not name its attempt and its run as Airline does.`, {
    code: 'not_airline',
    exit: EXIT.unreachable,
  });
}

async function write({ out }: CommandContext, file: string, text: string): Promise<void> {
  if (existsSync(file)) out.notice(`${file} exists; it is overwritten.`);
  await writeFile(file, text).catch((error: Error) => {
    throw usageError(`${file} cannot be written: ${error.message}`);
  });
}
