import type { Sequelize, Transaction } from 'sequelize';
import type { BuildPhase } from '../../domain/builds/build-phase.ts';
import type { SequencedPackage } from '../../domain/builds/build-sequence.ts';
import type { BuiltPackage } from '../../domain/builds/built-package.ts';
import type { Failure } from '../../domain/builds/failure.ts';
import {
  messageOfPhase,
  progressStateOf,
  type ArchitectureBuild,
  type ProgressMessage,
} from '../../domain/builds/progress.ts';
import type { ShownUpload } from '../../domain/builds/upload-progress.ts';
import type { Waiting } from '../../domain/builds/waiting.ts';

/** What an event says of the row of its build. */
type BuildRow = {
  readonly id: number;
  readonly ticketId: number;
  readonly sourcePackages: string[];
  readonly ppa: string;
  readonly progressTrigger: string | null;
  readonly attempt: number;
  readonly phase: BuildPhase;
  readonly phaseSince: Date;
  readonly lastSeq: number;
  readonly reportedAt: Date;
  readonly finishedAt: Date | null;
  readonly architectureBuilds: ArchitectureBuild[];
  readonly sequence: SequencedPackage[];
  readonly waiting: Waiting | null;
  readonly upload: ShownUpload | null;
  readonly logs: string[];
  readonly failure: Failure | null;
  readonly builtPackages: BuiltPackage[];
  readonly apt: string | null;
};

/**
 * Writes the event that tells where a build stands, in the transaction that has moved its row there: the row has the
 * event's `seq` and time already. Those who follow the build are told by the notice of its row's change: a NOTIFY would
 * let all commits of the database take turns.
 *
 * @param key names the event within its attempt
 * @returns the message of the event
 */
export async function appendEvent(
  sequelize: Sequelize,
  build: BuildRow,
  key: string,
  transaction: Transaction,
): Promise<ProgressMessage> {
  const { phase, attempt, waiting, upload, finishedAt, failure } = build;
  const body: ProgressMessage = {
    state: progressStateOf(phase),
    message: messageOfPhase(phase),
    phase,
    phase_since: build.phaseSince.toISOString(),
    source_packages: build.sourcePackages,
    ppa: build.ppa,
    progress_trigger: build.progressTrigger,
    seq: build.lastSeq,
    build_id: build.id,
    attempt,
    ticket_id: build.ticketId,
    timestamp: build.reportedAt.toISOString(),
    builds: build.architectureBuilds,
    ...(build.sequence.length > 0 ? { sequence: build.sequence } : {}),
    ...(waiting ? { waiting } : {}),
    ...(upload ? { upload } : {}),
    ...(finishedAt ? { exit: true, logs: build.logs } : {}),
    ...(finishedAt && failure ? { failure } : {}),
    ...(phase === 'completed' ? { packages: build.builtPackages, apt: build.apt } : {}),
  };
  const { id: buildId, lastSeq: seq, reportedAt: createdAt } = build;
  // Without a queue there is nothing to publish: the event does not wait for the broker.
  const publishedAt = build.progressTrigger === null ? createdAt : null;
  // By its name: the model of events is defined with that of builds, which writes events too.
  await sequelize
    .model('ProgressEvent')
    .create({ buildId, seq, attempt, key, body, createdAt, publishedAt }, { transaction });
  return body;
}
