import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LandingEventBody } from '../../../domain/landings/landing.ts';
import type { RunAs } from '../../../sandbox/unprivileged.ts';
import { createTicket, storeUpload } from '../create-ticket.ts';
import { machineSeries } from '../machine-series.ts';
import { createRest, type Rest } from '../rest.ts';
import { showPages } from '../show-pages.ts';
import { installFromTarget } from './install-from-target.ts';
import { makeTwoPackages } from './two-packages.ts';

const PPA = 'ppa:airline/landing';
const LANDING_LIMIT_MS = 60 * 60_000;
const POLL_MS = 500;

type Landing = {
  id: number;
  resource_uri: string;
  workflow_url: string | null;
  finished_at: string | null;
};
type Ticket = { current_workflow_step: string };
type TestRun = { source: string; why: string; state: string; log_url: string | null };

/**
 * A ticket that lands itself, seen from outside: two packages go in over REST, are built in order, tested, approved,
 * published in the distribution's primary archive of the local PPA server, and installed from there. Every claim it
 * prints was checked.
 *
 * @param say prints one line of progress
 * @throws Error as soon as something is not as it should be
 */
export async function landPackages(options: {
  apiUrl: string;
  launchpadUrl: string;
  keysDirectory: string;
  directory: string;
  /** Who installs the packages at the end. */
  runAs: RunAs | undefined;
  say: (line: string) => void;
}): Promise<void> {
  const { apiUrl, directory, say } = options;
  const rest = createRest(apiUrl);
  const { distribution, series } = await machineSeries();
  await mkdir(directory, { recursive: true });
  const packages = await makeTwoPackages({
    directory: join(directory, 'uploads'),
    series,
    keysDirectory: options.keysDirectory,
    now: new Date(),
  });
  const uploads = [];
  for (const upload of packages) {
    uploads.push({ upload, urls: await storeUpload(apiUrl, upload) });
    say(`stored: ${upload.source} ${upload.version}`);
  }
  const { ticket } = await createTicket(rest, 'Greet whoever installs it', uploads);
  say(`ticket: ${apiUrl}${ticket.resource_uri}`);
  const landing = await rest.post<Landing>(`${ticket.resource_uri}land/`, {
    series,
    archive: distribution,
    ppa: PPA,
    target: distribution,
  });
  say(`landing requested: ${apiUrl}${landing.resource_uri}`);

  const last = await followLanding(rest, landing, async (event) => {
    say(describe(event));
    if (event.phase !== 'approving' || event.decision) return;
    const comment = 'The demonstration has read the results.';
    await rest.post(`${landing.resource_uri}decide/`, { decision: 'approve', comment });
    say('approved');
  });
  if (last.phase !== 'complete')
    throw new Error(
      `The landing ended as ${last.phase}: ${last.failure?.message ?? ''}\n${last.failure?.hint ?? ''}`,
    );
  await showTests(rest, landing, packages.length, say);
  const { current_workflow_step: step } = await rest.get<Ticket>(ticket.resource_uri);
  if (step !== '1000') throw new Error(`The ticket is at ${step}.`);
  say('ticket at 1000, Complete');
  await installFromTarget({
    rest,
    launchpadUrl: options.launchpadUrl,
    runAs: options.runAs,
    distribution,
    series,
    directory: join(directory, 'root'),
    packages,
    say,
  });
  await showPages(apiUrl, [`/ticket/${ticket.id}`], say);
  say(`verdict: landed, ${last.seq} events, seq 1 to ${last.seq} without a gap`);
}

/** Follows the events of a landing to its end. @throws Error where one is missing, or the end does not come */
async function followLanding(
  rest: Rest,
  { resource_uri: uri }: Landing,
  onEvent: (event: LandingEventBody) => Promise<void>,
): Promise<LandingEventBody> {
  const endsAtMs = Date.now() + LANDING_LIMIT_MS;
  let seq = 0;
  while (Date.now() < endsAtMs) {
    const { objects } = await rest.get<{ objects: LandingEventBody[] }>(
      `${uri}events/?after=${seq}`,
    );
    for (const event of objects) {
      if (event.seq !== seq + 1) throw new Error(`Event ${seq + 1} of the landing is missing.`);
      seq = event.seq;
      await onEvent(event);
      if (event.exit) return event;
    }
    await delay(POLL_MS);
  }
  throw new Error('The landing has not ended in an hour.');
}

/** @throws Error unless the tests of each package were run to an end */
async function showTests(
  rest: Rest,
  { id }: Landing,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  const { objects } = await rest.get<{ objects: TestRun[] }>(`/api/v1/testrun/?landing_id=${id}`);
  const ended = objects.filter(({ state }) => state === 'finished');
  if (ended.length < count) throw new Error(`${ended.length} of ${count} packages were tested.`);
  for (const { source, why, log_url: log } of ended) say(`tested: ${source} (${why}): ${log}`);
}

function describe({ seq, phase, parts, tests }: LandingEventBody): string {
  const states = parts.map(({ source, state }) => `${source}: ${state}`);
  const counted = tests ? [`tests: ${tests.finished} of ${tests.planned}`] : [];
  return `← ${seq} ${phase} ${[...states, ...counted].join(', ')}`;
}
