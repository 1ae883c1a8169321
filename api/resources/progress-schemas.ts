import { z } from 'zod';
import { BUILD_PHASES } from '../../domain/build-phase.ts';
import { BUILD_STATES } from '../../domain/build-request.ts';
import { BUILD_RECORD_STATES } from '../../domain/build-state.ts';
import { FAILURE_CLASSES, type FailureClass } from '../../domain/failure.ts';
import { PROGRESS_STATES, WORKER_MESSAGES } from '../../domain/progress.ts';

/** Where a build stands, in coarse words. */
export const buildStateSchema = z.enum(BUILD_STATES);

/** What a build is doing, or waits for. */
export const buildPhaseSchema = z.enum(BUILD_PHASES);

/** One architecture's build, as messages and the build resource show it (`ArchitectureBuild`). */
export const architectureBuildSchema = z
  .object({
    package: z.string(),
    version: z.string(),
    architecture: z.string(),
    buildstate: z.string().meta({ description: "Launchpad's word" }),
    state: z.enum(BUILD_RECORD_STATES),
    web_link: z.string(),
    started_at: z.iso
      .datetime()
      .nullable()
      .optional()
      .meta({ description: 'When the PPA began to build it.' }),
    built_at: z.iso
      .datetime()
      .nullable()
      .optional()
      .meta({ description: 'When the PPA was done with it.' }),
    dependencies: z
      .string()
      .optional()
      .meta({ description: 'What it waits for, in a Dependency wait that says so.' }),
  })
  .meta({ title: 'architecture_build' });

/** A binary package that a build made (`BuiltPackage`). */
export const builtPackageSchema = z
  .object({
    name: z.string().meta({ description: 'Its name.' }),
    version: z.string().meta({ description: 'Its version.' }),
    architecture: z.string().meta({ description: 'all, or the architecture it was built for.' }),
    url: z.string().nullable().meta({ description: 'Where its file is, where the PPA says it.' }),
    size: z.number().nullable().meta({ description: 'The size in bytes, where the PPA says it.' }),
    sha256: z.string().nullable().meta({ description: 'The SHA-256, where the PPA says it.' }),
  })
  .meta({ title: 'built_package' });

/** Why a build failed (`Failure`). */
export const failureSchema = z
  .object({
    class: z.enum(Object.keys(FAILURE_CLASSES) as FailureClass[]),
    retryable: z.boolean(),
    message: z.string(),
    hint: z.string(),
    package: z.string().optional(),
    architecture: z.string().optional(),
    excerpt: z.string().optional(),
    excerpt_line: z
      .int()
      .optional()
      .meta({ description: 'The line of the log that the excerpt begins with, from 1.' }),
    line: z.int().optional(),
  })
  .meta({ title: 'failure' });

/** What a build cannot get past just now (`LastError`). */
export const troubleSchema = z
  .object({
    step: z.string(),
    message: z.string(),
    tries: z.int(),
    since: z.iso.datetime(),
  })
  .meta({ title: 'trouble' });

/** A progress message (`ProgressMessage`). */
export const progressMessageSchema = z
  .object({
    state: z.enum(PROGRESS_STATES),
    message: z
      .enum(WORKER_MESSAGES)
      .nullable()
      .meta({ description: 'Null while no worker has the build.' }),
    phase: buildPhaseSchema,
    phase_since: z.iso.datetime().meta({ description: 'When it came into the phase.' }),
    source_packages: z.array(z.string()),
    ppa: z.string(),
    progress_trigger: z.string(),
    seq: z.int(),
    build_id: z.int(),
    attempt: z.int(),
    ticket_id: z.int(),
    timestamp: z.iso.datetime(),
    builds: z.array(architectureBuildSchema),
    exit: z.literal(true).optional(),
    logs: z.array(z.string()).optional(),
    failure: failureSchema.optional(),
    packages: z.array(builtPackageSchema).optional(),
    apt: z.string().nullable().optional(),
  })
  .meta({ title: 'progress_message' });
