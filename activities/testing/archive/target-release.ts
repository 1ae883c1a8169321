import { createHash } from 'node:crypto';
import type { Ppa } from '../../../domain/packages/ppa.ts';
import { targetPpa } from '../../../domain/testing/image.ts';
import type { PpaClient } from '../../../ppa/client.ts';
import { readRepositoryFile } from '../../sources/read-repository-file.ts';
import type { TestArchive } from './test-archive.ts';

/** It names a few indexes: that of a whole distribution has less than one MiB. */
const MAX_BYTES = 4 * 2 ** 20;

/**
 * Asks the apt repository of a target what it has, as `TestArchive` says.
 *
 * @param options.repositoryOf the address of a PPA's apt repository
 */
export function readTargetRelease({
  ppaClient,
  repositoryOf,
  idleTimeoutMs,
}: {
  ppaClient: Pick<PpaClient, 'getArchive'>;
  repositoryOf: (ppa: Ppa) => string;
  idleTimeoutMs: number;
}): TestArchive['targetRelease'] {
  return async ({ series, target }, signal) => {
    if (!target) return undefined;
    const ppa = targetPpa(target);
    const archive = await ppaClient.getArchive(ppa);
    // The repository of a private PPA is not for apt without a password.
    if (!archive || archive.private === true) return undefined;
    const url = `${repositoryOf(ppa)}/dists/${series}/InRelease`;
    const content = await readRepositoryFile(url, MAX_BYTES, { signal, idleTimeoutMs });
    return content && createHash('sha256').update(content).digest('hex');
  };
}
