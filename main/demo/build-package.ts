import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgressMessage } from '../../domain/builds/progress.ts';
import { parsePpa, type Ppa } from '../../domain/packages/ppa.ts';
import { fetchBuiltPackages, packageInfo } from './built-packages.ts';
import { createTicket, storeUpload } from './create-ticket.ts';
import { consumeProgress } from './lander.ts';
import { machineSeries } from './machine-series.ts';
import { makeNewVersion } from './new-version.ts';
import { createRest } from './rest.ts';
import { showPages } from './show-pages.ts';

const PPA_NAME = 'airline/demo';
const BUILD_LIMIT_MS = 60 * 60_000;
const PUBLICATION_LIMIT_MS = 120_000;
const SHORT_LIMIT_MS = 10_000;

type BuildResource = {
  id: number;
  resource_uri: string;
  workflow_url: string | null;
};

/**
 * The main job, seen from outside: sources go in over REST, a package, logs and a stream of progress come out.
 * Every claim it prints was checked.
 *
 * @param say prints one line of progress
 * @throws Error as soon as something is not as it should be
 */
export async function buildPackage(options: {
  /** Path of the source package. */
  dsc: string;
  apiUrl: string;
  amqpUrl: string;
  launchpadUrl: string;
  keysDirectory: string;
  directory: string;
  say: (line: string) => void;
}): Promise<void> {
  const { apiUrl, directory, say } = options;
  const rest = createRest(apiUrl);
  const { distribution, series } = await machineSeries();
  const ppa = parsePpa(PPA_NAME, distribution) as Ppa;
  await mkdir(directory, { recursive: true });

  const upload = await makeNewVersion({
    dsc: options.dsc,
    directory: join(directory, 'upload'),
    series,
    keysDirectory: options.keysDirectory,
    now: new Date(),
  });
  say(`new version, signed: ${upload.source} ${upload.version} (${upload.files.length} files)`);
  const urls = await storeUpload(apiUrl, upload);
  say(`stored: ${urls.at(-1)}`);
  const title = `Rebuild ${upload.source} ${upload.version}`;
  const { ticket, subtickets } = await createTicket(rest, title, [{ upload, urls }]);
  say(`ticket: ${apiUrl}${ticket.resource_uri}`);

  const queue = `demo-ticket-${ticket.id}`;
  const move = async (step: number) => {
    const position = { current_workflow_step: String(step), status: String(step) };
    for (const { id } of subtickets)
      await rest.patch(`/api/v1/updatesubticketstatus/${id}/`, position);
    await rest.patch(`/api/v1/updateticketstatus/${ticket.id}/`, position);
    say(`ticket at ${step}`);
  };
  const build = await rest.post<BuildResource>('/api/v1/build_source', {
    ticket_id: ticket.id,
    cancel_url: null,
    source_packages: urls,
    series,
    ppa: `ppa:${PPA_NAME}`,
    archive: distribution,
    progress_trigger: queue,
  });
  say(`build requested: ${apiUrl}${build.resource_uri}`);

  const messages = await consumeProgress({
    amqpUrl: options.amqpUrl,
    queue,
    limitMs: BUILD_LIMIT_MS,
    async onMessage(message) {
      say(describe(message));
      if (message.phase === 'checking') await move(200);
      if (message.message === 'COMPLETE') await move(500);
      if (message.message === 'FAILURE') await move(999);
    },
  });
  const last = assertWholeStream(messages);
  if (last.failure)
    throw new Error(
      `The build failed: ${last.failure.class}: ${last.failure.message}\n${last.failure.hint}\nlogs: ${last.logs?.join(' ')}`,
    );

  if (!last.logs?.length) throw new Error('The final message has no logs.');
  for (const url of last.logs) {
    const text = await (await fetch(url, { signal: AbortSignal.timeout(SHORT_LIMIT_MS) })).text();
    if (!text.includes('Status: successful'))
      throw new Error(`${url} is not the log of a successful sbuild.`);
    say(`log: ${url} (${text.split('\n').length} lines)`);
  }
  const packages = await fetchBuiltPackages({
    launchpadUrl: options.launchpadUrl,
    ppa,
    source: upload.source,
    version: upload.version,
    directory,
    limitMs: PUBLICATION_LIMIT_MS,
  });
  await move(1000);
  for (const path of packages) {
    say(`built: ${path}`);
    for (const line of (await packageInfo(path)).trimEnd().split('\n')) say(`  ${line}`);
  }
  if (build.workflow_url) {
    const answer = await fetch(build.workflow_url, { signal: AbortSignal.timeout(SHORT_LIMIT_MS) });
    if (!answer.ok) throw new Error(`${build.workflow_url} answers ${answer.status}.`);
    say(`the build in Temporal's UI: ${build.workflow_url}`);
  }
  say(`verdict: ${last.state}, ${messages.length} messages, seq 1 to ${last.seq} without a gap`);
  await showPages(apiUrl, [`/build/${build.id}`, `/ticket/${ticket.id}`, '/status'], say);
}

/**
 * @returns the final message
 * @throws Error where a message is missing, out of order or follows the final one
 */
function assertWholeStream(messages: readonly ProgressMessage[]): ProgressMessage {
  const last = messages.at(-1);
  if (!last?.exit) throw new Error('The last message is not final.');
  const gap = messages.findIndex((message, index) => message.seq !== index + 1);
  if (gap >= 0) throw new Error(`Message ${gap + 1} of the stream has seq ${messages[gap]?.seq}.`);
  return last;
}

function describe(message: ProgressMessage): string {
  const builds = message.builds.map(
    ({ architecture, buildstate }) => `${architecture}: ${buildstate}`,
  );
  const { seq, state, phase, message: workerMessage } = message;
  return `← ${seq} ${workerMessage ?? phase} (${state}) ${builds.join(', ')}`.trimEnd();
}
