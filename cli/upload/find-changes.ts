import { basename } from 'node:path';
import type { CommandContext } from '../command-context.ts';
import { preflightFailed } from './check-uploads.ts';
import { isAccessible } from './local-file.ts';
import { changesBeside, makeChanges, type MadeChanges } from './make-changes.ts';

/** How the `.changes` of a `.dsc` is signed where there is none yet. */
export type SignOptions = { signWith?: string; allowUnsigned?: boolean };

/** The `.changes` of each source package, and what was made of them for it. */
export type FoundChanges = {
  paths: string[];
  /** Puts what was made beside the `.dsc`s, and says so. */
  keep: () => Promise<void>;
  /** Removes the folders of what was made. */
  remove: () => Promise<void>;
};

/**
 * Finds the `.changes` of each source package that is given by its `.dsc`: the one beside it, or else one that is made.
 *
 * @throws CommandError `preflight_failed` where one can be neither found nor made; Interrupted. Nothing is left then
 */
export async function findChanges(
  { environment, out }: Pick<CommandContext, 'environment' | 'out'>,
  given: readonly string[],
  { signWith, allowUnsigned = false }: SignOptions,
): Promise<FoundChanges> {
  const made: { dsc: string; changes: MadeChanges }[] = [];
  const remove = async () => {
    for (const { changes } of made) await changes.remove();
  };
  const paths: string[] = [];
  const problems: string[] = [];
  for (const path of given) {
    if (!path.endsWith('.dsc')) paths.push(path);
    else if (await isAccessible(changesBeside(path))) {
      paths.push(changesBeside(path));
      out.notice(`${basename(path)}: ${basename(changesBeside(path))} beside it is submitted.`);
    } else if (signWith === undefined && !allowUnsigned)
      problems.push(`${path}: there is no ${basename(changesBeside(path))} beside it`);
    else {
      const changes = await makeChanges(environment, path, signWith).catch(
        async (error: unknown) => {
          await remove();
          throw error;
        },
      );
      if ('problems' in changes) problems.push(...changes.problems);
      else {
        made.push({ dsc: path, changes });
        paths.push(changes.path);
      }
    }
  }
  if (problems.length > 0) {
    await remove();
    throw preflightFailed(problems, hintFor(problems));
  }
  const keep = async () => {
    for (const { dsc, changes } of made) {
      await changes.keep();
      const names = signWith === undefined ? '' : `; both are signed with ${signWith}`;
      out.notice(`${basename(changesBeside(dsc))} was made beside ${basename(dsc)}${names}.`);
    }
  };
  return { paths, keep, remove };
}

function hintFor(problems: readonly string[]): string | undefined {
  if (problems.some((text) => text.endsWith('_source.changes beside it')))
    return '--sign-with <key> makes and signs one. If the server signs uploads itself, --allow-unsigned makes one without a signature.';
  if (problems.some((text) => text.includes('gpg did not sign it')))
    return '`gpg --list-secret-keys` shows the keys to sign with.';
  return undefined;
}
