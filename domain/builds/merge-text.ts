import type { Merge } from './build-request.ts';

type Branches = Pick<
  Merge,
  'source_repository' | 'source_branch' | 'target_repository' | 'target_branch'
>;

/** As many digits as name a commit in all but the largest repositories. */
const DIGITS = 12;

/**
 * What is merged into what, in words: `fix into main of <URL>`; with commits
 * `<12 digits> of fix into <12 digits> of main of <URL>`. The repository of the proposed branch is named where it is
 * another than that of its target.
 *
 * @param commits those to name
 */
export function mergeText(
  { source_repository: from, target_repository: to, ...branches }: Branches,
  commits: { readonly source?: string | undefined; readonly target?: string | undefined } = {},
): string {
  const source = commitOf(commits.source, branches.source_branch);
  const target = commitOf(commits.target, branches.target_branch);
  return `${source}${from === to ? '' : ` of ${from}`} into ${target} of ${to}`;
}

function commitOf(commit: string | undefined, branch: string): string {
  return commit === undefined ? branch : `${commit.slice(0, DIGITS)} of ${branch}`;
}
