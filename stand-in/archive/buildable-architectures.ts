import type { SourceControl } from '../../domain/packages/source-package.ts';
import { CommandFailed, run } from '../../sandbox/command.ts';
import type { Build } from './records.ts';
import { reject } from './upload-rejection.ts';

type Buildable = Pick<Build, 'architecture' | 'buildsArchitectureAll'>;

/**
 * The architectures of the PPA that a source builds on. The first one also builds what is for all architectures.
 *
 * @throws Rejection where there is none
 */
export async function buildableOn(
  dsc: SourceControl,
  architectures: readonly [string, ...string[]],
): Promise<Buildable[]> {
  const wildcards = dsc.architectures.filter((wildcard) => wildcard !== 'all');
  const buildable: Buildable[] = [];
  for (const architecture of architectures) {
    const buildsArchitectureAll =
      architecture === architectures[0] && dsc.architectures.includes('all');
    if (buildsArchitectureAll || (await matchesAny(architecture, wildcards)))
      buildable.push({ architecture, buildsArchitectureAll });
  }
  return buildable.length > 0
    ? buildable
    : reject(`Cannot build any of the architectures requested: ${dsc.architectures.join(' ')}`);
}

async function matchesAny(architecture: string, wildcards: readonly string[]): Promise<boolean> {
  for (const wildcard of wildcards) {
    if (wildcard === architecture || wildcard === 'any') return true;
    if (!/^[a-z0-9]+(-[a-z0-9]+){0,3}$/.test(wildcard)) continue;
    try {
      await run('dpkg-architecture', ['--host-arch', architecture, '--is', wildcard], {
        timeoutMs: 10_000,
      });
      return true;
    } catch (error) {
      if (!(error instanceof CommandFailed && error.exitCode === 1)) throw error;
    }
  }
  return false;
}
