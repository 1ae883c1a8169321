import type { BuildRecord } from '../../domain/builds/build-state.ts';

/** The record of a build in a PPA, in a state that Launchpad names. */
export function buildRecord(
  buildState: string,
  architecture: string,
  source = 'hello',
): BuildRecord {
  return {
    package: source,
    version: '1.0-1',
    architecture,
    buildState,
    selfLink: `http://lp/devel/${architecture}`,
    webLink: `http://lp/${architecture}`,
    buildLogUrl: null,
    uploadLogUrl: null,
    dependencies: null,
    canBeCancelled: true,
    startedAt: null,
    builtAt: null,
  };
}
