import type { ProgressMessage, WorkerMessage } from '../../domain/builds/progress.ts';
import { stepOfPhase, type LandingPhase } from '../../domain/landings/landing-phase.ts';
import type { LandingEventBody, LandingPart } from '../../domain/landings/landing.ts';
import type { EventRow, Evidence, LandingEvidence } from './evidence.ts';

/**
 * What a run leaves behind in which all went well: a build that completed and one that was cancelled, a landing that is
 * complete, one that a person approved after its tests had failed, and one that was cancelled.
 */
export function soundEvidence(): Evidence {
  const events = [
    event(1, 1, null),
    event(1, 2, 'INPROGRESS'),
    event(1, 3, 'COMPLETE'),
    event(2, 1, null),
    event(2, 2, 'FAILURE'),
  ];
  return {
    landed: [
      {
        number: 1,
        fate: 'built',
        ppa: '~airline/debian/chaos-1',
        queue: 'chaos-1',
        buildId: 1,
        cancellation: null,
        lastError: null,
      },
      {
        number: 2,
        fate: 'cancelled',
        ppa: '~airline/debian/chaos-2',
        queue: 'chaos-1',
        buildId: 2,
        cancellation: 'accepted',
        lastError: null,
      },
    ],
    rows: [
      {
        id: 1,
        ticketId: 11,
        ppa: '~airline/debian/chaos-1',
        state: 'completed',
        lastSeq: 3,
        isFinished: true,
        cancelRequested: false,
      },
      {
        id: 2,
        ticketId: 12,
        ppa: '~airline/debian/chaos-2',
        state: 'failed',
        lastSeq: 2,
        isFinished: true,
        cancelRequested: true,
      },
    ],
    events,
    deliveries: events.map(({ buildId, seq, body }) => ({
      queue: 'chaos-1',
      messageId: `${buildId}:${seq}`,
      redelivered: false,
      body: JSON.stringify(body),
    })),
    ppa: {
      sources: [1, 2].map((number) => ({
        id: number,
        ppa: `~airline/debian/chaos-${number}`,
        source: number === 1 ? 'chaos-built' : 'chaos-cancelled',
        version: '1.0',
        upload: `upload-ftp-${number}`,
        acceptedAt: '2026-01-01T00:00:01.000Z',
      })),
      builds: [1, 2].map((number) => ({
        ppa: `~airline/debian/chaos-${number}`,
        source: number === 1 ? 'chaos-built' : 'chaos-cancelled',
        architecture: 'amd64',
        state: number === 1 ? 'Successfully built' : 'Cancelled build',
        isActive: false,
        link: `/devel/build/${number}`,
      })),
      rejections: [],
      unprocessed: [],
      copied: [1, 2].flatMap((number) => {
        const [name, version] = [`land-${number}-lib`, '1.0'];
        const one = { archive: 'debian', pocket: 'Proposed', source: name, version };
        const copiedAt = '2026-01-01T00:00:30.000Z';
        return [
          { ...one, kind: 'source' as const, name, copiedAt },
          { ...one, kind: 'binary' as const, name: `${name} amd64`, copiedAt },
        ];
      }),
    },
    workflows: [1, 2].map((ownerId) => ({
      ownerId,
      workflowId: `build-${ownerId}-ticket-1-chaos`,
      status: 'COMPLETED',
      failedTasks: [],
      repeatedActivities: [],
    })),
    landings: soundLandings(),
    absentParts: [],
    isPeaceful: true,
  };
}

function event(buildId: number, seq: number, message: WorkerMessage | null): EventRow {
  const failure =
    message === 'FAILURE'
      ? ({
          class: 'cancelled',
          retryable: false,
          message: 'cancelled by the lander; the PPA builds nothing of it any more',
          hint: '',
        } as const)
      : null;
  const timestamp = `2026-01-01T00:00:0${seq + 1}.000Z`;
  const body: Partial<ProgressMessage> = {
    message,
    seq,
    build_id: buildId,
    timestamp,
    ...(failure ? { failure } : {}),
  };
  return { buildId, seq, message, isPublished: true, timestamp, failure, body };
}

/** The second one failed at its first attempt, and its tests stop nothing once they are overridden. */
function soundLandings(): LandingEvidence {
  const events = [
    landingEvent(1, 1, 1, 'queued'),
    landingEvent(1, 2, 1, 'testing'),
    landingEvent(1, 3, 1, 'publishing', 'passes'),
    landingEvent(1, 4, 1, 'complete', 'passes'),
    landingEvent(2, 1, 1, 'testing'),
    landingEvent(2, 2, 1, 'failed', 'blocked'),
    landingEvent(2, 3, 2, 'publishing', 'passes'),
    landingEvent(2, 4, 2, 'complete', 'passes'),
    landingEvent(3, 1, 1, 'building'),
    landingEvent(3, 2, 1, 'cancelled'),
  ];
  const fates = ['passes', 'overridden', 'cancelled'] as const;
  const run = { state: 'finished', endedAt: '2026-01-01T00:00:20.000Z' } as const;
  return {
    requested: fates.map((fate, index) => ({
      number: index + 1,
      fate,
      queue: 'chaos-1',
      ticketId: index + 1,
      landingId: index + 1,
      cancellation: fate === 'cancelled' ? ('accepted' as const) : null,
      lastError: null,
    })),
    rows: fates.map((fate, index) => {
      const id = index + 1;
      const last = events.findLast(({ landing_id: of }) => of === id);
      return {
        id,
        ticketId: id,
        ppa: `~airline/debian/landing-${id}`,
        attempt: last?.attempt ?? 1,
        phase: last?.phase ?? 'queued',
        lastSeq: last?.seq ?? 0,
        isFinished: true,
        parts: last?.parts ?? [],
        failure:
          fate === 'cancelled'
            ? {
                class: 'cancelled' as const,
                phase: 'building' as const,
                retryable: true,
                message: 'cancelled by the lander',
                hint: '',
              }
            : null,
      };
    }),
    events: events.map((body) => ({ isPublished: true, body })),
    deliveries: events.map((body) => ({
      queue: 'chaos-1',
      messageId: `landing:${body.landing_id}:${body.seq}`,
      redelivered: false,
      body: JSON.stringify(body),
    })),
    runs: [
      { landingId: 1, attempt: 1, source: 'land-1-lib-app', ...run },
      { landingId: 2, attempt: 1, source: 'land-2-lib-app', ...run },
      { landingId: 2, attempt: 2, source: 'land-2-lib-app', ...run },
    ],
    verdicts: [
      { landingId: 1, attempt: 1, test: 'land-1-lib-app smoke', verdict: 'pass' },
      { landingId: 2, attempt: 1, test: 'land-2-lib-app smoke', verdict: 'regression' },
      { landingId: 2, attempt: 2, test: 'land-2-lib-app smoke', verdict: 'overridden' },
    ],
    pool: [{ ppa: '~airline/debian/pool-1', state: 'free', reason: null }],
    workflows: [
      'land-1-ticket-1',
      'land-2-ticket-2',
      'land-2-ticket-2-attempt-2',
      'land-3-ticket-3',
    ].map((workflowId) => ({
      ownerId: Number(workflowId.split('-')[1]),
      workflowId,
      status: 'COMPLETED',
      failedTasks: [],
      repeatedActivities: [],
    })),
  };
}

function landingEvent(
  id: number,
  seq: number,
  attempt: number,
  phase: LandingPhase,
  verdict?: 'passes' | 'blocked',
): LandingEventBody {
  const isEnd = phase === 'complete' || phase === 'failed' || phase === 'cancelled';
  const state = phase === 'complete' ? 'published' : id === 3 ? 'failed' : 'built';
  const part: LandingPart = {
    subticket_id: id,
    source: `land-${id}-lib`,
    version: '1.0',
    state,
    build_id: id === 3 ? 2 : null,
  };
  return {
    seq,
    landing_id: id,
    ticket_id: id,
    attempt,
    phase,
    step: stepOfPhase(phase),
    timestamp: `2026-01-01T00:00:${20 + seq}.000Z`,
    parts: [part],
    ...(verdict ? { tests: { planned: 1, finished: 1, left: 0, verdict, verdicts: {} } } : {}),
    ...(isEnd ? { exit: true as const } : {}),
  };
}
