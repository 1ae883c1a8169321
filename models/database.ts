import type { Socket } from 'node:net';
import type { Client, QueryResult } from 'pg';
import { ConnectionError, Sequelize } from 'sequelize';
import type { WaitLimits } from '../domain/builds/waiting.ts';
import { defineAccessToken } from './service/access-token.ts';
import { defineBinaryPackage } from './tickets/binary-package.ts';
import { defineBranch } from './tickets/branch.ts';
import { defineBuildAttempt } from './builds/build-attempt.ts';
import { defineBuild } from './builds/build.ts';
import { countConnections, type ConnectionCounts } from './sql/connection-counts.ts';
import { defineIdempotencyKey } from './service/idempotency-key.ts';
import { defineImage } from './landings/image.ts';
import { defineLandingClaim } from './landings/landing-claim.ts';
import { defineLandingEvent } from './landings/landing-event.ts';
import { defineLanding } from './landings/landing.ts';
import { defineMergeProposal } from './tickets/merge-proposal.ts';
import { definePerson } from './tickets/person.ts';
import { definePoolPpa } from './pool/pool-ppa.ts';
import { definePpaLease } from './pool/ppa-lease.ts';
import { definePpaPast } from './pool/ppa-past.ts';
import { definePpaWatch } from './builds/ppa-watch.ts';
import { defineProgressEvent } from './events/progress-event.ts';
import { defineProject } from './tickets/project.ts';
import { defineSession } from './service/session.ts';
import { defineSourcePackageUpload } from './tickets/source-package-upload.ts';
import { defineSourcePackage } from './tickets/source-package.ts';
import { createPreparedPg } from './sql/prepared-pg.ts';
import { refuseSharedSessions } from './sql/refuse-shared-sessions.ts';
import { ASK_STANDBY, assertPrimary } from './sql/standby.ts';
import { defineSubticketArtifact } from './tickets/subticket-artifact.ts';
import { defineSubticket, type TicketRules } from './tickets/subticket.ts';
import { defineTestOverride } from './landings/test-override.ts';
import { defineTestRun } from './landings/test-run.ts';
import { defineTestSuite } from './tickets/test-suite.ts';
import { defineTestVerdict } from './landings/test-verdict.ts';
import { defineTicketArtifact } from './tickets/ticket-artifact.ts';
import {
  defineTicketOwner,
  defineTicketPpa,
  defineTicketReference,
  defineTicketTestSuite,
} from './tickets/ticket-links.ts';
import { defineTicket } from './tickets/ticket.ts';
import { defineWatchedBuild } from './builds/watched-build.ts';
import { defineWebhookDelivery } from './events/webhook-delivery.ts';
import { defineWebhook } from './events/webhook.ts';

/** An open database with its models. */
export type Database = ReturnType<typeof defineModels> & {
  readonly sequelize: Sequelize;
  /** What its connections do now. */
  readonly connectionCounts: () => ConnectionCounts;
  readonly close: () => Promise<void>;
};

// A statement that takes longer waits for a lock that someone holds by mistake.
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
const ACQUIRE_TIMEOUT_MS = 10_000;
// PostgreSQL has ended every statement by then: the connection must have broken silently.
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * Opens a database. Connections are made when they are needed, so that a process starts while PostgreSQL is down. One
 * to a standby is given up at once, so that the next try may reach the primary, and so is one that shares its session
 * with others. The models belong to this database; a process may open several.
 *
 * @param url postgres://user:password@host:port/name
 * @param poolSize largest number of connections
 * @param options.silenceMs how long a statement may wait for a sign of PostgreSQL before its connection is given up
 * @param options.phase the phase of the ticket service, whose rules subtickets keep to
 * @param options.storeUrls the addresses of the data store, present and former ones
 * @param options.waitLimits when the builds that this process accepts and dispatches are given up while they wait
 */
export function openDatabase(
  url: string,
  poolSize: number,
  {
    silenceMs = SILENCE_MS,
    phase = '1',
    storeUrls = [],
    waitLimits = null,
  }: Partial<TicketRules & { storeUrls: readonly string[] }> & {
    silenceMs?: number;
    waitLimits?: WaitLimits | null;
  } = {},
): Database {
  const sequelize = new Sequelize(url, {
    dialect: 'postgres',
    dialectModule: createPreparedPg(),
    logging: false,
    pool: { max: poolSize, acquire: ACQUIRE_TIMEOUT_MS },
    // No more: PgBouncer refuses a connection that asks for settings as it begins.
    dialectOptions: {
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    },
  });
  // Sequelize ends idle connections long before: a connection this silent has a statement or a transaction open.
  sequelize.addHook('afterConnect', async (connected) => {
    const client = connected as Client & { connection: { stream: Socket } };
    const { stream } = client.connection;
    stream.setTimeout(silenceMs, () => stream.destroy(new Error('Connection terminated: silent')));
    // The plan of a page of a large table looks as if it read much of it, and its code would be compiled for that.
    // A machine that is lost within a transaction does not say so: PostgreSQL would keep its locks for hours.
    const answers: unknown = await client.query(
      `SET jit = off; SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
       SET idle_in_transaction_session_timeout = ${silenceMs};
       ${ASK_STANDBY}`,
    );
    try {
      assertPrimary((answers as QueryResult<{ isStandby: boolean }>[]).at(-1));
    } catch (error) {
      await client.end();
      throw new ConnectionError(error as Error);
    }
  });
  refuseSharedSessions(sequelize, url);
  return {
    ...defineModels(sequelize, { phase }, storeUrls, waitLimits),
    sequelize,
    connectionCounts: countConnections(sequelize, ACQUIRE_TIMEOUT_MS),
    close: () => sequelize.close(),
  };
}

/** The models of a database, with what they refer to each other by. */
function defineModels(
  sequelize: Sequelize,
  rules: TicketRules,
  storeUrls: readonly string[],
  waitLimits: WaitLimits | null,
) {
  const AccessToken = defineAccessToken(sequelize);
  const BuildAttempt = defineBuildAttempt(sequelize);
  const Build = defineBuild(sequelize, { BuildAttempt }, waitLimits);
  const SourcePackage = defineSourcePackage(sequelize);
  const SourcePackageUpload = defineSourcePackageUpload(sequelize);
  const Ticket = defineTicket(sequelize);
  const MergeProposal = defineMergeProposal(sequelize);
  const Subticket = defineSubticket(
    sequelize,
    { Ticket, SourcePackageUpload, MergeProposal },
    rules,
  );

  Subticket.belongsTo(SourcePackageUpload, {
    as: 'sourcePackageUpload',
    foreignKey: 'sourcePackageUploadId',
  });
  Subticket.belongsTo(MergeProposal, { as: 'mergeProposal', foreignKey: 'mergeProposalId' });
  SourcePackageUpload.belongsTo(SourcePackage, {
    as: 'sourcePackage',
    foreignKey: 'sourcePackageId',
  });
  const LandingClaim = defineLandingClaim(sequelize);
  const PoolPpa = definePoolPpa(sequelize);
  const Landing = defineLanding(sequelize, { Build, LandingClaim, PoolPpa });
  const TestRun = defineTestRun(sequelize);
  const Person = definePerson(sequelize);
  const TestSuite = defineTestSuite(sequelize);
  const TicketOwner = defineTicketOwner(sequelize);
  const TicketTestSuite = defineTicketTestSuite(sequelize);
  const TicketPpa = defineTicketPpa(sequelize);
  const PpaWatch = definePpaWatch(sequelize);
  TicketOwner.belongsTo(Person, { as: 'person', foreignKey: 'personId' });
  TicketTestSuite.belongsTo(TestSuite, { as: 'testSuite', foreignKey: 'testSuiteId' });

  return {
    AccessToken,
    BinaryPackage: defineBinaryPackage(sequelize),
    Branch: defineBranch(sequelize),
    Build,
    BuildAttempt,
    IdempotencyKey: defineIdempotencyKey(sequelize),
    Image: defineImage(sequelize),
    Landing,
    LandingClaim,
    LandingEvent: defineLandingEvent(sequelize, { Landing, Subticket, TestRun, Ticket }),
    MergeProposal,
    Person,
    PoolPpa,
    PpaLease: definePpaLease(sequelize, { Landing, PoolPpa, Ticket, TicketPpa }),
    PpaPast: definePpaPast(sequelize),
    PpaWatch,
    ProgressEvent: defineProgressEvent(sequelize, { Build }),
    Project: defineProject(sequelize),
    Session: defineSession(sequelize, { AccessToken }),
    SourcePackage,
    SourcePackageUpload,
    Subticket,
    SubticketArtifact: defineSubticketArtifact(sequelize, { Subticket }, storeUrls),
    TestOverride: defineTestOverride(sequelize),
    TestRun,
    TestSuite,
    TestVerdict: defineTestVerdict(sequelize),
    Ticket,
    TicketArtifact: defineTicketArtifact(sequelize),
    TicketOwner,
    TicketPpa,
    TicketReference: defineTicketReference(sequelize),
    TicketTestSuite,
    WatchedBuild: defineWatchedBuild(sequelize, { PpaWatch }),
    Webhook: defineWebhook(sequelize),
    WebhookDelivery: defineWebhookDelivery(sequelize),
  };
}
