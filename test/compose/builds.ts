import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { consumeProgress } from '../../main/demo/lander.ts';
import { openStandIn, type OwnStandIn } from '../support/stand-in.ts';
import type { SourcePackage } from '../support/source-package.ts';
import { until } from '../support/until.ts';

const LIMIT_MS = 900_000;

/** Long enough that a build is under way while something is killed. */
const SCRIPT = {
  sources: {
    '*': {
      acceptAfterMs: 1_000,
      builds: {
        '*': [
          { state: 'Needs building', durationMs: 2_000 },
          { state: 'Currently building', durationMs: 12_000 },
          { state: 'Successfully built', log: 'built\n', binaries: true },
        ],
      },
    },
  },
};

/** How the API is called: by `fetch`, or through the proxy with its own certificate. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; headers: Record<string, string | undefined>; text: string }>;

export type Requested = { id: number; queue: string };

export type Ppa = Awaited<ReturnType<typeof openPpa>>;

/** The stand-in for Launchpad, and a lander that has builds made there. */
export async function openPpa() {
  // More builders than builds: none waits for another.
  const standIn: OwnStandIn = await openStandIn({ script: SCRIPT, builders: 200 });
  let made = 0;

  /** Stores the files of a source package and requests a build of it. */
  async function requestSource(call: Call, { name, files }: SourcePackage) {
    const urls: string[] = [];
    for (const path of files) {
      const place = `/store/uploads/${name}/${basename(path)}`;
      const answer = expected(201, await call('PUT', place, readFileSync(path)));
      urls.push((JSON.parse(answer) as { url: string }).url);
    }
    return { build: await requestOf(call, name, urls), urls };
  }

  /** Requests a build of a source package that is made for it. */
  async function request(call: Call, { isSigned = true } = {}): Promise<Requested> {
    const source = await standIn.make({ name: `check-${(made += 1)}`, isSigned });
    return (await requestSource(call, source)).build;
  }

  async function requestOf(call: Call, name: string, urls: string[]): Promise<Requested> {
    const ticket = { owner: 'lander@airline.example', title: name };
    const { id: ticket_id } = JSON.parse(
      expected(201, await call('POST', '/api/v1/ticket/', ticket)),
    ) as { id: number };
    const queue = `check-${name}-${ticket_id}`;
    const { id } = JSON.parse(
      expected(
        202,
        await call('POST', '/api/v1/build_source', {
          ticket_id,
          source_packages: urls,
          series: 'bookworm',
          ppa: `~me/debian/${name}`,
          archive: 'debian',
          progress_trigger: queue,
          cancel_url: null,
        }),
      ),
    ) as { id: number };
    return { id, queue };
  }

  return {
    standIn,
    request,
    requestOf,
    requestSource,
    requestMany: async (call: Call, count: number) => {
      const requested: Requested[] = [];
      while (requested.length < count) requested.push(await request(call));
      return requested;
    },
    close: () => standIn.close(),
  };
}

/** @throws Error where the answer has another status */
export function expected(status: number, answer: Awaited<ReturnType<Call>>): string {
  if (answer.status !== status)
    throw new Error(`${answer.status} instead of ${status}: ${answer.text.slice(0, 2_000)}`);
  return answer.text;
}

/** Waits until builds have ended. @throws Error where one has not completed */
export async function completed(call: Call, requested: readonly Requested[]): Promise<void> {
  for (const { id } of requested) {
    const build = await until(
      `the end of build ${id}`,
      async () => {
        const { status, text } = await call('GET', `/api/v1/build/${id}/`).catch(() => ({
          status: 0,
          text: '',
        }));
        const found =
          status === 200 ? (JSON.parse(text) as { phase: string; failure: object }) : undefined;
        return found && /^(?:completed|failed|cancelled)$/.test(found.phase) && found;
      },
      LIMIT_MS,
    );
    if (build.phase !== 'completed')
      throw new Error(`build ${id} is ${build.phase}: ${JSON.stringify(build.failure)}`);
  }
}

/** Waits until builds have completed, and compares their messages. @returns what was seen */
export async function audited(
  { ppa, amqpUrl }: { ppa: Ppa; amqpUrl: () => string },
  call: Call,
  requested: readonly Requested[],
): Promise<string> {
  await completed(call, requested);
  const { messages, repeated } = await auditMessages(call, amqpUrl(), requested);
  const rejected = ppa.standIn.rejections().length;
  if (rejected > 0) throw new Error(`the PPA has rejected ${rejected} uploads`);
  return `${requested.length} of ${requested.length} builds completed, ${messages} messages, 0 missing, ${repeated} repeated; 0 uploads rejected`;
}

/**
 * Compares what came out of the queues with what the API says.
 *
 * @returns how many messages there were, and how many came again, which is allowed after a kill
 * @throws Error where one is missing or none is final
 */
async function auditMessages(call: Call, amqpUrl: string, builds: readonly Requested[]) {
  let messages = 0;
  let repeated = 0;
  for (const { id, queue } of builds) {
    const came = await consumeProgress({
      amqpUrl,
      queue,
      limitMs: LIMIT_MS,
      onMessage: async () => undefined,
    });
    const events = await eventsOf(call, id);
    const seen = new Set(came.map(({ seq }) => seq));
    const missing = events.filter(({ seq }) => !seen.has(seq));
    if (missing.length > 0 || events.length === 0)
      throw new Error(`build ${id}: ${missing.length} of ${events.length} events have no message`);
    messages += came.length;
    repeated += came.length - seen.size;
  }
  return { messages, repeated };
}

/** The URL of a log of a build that has ended, as its last event has it. */
export async function logOf(call: Call, { id }: Requested): Promise<string> {
  const log = (await eventsOf(call, id)).at(-1)?.logs?.[0];
  if (log === undefined) throw new Error(`build ${id} has no log`);
  return log;
}

async function eventsOf(call: Call, id: number): Promise<{ seq: number; logs?: string[] }[]> {
  const page = expected(200, await call('GET', `/api/v1/build/${id}/events/?limit=200`));
  return (JSON.parse(page) as { objects: { seq: number; logs?: string[] }[] }).objects;
}
