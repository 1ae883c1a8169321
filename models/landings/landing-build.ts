import type { Sequelize, Transaction } from 'sequelize';
import { landingActor } from '../../domain/access/requester.ts';
import type { ArchitectureBuild } from '../../domain/builds/progress.ts';
import { AirlineError } from '../../domain/errors.ts';
import { ppaReference } from '../../domain/packages/ppa.ts';
import type { LandingAttemptName } from '../../domain/landings/landing.ts';
import type { PpaPastModel } from '../pool/ppa-past.ts';
import type { Build, BuildModel } from '../builds/build.ts';
import type { Landing, LandingModel } from './landing.ts';

/** Most attempts of one build of a landing: each is asked for by a person who retries the landing. */
const MAX_ATTEMPTS = 100;

/**
 * The build of one package of a landing. A completed build of the same files in the same PPA and series counts, whoever
 * has requested it, if all its packages were published when it ended; one that an earlier attempt of the landing left
 * unfinished for good is retried; else it is accepted, which finds in the PPA what is built there already. Its workflow
 * is to be started by the landing's. Safe to repeat until that has been done.
 *
 * @throws AirlineError `conflict` where the landing's attempt has ended; `internal` where it has no such package
 */
export async function openLandingBuild(
  sequelize: Sequelize,
  {
    Build,
    Landing: Landings,
    PpaPast,
  }: { Build: BuildModel; Landing: LandingModel; PpaPast: PpaPastModel },
  { source, ...of }: LandingAttemptName & { source: string },
): Promise<Build> {
  const { landingId } = of;
  return sequelize.transaction(async (transaction) => {
    const landing = await Landings.lockAttempt(of, transaction);
    const files = filesOf(landing, source);
    const builds = await buildsOf(Build, landing, files, transaction);
    const published = builds.find(isPublished);
    if (published) return published;
    const own = builds.find((one) => one.landingId === landingId && one.state !== 'completed');
    if (own && !own.finishedAt) return own;
    const requestedBy = landingActor(landingId);
    const ppa = ppaReference(landing.acceptedPpa);
    const uploaded = landing.packages.filter((one) => one.source === source);
    if (landing.usesPool) await PpaPast.record(ppa, uploaded, landingId, transaction);
    const build = own
      ? await Build.retry(own.id, { requestedBy, maxAttempts: MAX_ATTEMPTS }, transaction)
      : await Build.accept(
          {
            ticketId: landing.ticketId,
            landingId,
            sourcePackages: files,
            series: landing.series,
            ppa,
            archive: landing.archive,
            progressTrigger: landing.progressTrigger,
            webhookId: landing.webhookId,
            cancelUrl: null,
            requestId: landing.requestId ?? '',
            requestedBy,
          },
          transaction,
        );
    if (!build) throw new Error(`build ${own?.id} is gone`);
    await build.markDispatched(transaction);
    return build;
  });
}

/** A build that was to end when all is built may have ended before: tests would not find its packages then. */
function isPublished(build: Build): boolean {
  const { state, architectureBuilds, builtPackages } = build;
  return (
    state === 'completed' &&
    builtPackages.length > 0 &&
    builtPackages.every(({ published_at: at }) => at !== undefined) &&
    architectureBuilds.every((one) => isListed(one, build))
  );
}

/**
 * Whether something is listed that only this one of the builds can have made: Launchpad publishes it some minutes after
 * the build has ended. What is for all architectures is made by one of the builds of its source; none says by which.
 */
function isListed(one: ArchitectureBuild, { architectureBuilds, builtPackages }: Build): boolean {
  const isAlone = architectureBuilds.filter((other) => other.package === one.package).length === 1;
  return builtPackages.some(
    // Older rows lack the source.
    ({ source = one.package, architecture }) =>
      source === one.package && (isAlone || architecture === one.architecture),
  );
}

function filesOf({ id, packages }: Landing, source: string): string[] {
  const files = packages.find((one) => one.source === source)?.files ?? [];
  // Any build has all of no files.
  if (files.length === 0)
    throw new AirlineError('internal', `Landing ${id} has no package ${source}.`);
  return files;
}

/** The builds of these very files in the landing's PPA and series, the latest first. */
async function buildsOf(
  Builds: BuildModel,
  landing: Landing,
  files: readonly string[],
  transaction: Transaction,
): Promise<Build[]> {
  const { ticketId, series } = landing;
  const builds = await Builds.findAll({
    where: { ticketId, series },
    order: [['id', 'DESC']],
    transaction,
  });
  const ppa = ppaReference(landing.acceptedPpa);
  return builds.filter(
    (build) =>
      ppaReference(build.acceptedPpa) === ppa &&
      files.every((file) => build.sourcePackages.includes(file)),
  );
}
