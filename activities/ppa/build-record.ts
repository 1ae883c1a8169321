import { MAX_DEPENDENCIES_LENGTH } from '../../domain/builds/build-size.ts';
import type { BuildRecord } from '../../domain/builds/build-state.ts';
import { shortened } from '../../domain/text/shortened.ts';
import type { Build } from '../../ppa/wire.ts';

/** Launchpad's build as a build record. What it says of its dependencies is cut where that is too long. */
export function buildRecordOf(build: Build): BuildRecord {
  return {
    package: build.source_package_name,
    version: build.source_package_version,
    architecture: build.arch_tag,
    buildState: build.buildstate,
    selfLink: build.self_link,
    webLink: build.web_link,
    buildLogUrl: build.build_log_url ?? null,
    uploadLogUrl: build.upload_log_url ?? null,
    dependencies:
      typeof build.dependencies === 'string'
        ? shortened(build.dependencies, MAX_DEPENDENCIES_LENGTH)
        : null,
    canBeCancelled: build.can_be_cancelled,
    createdAt: build.datecreated ?? null,
    startedAt: build.date_started ?? null,
    builtAt: build.datebuilt ?? null,
  };
}
