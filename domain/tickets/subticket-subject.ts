/** What a subticket stands for, as the full ticket has it. */
type Subject = {
  id: number;
  source_package_upload: { version: string; sourcepackage: { name: string } } | null;
  merge_proposal: { source_branch: string } | null;
};

/** What a subticket stands for, by name: its source package, or the branch of its proposal until that has one. */
export function nameOfSubject(subticket: Subject): string {
  const { source_package_upload: upload, merge_proposal: proposal } = subticket;
  if (upload) return upload.sourcepackage.name;
  return proposal?.source_branch ? `branch ${proposal.source_branch}` : `subticket ${subticket.id}`;
}
