import type { SourceControl } from '../../domain/packages/source-package.ts';
import { CommandFailed, run } from '../../sandbox/command.ts';
import { reject } from './upload-rejection.ts';

/**
 * The architectures of the PPA that a source builds on; for `all` alone it is the first one. Throws Rejection where
 * there is none.
 */
export async function buildableOn(
  dsc: SourceControl,
  architectures: readonly [string, ...string[]],
): Promise<string[]> {
  const wildcards = dsc.architectures.filter((wildcard) => wildcard !== 'all');
  const buildable: string[] = [];
  for (const architecture of architectures) {
    const nominated = architecture === architectures[0] && dsc.architectures.includes('all');
    if (nominated || (await matchesAny(architecture, wildcards))) buildable.push(architecture);
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
