import { z } from 'zod';
import { POCKETS } from '../../domain/packages/archive.ts';
import { durationMs, name } from './values.ts';

/** Launchpad keeps the files of what was deleted for about a week. */
export const DEFAULT_EXPIRY_MS = 7 * 86_400_000;

/** What becomes of copies of a source. */
export const copyBehaviour = z.strictObject({
  /** The copy is looked at only after it has waited this long. */
  afterMs: durationMs.default(0),
  /** It fails for this reason, after all checks of a copy were passed. */
  fails: name.optional(),
  /** It waits with this status in the queue of the target series until somebody decides. */
  held: z.enum(['New', 'Unapproved']).optional(),
  /** What somebody has decided of those that are held. */
  released: z.literal(true).optional(),
  rejected: z.literal(true).optional(),
});

/** What becomes of publications of a source that are deleted. */
export const deletionBehaviour = z.strictObject({
  /** How long they stay in the apt indexes. */
  afterMs: durationMs.default(0),
  /** How long their files can still be copied. */
  expireAfterMs: durationMs.default(DEFAULT_EXPIRY_MS),
  /** The deletion is refused with this text. */
  refused: name.optional(),
});

/** A primary archive, by its distribution. */
export const archiveBehaviour = z.strictObject({
  /** Nothing can be copied into the pocket Release; Proposed is for that, as in Ubuntu. */
  redirectsRelease: z.boolean().default(false),
  /** Suites, such as `noble` or `noble-updates`, of which nothing changes any more. */
  closed: z.array(name).max(100).default([]),
  /** Sources that others have published there, without files. */
  published: z
    .array(
      z.strictObject({
        source: name,
        version: name,
        series: name,
        pocket: z.enum(POCKETS).default('Release'),
      }),
    )
    .max(1_000)
    .default([]),
});

export type CopyBehaviour = z.infer<typeof copyBehaviour>;
export type DeletionBehaviour = z.infer<typeof deletionBehaviour>;
export type ArchiveBehaviour = z.infer<typeof archiveBehaviour>;
