import { AirlineError } from '../errors.ts';
import type { BuildOrder } from './build-order.ts';
import type { ArchitectureBuild } from './progress.ts';
import { packagesInPpa } from '../packages/source-file.ts';

/**
 * Whether the build of a package on an architecture can be asked for again: it failed, or waits for what did not come.
 */
export function buildHasFailed({ state }: Pick<ArchitectureBuild, 'state'>): boolean {
  return state === 'failed' || state === 'dependency_wait';
}

/**
 * That each of the architectures can be retried alone: something of the build has failed there, and the PPA has its
 * packages. With an order, what is not there yet comes in its turn.
 *
 * @throws AirlineError `invalid_field`
 */
export function assertFailedThere(
  build: {
    id: number;
    sourcePackages: readonly string[];
    order: BuildOrder | null;
    architectureBuilds: readonly ArchitectureBuild[];
  },
  architectures: readonly string[],
): void {
  const { id, sourcePackages, order, architectureBuilds: builds } = build;
  const refuse = (problem: string) =>
    new AirlineError('invalid_field', problem, { fields: { architectures: [problem] } });
  const failed = new Set(builds.filter(buildHasFailed).map(({ architecture }) => architecture));
  const wrong = architectures.find((one) => !failed.has(one));
  if (wrong !== undefined) {
    const has = builds.some(({ architecture }) => architecture === wrong);
    throw refuse(
      `Build ${id} ${has ? 'did not fail on' : 'has no build on'} ${wrong}; it failed on ${[...failed].join(', ') || 'none'}.`,
    );
  }
  if (order === null && !packagesInPpa(sourcePackages, builds))
    throw refuse(
      `Not all packages of build ${id} came to the PPA: leave architectures out, so that it starts over.`,
    );
}
