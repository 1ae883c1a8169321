import { MERGE_PROPOSAL_STATUSES } from '../../domain/project.ts';
import { oneOf, reference, text } from '../rest/fields.ts';
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
  },
  filters: ['branch', 'submitter', 'status'],
  orders: ['status'],
  writeScope: 'ticket:write',
});
