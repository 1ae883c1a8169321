import { z } from 'zod';

/** One architecture's build, as messages and the build resource show it (`ArchitectureBuild`). */
export const architectureBuildSchema = z
  .object({
    package: z.string(),
    version: z.string(),
    architecture: z.string(),
    buildstate: z.string().meta({ description: "Launchpad's word" }),
    state: z.string(),
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

/** Why a build failed (`Failure`). */
export const failureSchema = z
  .object({
    class: z.string(),
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

/** What a build cannot get past just now (`BuildTrouble`). */
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
    state: z.enum(['WAITING', 'STATUS', 'COMPLETED', 'FAILED']),
    message: z.enum(['STARTED', 'INPROGRESS', 'COMPLETE', 'FAILURE']),
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
  })
  .meta({ title: 'progress_message' });
