import { z } from 'zod';
import { BUILD_PHASES } from '../../domain/builds/build-phase.ts';
import { BUILD_STATES } from '../../domain/builds/build-request.ts';
import { SEQUENCE_STATES } from '../../domain/builds/build-sequence.ts';
import { BUILD_RECORD_STATES } from '../../domain/builds/build-state.ts';
import { FAILURE_CLASSES, type FailureClass } from '../../domain/builds/failure.ts';
import {
  PROGRESS_STATES,
  WORKER_MESSAGES,
  type ProgressMessage,
} from '../../domain/builds/progress.ts';
import { WAITED_FOR } from '../../domain/builds/waiting.ts';

/** Where a build stands, in coarse words. */
export const buildStateSchema = z.enum(BUILD_STATES);

/** What a build is doing, or waits for. */
export const buildPhaseSchema = z.enum(BUILD_PHASES);

/** One architecture's build, as messages and the build resource show it (`ArchitectureBuild`). */
export const architectureBuildSchema = z
  .object({
    package: z.string().meta({ description: 'The source package.' }),
    version: z.string().meta({ description: 'The version of the source package.' }),
    architecture: z.string().meta({ description: 'The architecture that it is built for.' }),
    buildstate: z.string().meta({ description: "Launchpad's word for where it stands." }),
    state: z
      .enum(BUILD_RECORD_STATES)
      .meta({ description: 'Where it stands; unknown where the word is not known.' }),
    web_link: z.string().meta({ description: 'Its page in the PPA.' }),
    created_at: z.iso.datetime().exactOptional().meta({
      description: 'When the PPA put it into the queue of its builders, where the PPA says it.',
    }),
    started_at: z.iso
      .datetime()
      .nullable()
      .exactOptional()
      .meta({ description: 'When the PPA began to build it.' }),
    built_at: z.iso
      .datetime()
      .nullable()
      .exactOptional()
      .meta({ description: 'When the PPA was done with it.' }),
    dependencies: z
      .string()
      .exactOptional()
      .meta({ description: 'What it waits for, in a Dependency wait that says so.' }),
  })
  .meta({ title: 'architecture_build' });

/** A binary package that a build made (`BuiltPackage`). */
export const builtPackageSchema = z
  .object({
    name: z.string().meta({ description: 'Its name.' }),
    source: z
      .string()
      .exactOptional()
      .meta({ description: 'The source package that it is built from.' }),
    version: z.string().meta({ description: 'Its version.' }),
    architecture: z.string().meta({ description: 'all, or the architecture it was built for.' }),
    url: z.string().nullable().meta({ description: 'Where its file is, where the PPA says it.' }),
    size: z.number().nullable().meta({ description: 'The size in bytes, where the PPA says it.' }),
    sha256: z.string().nullable().meta({ description: 'The SHA-256, where the PPA says it.' }),
    published_at: z.iso.datetime().exactOptional().meta({
      description: 'When the PPA published it, where it had when the build ended.',
    }),
  })
  .meta({ title: 'built_package' });

/** A package of a request with an order (`SequencedPackage`). */
export const sequencedPackageSchema = z
  .object({
    package: z.string().meta({ description: 'The source package.' }),
    version: z.string().meta({ description: 'Its version.' }),
    level: z.int().meta({
      description:
        'From 0: a level is uploaded when all that was built of those before it is published.',
    }),
    after: z.array(z.string()).meta({
      description:
        'The source packages of the request whose binaries it build-depends on, at most 20.',
    }),
    state: z.enum(SEQUENCE_STATES).meta({
      description:
        'waiting: it is uploaded when those before it are published; uploaded; not_built: it never was.',
    }),
    reason: z.string().exactOptional().meta({ description: 'Why it was not built.' }),
  })
  .meta({ title: 'sequenced_package' });

/** Why a build failed (`Failure`). */
export const failureSchema = z
  .object({
    class: z
      .enum(Object.keys(FAILURE_CLASSES) as FailureClass[])
      .meta({ description: 'What kind of failure it is; docs/failures.md has them all.' }),
    code: z.string().exactOptional().meta({
      description:
        'The error code of docs/errors.md, such as version_not_higher, where there is one.',
    }),
    retryable: z
      .boolean()
      .meta({ description: 'Whether it can help to request the same build again.' }),
    message: z.string().meta({ description: 'What happened, in one sentence.' }),
    hint: z.string().meta({ description: 'What to do about it.' }),
    package: z
      .string()
      .exactOptional()
      .meta({ description: 'The source package that failed, if it was one.' }),
    architecture: z
      .string()
      .exactOptional()
      .meta({ description: 'The architecture that failed, if it was one.' }),
    excerpt: z
      .string()
      .exactOptional()
      .meta({ description: 'The lines of the build log that say why, where some do.' }),
    excerpt_line: z
      .int()
      .exactOptional()
      .meta({ description: 'The line of the log that the excerpt begins with, from 1.' }),
    line: z
      .int()
      .exactOptional()
      .meta({ description: 'The line of the log that says why, from 1.' }),
  })
  .meta({ title: 'failure' });

/** What a build or landing cannot get past just now (`LastError`). */
export const lastErrorSchema = z
  .object({
    step: z.string().meta({
      description:
        'The step that fails: an activity, start or workflow; paused where one is paused in Temporal.',
    }),
    message: z.string().meta({ description: 'What its last try said.' }),
    tries: z.int().meta({ description: 'How often it was tried so far.' }),
    since: z.iso.datetime().meta({ description: 'When the first of its tries failed.' }),
  })
  .meta({ title: 'trouble' });

/** What a build waits for (`Waiting`). */
export const waitingSchema = z
  .object({
    for: z.enum(WAITED_FOR).meta({
      description:
        'temporal: that its workflow is started; worker: that one takes it; ppa: that it shows the upload; builder: that one of the PPA takes it; dependency: a build dependency; prerequisite: that what is built is published, because later packages of the request need it',
    }),
    since: z.iso.datetime().meta({
      description:
        'Since when; of a Dependency wait, since nothing else of the request is under way, and anew once a build has left the wait.',
    }),
    usually_ms: z.int().nullable().meta({
      description:
        'How long it usually takes: the median of the latest 20 builds for the series; null where none is known.',
    }),
    gives_up_at: z.iso.datetime().nullable().meta({
      description: 'When the build fails if nothing happens; null where that is not known.',
    }),
    ahead: z.int().nullable().meta({
      description:
        'How many requests were before it in the queue, at most 1,000, when its latest message was made; null where it waits for something else.',
    }),
  })
  .meta({ title: 'waiting' });

/** How far an upload is (`ShownUpload`). */
export const uploadSchema = z
  .object({
    package: z.string().meta({ description: 'Name and version of the source package.' }),
    sent_bytes: z.int().meta({ description: 'Bytes of its files that are sent.' }),
    total_bytes: z.int().meta({ description: 'Bytes of all its files.' }),
  })
  .meta({ title: 'upload' });

/**
 * A progress message (`ProgressMessage`): what the events endpoint answers, and what is sent. The OpenAPI document, the
 * AsyncAPI document and the JSON Schema of the messages are made of it.
 */
export const progressMessageSchema = z
  .object({
    state: z.enum(PROGRESS_STATES).meta({
      description:
        'WAITING until the PPA has accepted the sources, then STATUS; COMPLETED or FAILED at the end.',
    }),
    message: z
      .enum(WORKER_MESSAGES)
      .nullable()
      .meta({ description: 'What the worker reports. Null while no worker has the build.' }),
    phase: buildPhaseSchema.meta({ description: 'What the build is doing, or waits for.' }),
    phase_since: z.iso.datetime().meta({ description: 'When it came into the phase.' }),
    source_packages: z
      .array(z.string())
      .meta({ description: 'URLs of the source files, as the request has them.' }),
    ppa: z.string().meta({ description: 'The PPA, as the request has it.' }),
    progress_trigger: z.string().nullable().meta({
      description: 'The queue, as the request has it; null where it names none.',
    }),
    seq: z.int().meta({
      description:
        'Its place among the messages of the build: from 1, without a gap, but after a restore it jumps.',
    }),
    build_id: z.int().meta({ description: 'The id of the build.' }),
    attempt: z.int().meta({ description: '1, and one more with each retry.' }),
    ticket_id: z.int().meta({ description: 'The id of the ticket, as the request has it.' }),
    timestamp: z.iso.datetime().meta({ description: 'When it was recorded.' }),
    builds: z
      .array(architectureBuildSchema)
      .meta({ description: 'What the PPA builds: one for each package and architecture.' }),
    sequence: z.array(sequencedPackageSchema).exactOptional().meta({
      description:
        'Its source packages in their order, and where each of them is. Of a build with an order, once its sources are checked.',
    }),
    waiting: waitingSchema
      .exactOptional()
      .meta({ description: 'What it waits for; only while it waits.' }),
    upload: uploadSchema
      .exactOptional()
      .meta({ description: 'How far the upload of a package is; only during the upload.' }),
    exit: z.literal(true).exactOptional().meta({
      description: 'It is the last message of its attempt; only on COMPLETED and FAILED.',
    }),
    logs: z
      .array(z.string())
      .exactOptional()
      .meta({ description: 'URLs of the build logs; only on COMPLETED and FAILED.' }),
    failure: failureSchema.exactOptional().meta({ description: 'Why it failed. On FAILED.' }),
    packages: z.array(builtPackageSchema).exactOptional().meta({
      description:
        'The binary packages that were built, by name and architecture, at most 250; none where the PPA did not show them yet. On COMPLETED.',
    }),
    apt: z.string().nullable().exactOptional().meta({
      description: "The line for apt's sources.list; null where it is not known. On COMPLETED.",
    }),
  })
  .meta({ title: 'progress_message' }) satisfies z.ZodType<ProgressMessage>;
