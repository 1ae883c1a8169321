import { MERGE_PROPOSAL_STATUSES } from '../../domain/tickets/project.ts';
import { oneOf, reference, text } from '../rest/fields.ts';
import { gitBranch, gitRepository } from './git-fields.ts';
import { resource } from '../rest/declare-resource.ts';
import { branch } from './branch.ts';
import { person } from './person.ts';

export const mergeProposal = resource({
  name: 'mergeproposal',
  summary: "Somebody's proposal to merge a branch.",
  model: 'MergeProposal',
  fields: {
    branch: reference(branch, 'branchId', { help: 'The branch.' }),
    submitter: reference(person, 'submitterId', { help: 'The person or team who proposes it.' }),
    status: oneOf(MERGE_PROPOSAL_STATUSES, { help: 'How far it has come.' }),
    hosting_weblink: text({
      maxLength: 4096,
      default: '',
      help: 'The URL of its page where it is hosted.',
    }),
    source_repository: gitRepository({
      help: 'The http or https URL of the git repository with what is proposed; empty where it is not built here.',
    }),
    source_branch: gitBranch({ help: 'Its branch that is to be merged.' }),
    target_repository: gitRepository({
      help: 'The URL of the git repository that it is to be merged into.',
    }),
    target_branch: gitBranch({ help: 'Its branch that the source is made of once merged.' }),
    packaging_branch: gitBranch({
      help: 'The branch of the target repository with the folder debian; empty where the target branch itself has it.',
    }),
  },
  filters: ['branch', 'submitter', 'status'],
  orders: ['status'],
  writeScope: 'ticket:write',
  errors: { change: ['branch_busy', 'ticket_under_way'] },
});
