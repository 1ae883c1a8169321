import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isFinal, type ProgressMessage } from '../../domain/builds/progress.ts';
import { audit } from './audit.ts';
import { describeBlow } from './blow.ts';
import { dealBlows, type BlowCount } from './blows.ts';
import { serveCancelUrls } from './cancel-urls.ts';
import { startChaosStack, type ChaosStack } from './chaos-stack.ts';
import {
  countRunning,
  readLandingRows,
  readPpaRecords,
  readRows,
  readWorkflows,
} from './collect-evidence.ts';
import type { Evidence } from './evidence.ts';
import type { Finding } from './finding.ts';
import { startLander, type LandedBuild } from './lander.ts';
import { startLandings, type RequestedLanding } from './landing-lander.ts';
import type { UnaskedEnd } from './part-runner.ts';
import { createPatientRest, type Hardships } from './patient-rest.ts';
import type { Plan } from './plan.ts';
import { startBystander } from './ppa-bystander.ts';
import { startProgressConsumer, type Delivery } from './progress-consumer.ts';
import { submitSources, submitTickets } from './submitted-sources.ts';

// After the last blow: the longest back-offs, the deadlines of a build, and what a loaded machine adds.
const SETTLE_MS = 8 * 60_000;
const POLL_MS = 1_000;
const READ_MS = 60_000;
// What should not come at all gets a moment to come.
const AFTERWARDS_MS = 3_000;

/** What a run has shown. */
export type ChaosResult = {
  findings: Finding[];
  blows: Record<string, BlowCount>;
  deploys: number;
  builds: Record<string, number>;
  landings: Record<string, number>;
  /** How the landings ended, at their last attempts. */
  landingEnds: Record<string, number>;
  verdicts: Record<string, number>;
  hardships: Hardships;
  deliveries: { all: number; repeated: number; connects: number };
  unaskedEnds: UnaskedEnd[];
  durationMs: number;
  /** Where the state and the logs are, if they were kept. */
  keptDirectory: string | null;
};

/**
 * Lets a plan happen to a whole Airline and audits what is left.
 *
 * @param options.directory of the run, from `makeRunDirectory`
 * @param options.keep keeps state and logs; they are kept anyway where the audit finds a violation
 * @param options.say takes a line for each thing that happens
 */
export async function runChaos(
  plan: Plan,
  options: { directory: string; keep: boolean; say: (line: string) => void },
): Promise<ChaosResult> {
  const beganMs = Date.now();
  const say = (line: string) =>
    options.say(`${((Date.now() - beganMs) / 1_000).toFixed(1).padStart(7)} s  ${line}`);
  say('starting the stack');
  const stack = await startChaosStack(plan, options.directory);
  let hasPassed = false;
  let cleanUp: (() => Promise<unknown>)[] = [];
  try {
    const { addresses } = stack;
    const { directory, key, token } = stack;
    const where = { directory, key, token, apiUrl: stack.apiUrls[0] };
    const sources = await submitSources(new Set(plan.builds.map(({ fate }) => fate)), where);
    const ticketIds = await submitTickets(plan.landings, where);
    say(`the stack is up, state in ${stack.directory}`);
    const rest = createPatientRest(stack.apiUrls, token);
    const cancelUrls = await serveCancelUrls(stack.landerHost);
    const queues = [...new Set([...plan.builds, ...plan.landings].map(({ queue }) => queue))];
    const consumer = startProgressConsumer(addresses.amqpUrl, queues);
    const stopBystander = startBystander(addresses.launchpadUrl, stack.stateDir);
    cleanUp = [() => consumer.stop(), stopBystander, () => cancelUrls.close()];

    const falls = plan.blows.map(makeFall);
    const shared = {
      runKey: randomUUID(),
      rest,
      hasFallen: async (blow: number) => falls[blow - 1]?.hasFallen,
    };
    const lander = startLander(plan.builds, { ...shared, sources, cancelUrls });
    const landings = startLandings(plan.landings, { ...shared, ticketIds });
    const [blows] = await Promise.all([
      dealBlows(plan.blows, stack.parts, stack.strike, (blow, index) => {
        falls[index]?.fall();
        say(
          `${index + 1}/${plan.blows.length} ${describeBlow(blow)}` +
            ` (${endedBuilds(lander.landed, consumer.deliveries)}/${plan.builds.length} builds have ended)`,
        );
      }),
      deploy(plan.deploysAtMs, stack, say),
    ]);
    await Promise.all([lander.ended, landings.ended]);
    say('all has happened; waiting for the builds to end');
    await settle(stack, lander.landed, landings.requested, consumer.deliveries, say);
    await delay(AFTERWARDS_MS);
    say('auditing');
    const workflowsOf = (type: Parameters<typeof readWorkflows>[1]) =>
      inTheEnd(() => readWorkflows(addresses.temporalAddress, type));
    const evidence: Evidence = {
      landed: lander.landed,
      ...(await inTheEnd(() => readRows(addresses.databaseUrl))),
      deliveries: consumer.deliveries.filter((one) => !isOfLanding(one)),
      ppa: readPpaRecords(stack),
      workflows: await workflowsOf('BuildSourceWorkflow'),
      landings: {
        requested: landings.requested,
        ...(await inTheEnd(() => readLandingRows(addresses.databaseUrl))),
        deliveries: consumer.deliveries.filter(isOfLanding),
        workflows: await workflowsOf('LandTicketWorkflow'),
      },
      absentParts: [...stack.parts.values()]
        .filter(({ state }) => state !== 'up' && state !== 'gone')
        .map(({ name }) => name),
      isPeaceful: plan.blows.length === 0,
    };
    const findings = audit(evidence);
    hasPassed = findings.every(({ violations }) => violations.length === 0);
    const isKept = options.keep || !hasPassed;
    return {
      findings,
      blows: Object.fromEntries(blows),
      deploys: plan.deploysAtMs.length,
      builds: countBy(lander.landed.map(({ fate }) => fate)),
      landings: countBy(landings.requested.map(({ fate }) => fate)),
      landingEnds: countBy(
        evidence.landings.rows.map(({ phase, failure }) => failure?.class ?? phase),
      ),
      verdicts: countBy(
        evidence.events
          .filter(({ message }) => isFinal(message))
          .map(({ failure }) => failure?.class ?? 'completed'),
      ),
      hardships: rest.hardships,
      deliveries: {
        all: consumer.deliveries.length,
        repeated:
          consumer.deliveries.length -
          new Set(consumer.deliveries.map(({ messageId }) => messageId)).size,
        connects: consumer.connects(),
      },
      unaskedEnds: stack.unaskedEnds,
      durationMs: Date.now() - beganMs,
      keptDirectory: isKept ? stack.directory : null,
    };
  } finally {
    // The stack ends whatever else does not.
    for (const closed of await Promise.allSettled(cleanUp.map((close) => close())))
      if (closed.status === 'rejected') say(`cleaning up failed: ${String(closed.reason)}`);
    await stack.destroy(options.keep || !hasPassed);
  }
}

/** A blow that others wait for. */
function makeFall(): { fall: () => void; hasFallen: Promise<void> } {
  let fall: () => void = () => undefined;
  const hasFallen = new Promise<void>((resolve) => {
    fall = resolve;
  });
  return { fall, hasFallen };
}

/** Replaces a worker by a new one at each time: the new one polls before the old one is told to end. */
async function deploy(
  atMs: readonly number[],
  stack: ChaosStack,
  say: (line: string) => void,
): Promise<void> {
  const beganMs = Date.now();
  const workers = [...stack.parts.keys()].filter((name) => name.startsWith('worker-'));
  for (const [index, dueMs] of atMs.entries()) {
    await delay(Math.max(0, beganMs + dueMs - Date.now()));
    const old = stack.parts.get(workers.shift() as string);
    const fresh = stack.newWorker(`worker-${index + 3}`);
    stack.parts.set(fresh.name, fresh);
    workers.push(fresh.name);
    await fresh.start();
    await fresh.up();
    const exit = await old?.end();
    say(`deployed ${fresh.name} for ${old?.name}, which ended with ${JSON.stringify(exit)}`);
    if (exit?.code !== 0) throw new Error(`${old?.name} did not end in order`);
  }
}

/**
 * Waits until every build and every landing has ended and everyone knows it, or the time is over: the audit says what
 * lacks.
 */
async function settle(
  stack: ChaosStack,
  landed: readonly LandedBuild[],
  requested: readonly RequestedLanding[],
  deliveries: readonly Delivery[],
  say: (line: string) => void,
): Promise<void> {
  const untilMs = Date.now() + SETTLE_MS;
  let said = '';
  while (Date.now() < untilMs) {
    const wanted = landed.filter(({ buildId }) => buildId !== null).length;
    const finals = endedBuilds(landed, deliveries);
    const { rows, pool } = await inTheEnd(() => readLandingRows(stack.addresses.databaseUrl));
    const over = rows.filter(({ isFinished }) => isFinished).length;
    const line = `${finals}/${wanted} final messages, ${over}/${requested.length} landings have ended`;
    if (line !== said) say(line);
    said = line;
    const isCleaning = pool.some(({ state }) => state === 'leased' || state === 'cleaning');
    if (finals >= wanted && !isCleaning && (await inTheEnd(() => isQuiet(stack)))) return;
    await delay(POLL_MS);
  }
  say('the time for that is over');
}

async function isQuiet({ addresses, ...stack }: ChaosStack): Promise<boolean> {
  const { rows, events } = await readRows(addresses.databaseUrl);
  const landings = await readLandingRows(addresses.databaseUrl);
  return (
    [...rows, ...landings.rows].every(({ isFinished }) => isFinished) &&
    [...events, ...landings.events].every(({ isPublished }) => isPublished) &&
    (await countRunning(addresses.temporalAddress)) === 0 &&
    readPpaRecords({ addresses, ...stack }).unprocessed.length === 0
  );
}

/** Reads what may not answer at once: it has just come back, or the machine is busy. @throws as the last try does */
async function inTheEnd<T>(read: () => Promise<T>): Promise<T> {
  const untilMs = Date.now() + READ_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (Date.now() > untilMs) throw error;
      await delay(POLL_MS);
    }
  }
}

/** How many of the lander's own builds have a final message; those of landings are the landings' affair. */
function endedBuilds(landed: readonly LandedBuild[], deliveries: readonly Delivery[]): number {
  const ended = new Set(
    deliveries
      .filter((one) => !isOfLanding(one))
      .map(({ body }) => JSON.parse(body) as ProgressMessage)
      .filter(({ message }) => isFinal(message))
      .map(({ build_id: buildId }) => buildId),
  );
  return landed.filter(({ buildId }) => buildId !== null && ended.has(buildId)).length;
}

function isOfLanding({ messageId }: Delivery): boolean {
  return messageId.startsWith('landing:');
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
