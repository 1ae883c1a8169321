import { randomUUID } from 'node:crypto';
import type { Transaction } from 'sequelize';
import { landingFailureOf } from '../../domain/landings/landing-failure.ts';
import { DEFAULT_LANDING_POLICY } from '../../domain/landings/landing-policy.ts';
import type { MergedCommits } from '../../domain/builds/build-request.ts';
import { buildRecordState } from '../../domain/builds/build-state.ts';
import type {
  ArchitectureBuild,
  ProgressReport,
  WorkerMessage,
} from '../../domain/builds/progress.ts';
import type { Build, BuildModel } from '../../models/builds/build.ts';
import type { Database } from '../../models/database.ts';
import { newWebhookSecret, type WebhookFields } from '../../models/events/webhook.ts';
import type { MutationContext } from '../../models/sql/mutation-context.ts';
import type { Landing, LandingRequest } from '../../models/landings/landing.ts';
import type { Ticket } from '../../models/tickets/ticket.ts';

// Rows that a test begins with, made by the models. Each call has defaults for all that the test is not about.

/** Whoever the tests are. */
export const TESTS: MutationContext = { actor: 'tests' };

/** Those that the source package of a merge proposal is made of. */
export const COMMITS: MergedCommits = {
  source: '1234567890'.repeat(4),
  target: 'abcdef0987'.repeat(4),
  packaging: null,
  upstream: null,
};

/** A ticket at Queued. */
export function addTicket({ Ticket }: Pick<Database, 'Ticket'>): Promise<Ticket> {
  return Ticket.createOne(
    { owner: 'dev@example.org', title: 'A fix', description: '', bugId: '' },
    TESTS,
  );
}

/** An upload of a source package of its own. */
export async function addUpload({
  SourcePackage,
  SourcePackageUpload,
}: Pick<Database, 'SourcePackage' | 'SourcePackageUpload'>) {
  const { id } = await SourcePackage.createOne(
    { name: `package-${process.hrtime.bigint()}` },
    TESTS,
  );
  return SourcePackageUpload.createOne({ sourcePackageId: id, version: '1' }, TESTS);
}

/** A subticket of a ticket, for an upload of its own. */
export async function addSubticket(
  database: Pick<Database, 'SourcePackage' | 'SourcePackageUpload' | 'Subticket'>,
  { id: ticketId }: { id: number },
) {
  const { id: sourcePackageUploadId } = await addUpload(database);
  return database.Subticket.createOne({ ticketId, sourcePackageUploadId, assignee: '' }, TESTS);
}

/** An accepted build, of a ticket of its own where none is given. @param fields what its request has instead */
export async function addBuild(
  database: Pick<Database, 'sequelize' | 'Build' | 'Ticket'>,
  fields: Partial<Parameters<BuildModel['accept']>[0]> = {},
  transaction?: Transaction,
): Promise<Build> {
  const ticketId = fields.ticketId ?? (await addTicket(database)).id;
  const request = {
    ticketId,
    sourcePackages: ['http://127.0.0.1/hello_2.10-3_source.changes'],
    series: 'bookworm',
    ppa: 'ppa:airline/demo',
    archive: 'debian',
    progressTrigger: `queue-${ticketId}`,
    cancelUrl: null,
    requestId: 'request-1',
    ...fields,
  };
  return transaction
    ? database.Build.accept(request, transaction)
    : database.sequelize.transaction((own) => database.Build.accept(request, own));
}

/** Has the oldest builds dispatched that are due, as `Build.dispatchOldest` does, however old they are. */
export async function dispatchDue(
  { Build }: Pick<Database, 'Build'>,
  limit: number,
  start: Parameters<BuildModel['dispatchOldest']>[1],
): Promise<number> {
  const { at: dueBy } = await Build.backlog();
  return Build.dispatchOldest(limit, start, { since: new Date(0), dueBy });
}

/** Asks for one more attempt of a build that has failed. */
export function retryBuild(
  { sequelize, Build }: Pick<Database, 'sequelize' | 'Build'>,
  { id }: { id: number },
  asked = { requestedBy: 'ana', maxAttempts: 3 },
): Promise<Build | null> {
  return sequelize.transaction((transaction) => Build.retry(id, asked, transaction));
}

/** Asks for the cancellation of a build. */
export function cancelBuild(
  { sequelize, Build }: Pick<Database, 'sequelize' | 'Build'>,
  { id }: { id: number },
  requestedBy = 'ana',
): Promise<Build | null> {
  return sequelize.transaction((transaction) =>
    Build.requestCancellation(id, requestedBy, transaction),
  );
}

/** A build as it was before its acceptance was an event: the first report of it has `seq` 1. */
export async function addUntoldBuild(
  database: Pick<Database, 'sequelize' | 'Build' | 'Ticket' | 'ProgressEvent'>,
  fields: Partial<Parameters<BuildModel['accept']>[0]> = {},
): Promise<Build> {
  const build = await addBuild(database, fields);
  await database.ProgressEvent.destroy({ where: { buildId: build.id } });
  return build.update({ lastSeq: 0 });
}

const KEYS: Record<WorkerMessage, string> = {
  STARTED: 'started',
  INPROGRESS: 'poll',
  COMPLETE: 'final',
  FAILURE: 'final',
};

/** Records what the worker reports of a build's first attempt. @param more what the report has besides or instead */
export function report(
  { ProgressEvent }: Pick<Database, 'ProgressEvent'>,
  { id: buildId }: { id: number },
  message: WorkerMessage,
  more: Partial<ProgressReport> = {},
): ReturnType<Database['ProgressEvent']['record']> {
  return ProgressEvent.record({ buildId, key: KEYS[message], message, ...more });
}

/** What the PPA shows of hello on amd64: it is built. @param fields what it shows instead */
export function architectureBuild(fields: Partial<ArchitectureBuild> = {}): ArchitectureBuild {
  const buildstate = fields.buildstate ?? 'Successfully built';
  return {
    package: 'hello',
    version: '2.10-3',
    architecture: 'amd64',
    buildstate,
    state: buildRecordState(buildstate),
    web_link: '',
    ...fields,
  };
}

/** An accepted landing of one package, of a ticket of its own. @param more what is to be different */
export async function addLanding(
  database: Pick<
    Database,
    'sequelize' | 'Landing' | 'SourcePackage' | 'SourcePackageUpload' | 'Subticket' | 'Ticket'
  >,
  more: Partial<LandingRequest> = {},
): Promise<Landing> {
  const ticket = await addTicket(database);
  const subticket = await addSubticket(database, ticket);
  const source = `package-${ticket.id}`;
  return database.sequelize.transaction((transaction) =>
    database.Landing.accept(
      {
        ticketId: ticket.id,
        ppa: 'ppa:airline/silo',
        archive: 'debian',
        series: 'bookworm',
        target: '~airline/debian/landed',
        targetSeries: 'bookworm',
        pocket: 'Release',
        progressTrigger: `queue-${ticket.id}`,
        isQueueNamed: false,
        packages: [
          {
            subticketId: subticket.id,
            source,
            version: '1',
            files: [`http://127.0.0.1/${source}_1_source.changes`],
          },
        ],
        policy: DEFAULT_LANDING_POLICY,
        requestId: 'request-1',
        requestedBy: 'tests',
        ...more,
      },
      transaction,
    ),
  );
}

/** Ends a landing as a failure that a retry can help with. */
export function failLanding(
  { LandingEvent }: Pick<Database, 'LandingEvent'>,
  { id: landingId }: { id: number },
): ReturnType<typeof LandingEvent.record> {
  return LandingEvent.record({
    landingId,
    attempt: 1,
    key: 'failed',
    phase: 'failed',
    failure: landingFailureOf('build_failed', 'building', 'no'),
  });
}

/** A base image of bookworm. @param fields what it has instead */
export function addImage(
  { Image }: Pick<Database, 'Image'>,
  fields: Partial<Parameters<Database['Image']['create']>[0]> = {},
) {
  return Image.create({
    kind: 'base',
    distribution: 'debian',
    series: 'bookworm',
    architecture: 'amd64',
    format: 'tar',
    contentKey: randomUUID(),
    releases: {},
    sha256: '0'.repeat(64),
    size: 1,
    url: 'http://127.0.0.1/files/image.tar',
    manifestUrl: 'http://127.0.0.1/files/image.manifest',
    ...fields,
  });
}

/** A test run of a landing, of what depends on its package. @param fields what it has instead */
export function addTestRun(
  { TestRun }: Pick<Database, 'TestRun'>,
  landing: Pick<Landing, 'id' | 'attempt'>,
  imageId: number,
  fields: Partial<Parameters<Database['TestRun']['create']>[0]> = {},
) {
  return TestRun.create({
    landingId: landing.id,
    attempt: landing.attempt,
    imageId,
    source: 'mksh',
    version: '1-1',
    architecture: 'amd64',
    reason: 'depends',
    why: 'depends on ed',
    files: [],
    ...fields,
  });
}

/** A webhook that hears of everything. */
export function addWebhook(
  { Webhook }: Pick<Database, 'Webhook'>,
  fields: Partial<WebhookFields> = {},
) {
  return Webhook.add(
    {
      url: 'http://127.0.0.1/hook',
      secret: newWebhookSecret(),
      description: '',
      ticketId: null,
      messages: null,
      isActive: true,
      ...fields,
    },
    TESTS,
  );
}
