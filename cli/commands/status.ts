import type { Command } from 'commander';
import type { PartHealth, Status } from '../../api/openapi/contract.generated.ts';
import { describeCommand } from '../definition/command-help.ts';
import { durationText } from '../../domain/text/quantity-text.ts';
import { MAX_COUNTED_EVENTS } from '../../domain/service/counted-events.ts';
import { overdueFaults } from '../../domain/service/overdue-work.ts';
import { isFull, isPolled } from '../../domain/service/worker-queue.ts';
import { EXIT } from '../exit-code.ts';
import type { Runner } from '../command-context.ts';
import type { Output } from '../output/output.ts';
import { clockTime, relativeTime } from '../output/time-format.ts';

/** `airline status`: how the service is. */
export function addStatusCommand(program: Command, runner: Runner): void {
  describeCommand(
    program
      .command('status')
      .description(
        'Show the health of the service: its parts, workers and builds, and why builds wait.',
      )
      .action(
        runner.remote(async ({ api, out }) => {
          const status = await api.get<Status>('/api/v1/status');
          const isWell = Object.values(status.health).every(({ healthy }) => healthy);
          await out.show({
            json: status,
            quiet: isWell ? 'healthy' : 'unhealthy',
            human: () => describeStatus(out, status),
          });
          return isWell ? EXIT.done : EXIT.unreachable;
        }),
      ),
    {
      examples: [
        ['airline status', 'the health of the service'],
        ['airline status --quiet', 'exits with 6 if one of the parts does not answer'],
      ],
      notes: [
        'It also says in sentences what has not got on for long. The exit code is that of the parts alone.',
      ],
      json: 'the status of the API',
      quiet: 'healthy or unhealthy',
    },
  );
}

function describeStatus(out: Output, status: Status): string {
  const { colour, now } = out;
  const parts = Object.entries<PartHealth>({ ...status.health });
  // What was cancelled stands beside what failed, as on the pages. A server from before `ended` counts them as one.
  const builds = Object.entries({ ...status.builds, ...status.ended }).filter(
    ([, count]) => count > 0,
  );
  const text = [
    out.table(
      parts,
      [
        { head: 'PART', cell: ([name]) => name },
        {
          head: 'HEALTH',
          cell: ([, { healthy }]) => (healthy ? 'healthy' : 'does not answer'),
          tone: ([, { healthy }]) => (healthy ? 'good' : 'bad'),
        },
        { head: 'ANSWERS IN', cell: ([, { latency_ms: ms }]) => `${ms} ms` },
        { head: 'WHY', cell: ([, { error }]) => error, isFlexible: true },
      ],
      '',
    ),
    status.worker_queues === null
      ? colour('bad', `Worker queues are unknown: ${status.worker_queues_error ?? 'no answer'}`)
      : out.table(
          status.worker_queues,
          [
            { head: 'QUEUE', cell: ({ name }) => name },
            { head: 'KIND', cell: ({ kind }) => kind },
            {
              head: 'POLLERS',
              cell: ({ pollers }) => pollers.filter(({ polling }) => polling).length,
              tone: (queue) => (isPolled(queue) ? 'plain' : 'bad'),
            },
            {
              head: 'SLOTS',
              cell: ({ slots }) => (slots ? `${slots.used}/${slots.total}` : undefined),
              tone: (queue) => (isFull(queue) ? 'bad' : 'plain'),
            },
            {
              head: 'BACKLOG',
              cell: ({ backlog, backlog_age_ms: ageMs }) =>
                ageMs === null ? backlog : `${backlog} for ${durationText(ageMs)}`,
            },
            { head: 'BUSY', cell: ({ busy }) => (busy ? 'yes' : 'no') },
            {
              head: 'WORKERS',
              cell: ({ pollers }) =>
                pollers
                  .map(({ identity, polling }) => (polling ? identity : `${identity} (silent)`))
                  .join(', '),
              isWide: true,
            },
          ],
          'There are no worker queues.',
        ),
    status.builds === null
      ? colour('bad', 'Builds are unknown: the database does not answer.')
      : `Builds: ${builds.map(([state, count]) => `${count} ${state}`).join(', ') || 'none'}`,
  ];
  const pausedUntil = status.launchpad?.left_alone_until;
  if (typeof pausedUntil === 'string')
    text.push(
      `No worker calls the PPA until ${clockTime(pausedUntil)}, ${relativeTime(pausedUntil, now())}: it did not answer, or asked for a pause.`,
    );
  if (status.dispatch && status.dispatch.backlog > 0)
    text.push(
      `To be started: ${status.dispatch.backlog}, the oldest for ${durationText(status.dispatch.oldest_age_ms ?? 0)}`,
    );
  const unpublished = status.unpublished_events;
  if (unpublished)
    text.push(
      `To be published: ${unpublished} events${unpublished < MAX_COUNTED_EVENTS ? '' : ' or more'}`,
    );
  if (status.overdue) text.push(...overdueFaults(status.overdue).map((fault) => fault.text));
  if (status.waiting && status.waiting.length > 0)
    text.push(
      out.table(
        status.waiting,
        [
          { head: 'WAITS', cell: ({ build }) => build.replace(/^.*?(\d+)\/?$/, 'build $1') },
          { head: 'SINCE', cell: ({ since }) => relativeTime(since, now()) },
          { head: 'WHY', cell: ({ why }) => why, isFlexible: true },
        ],
        '',
      ),
    );
  const { waiting, waiting_total: total } = status;
  if (waiting && total !== null && total > waiting.length)
    text.push(
      `These are ${waiting.length} of ${total}: failing steps first, then the longest waits.`,
    );
  return text.join('\n\n');
}
