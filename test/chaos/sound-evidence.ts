import type { ProgressMessage, WorkerMessage } from '../../domain/progress.ts';
import type { EventRow, Evidence } from './evidence.ts';

/** What a run leaves behind in which all went well: a build that completed and one that was cancelled. */
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
        trouble: null,
      },
      {
        number: 2,
        fate: 'cancelled',
        ppa: '~airline/debian/chaos-2',
        queue: 'chaos-1',
        buildId: 2,
        cancellation: 'accepted',
        trouble: null,
      },
    ],
    rows: [
      {
        id: 1,
        ppa: '~airline/debian/chaos-1',
        state: 'completed',
        lastSeq: 3,
        isFinished: true,
        cancelRequested: false,
      },
      {
        id: 2,
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
    },
    workflows: [1, 2].map((buildId) => ({
      buildId,
      workflowId: `build-${buildId}-ticket-1-chaos`,
      status: 'COMPLETED',
      failedTasks: [],
      repeatedActivities: [],
    })),
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
