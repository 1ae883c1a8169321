import type { Sequelize } from 'sequelize';
import { printable } from '../domain/printable.ts';
import { execute } from './statement.ts';

/** What a build cannot get past just now. */
export type BuildTrouble = {
  /** The activity that fails. */
  step: string;
  /** What its last try said. */
  message: string;
  /** Its tries so far. */
  tries: number;
  /** RFC 3339; when the first of them failed. */
  since: string;
};

const MAX_MESSAGE_LENGTH = 500;

/** Notes on a build's row that a step of it fails and will be tried again. A build that has ended stays as it is. */
export async function noteTrouble(
  sequelize: Sequelize,
  buildId: number,
  { step, message, tries }: Omit<BuildTrouble, 'since'>,
): Promise<void> {
  await execute(sequelize, {
    text: `UPDATE build SET trouble = $2::jsonb || jsonb_build_object('since',
             CASE WHEN trouble->>'step' = $2::jsonb->>'step' THEN trouble->>'since' ELSE $3::text END)
           WHERE id = $1 AND finished_at IS NULL`,
    values: [
      buildId,
      JSON.stringify({ step, message: printable(message.slice(0, MAX_MESSAGE_LENGTH)), tries }),
      new Date().toISOString(),
    ],
  });
}

/** Takes back what was noted, now that the step has succeeded. */
export async function clearTrouble(sequelize: Sequelize, buildId: number): Promise<void> {
  await execute(sequelize, {
    text: 'UPDATE build SET trouble = NULL WHERE id = $1 AND trouble IS NOT NULL',
    values: [buildId],
  });
}
