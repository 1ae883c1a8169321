import type { Sequelize } from 'sequelize';
import { execute } from './statement.ts';

/** What a build cannot get past just now. */
export type BuildTrouble = {
  /** The activity that fails. */
  step: string;
  /** What its last try said. */
  message: string;
  /** Failed tries in a row. */
  tries: number;
  /** RFC 3339; when the first of them failed. */
  since: string;
};

const LONGEST_MESSAGE = 500;

/**
 * Notes on a build's row that a step of it fails and will be tried again. It says nothing of an attempt that was
 * retried since, or of a build that has ended.
 */
export async function noteTrouble(
  sequelize: Sequelize,
  { buildId, attempt }: { buildId: number; attempt: number },
  { step, message, tries }: Omit<BuildTrouble, 'since'>,
): Promise<void> {
  await execute(sequelize, {
    text: `UPDATE build SET trouble = $3::jsonb || jsonb_build_object('since',
             CASE WHEN trouble->>'step' = $3::jsonb->>'step' THEN trouble->>'since' ELSE $4 END)
           WHERE id = $1 AND attempt = $2 AND finished_at IS NULL`,
    values: [
      buildId,
      attempt,
      JSON.stringify({ step, message: message.slice(0, LONGEST_MESSAGE), tries }),
      new Date().toISOString(),
    ],
  });
}

/** Takes back what was noted, now that the step has succeeded. */
export async function clearTrouble(
  sequelize: Sequelize,
  { buildId, attempt }: { buildId: number; attempt: number },
): Promise<void> {
  await execute(sequelize, {
    text: 'UPDATE build SET trouble = NULL WHERE id = $1 AND attempt = $2 AND trouble IS NOT NULL',
    values: [buildId, attempt],
  });
}
