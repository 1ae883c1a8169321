// The types of what the API is sent and answers, made of its OpenAPI document by `npm run docs:api`.

export type UpdateticketstatusChange = {
  [k: string]: unknown;
};
export type UpdatesubticketstatusChange = {
  [k: string]: unknown;
};

export interface Error {
  error: string;
  /**
   * A code of the catalogue in docs/errors.md.
   */
  code: string;
  hint: string;
  fields?: {
    [k: string]: string[];
  };
}
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  /**
   * A code of the catalogue in docs/errors.md.
   */
  code: string;
  hint: string;
  retryable: boolean;
  errors?: {
    [k: string]: string[];
  };
}
export interface Fault {
  error_message: string;
  /**
   * A code of the catalogue in docs/errors.md.
   */
  code: string;
  hint: string;
}
export interface PageMeta {
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  total_count: number;
}
export interface Ticket {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * E-mail address of who submitted it.
   */
  owner: string;
  /**
   * What it is, in a line.
   */
  title: string;
  /**
   * The objective.
   */
  description: string;
  /**
   * The bug that it fixes.
   */
  bug_id: string;
  /**
   * A value of the step table; a new ticket is at 100, Queued.
   */
  current_workflow_step: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * A value of the step table.
   */
  status: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface TicketErrors {
  ticket: {
    [k: string]: string[];
  };
}
export interface ResourceSchema {
  allowed_detail_http_methods: string[];
  allowed_list_http_methods: string[];
  default_format: string;
  default_limit: number;
  fields: {
    [k: string]: {
      type: string;
      help_text: string;
      [k: string]: unknown;
    };
  };
  filtering: {
    [k: string]: number;
  };
  ordering: string[];
  [k: string]: unknown;
}
export interface TicketCreation {
  /**
   * E-mail address of who submitted it.
   */
  owner: string;
  /**
   * What it is, in a line.
   */
  title: string | number | boolean;
  /**
   * The objective.
   */
  description?: string | number | boolean;
  /**
   * The bug that it fixes.
   */
  bug_id?: string | number | boolean;
  /**
   * Why step or status change; the history keeps it.
   */
  reason?: string | null;
  [k: string]: unknown;
}
export interface TicketPut {
  /**
   * E-mail address of who submitted it.
   */
  owner?: string;
  /**
   * What it is, in a line.
   */
  title?: string | number | boolean;
  /**
   * The objective.
   */
  description?: string | number | boolean;
  /**
   * The bug that it fixes.
   */
  bug_id?: string | number | boolean;
  /**
   * Why step or status change; the history keeps it.
   */
  reason?: string | null;
  /**
   * A value of the step table; a new ticket is at 100, Queued.
   */
  current_workflow_step?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * A value of the step table.
   */
  status?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  [k: string]: unknown;
}
export interface TicketChange {
  /**
   * E-mail address of who submitted it.
   */
  owner?: string;
  /**
   * What it is, in a line.
   */
  title?: string | number | boolean;
  /**
   * The objective.
   */
  description?: string | number | boolean;
  /**
   * The bug that it fixes.
   */
  bug_id?: string | number | boolean;
  /**
   * A value of the step table; a new ticket is at 100, Queued.
   */
  current_workflow_step?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * A value of the step table.
   */
  status?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * Why step or status change; the history keeps it.
   */
  reason?: string | null;
  [k: string]: unknown;
}
export interface Subticket {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * The upload that it stands for; it keeps it for life.
   */
  source_package_upload: string;
  /**
   * The ticket that it belongs to, for life.
   */
  ticket: string;
  /**
   * E-mail address of who works on it.
   */
  assignee: string;
  /**
   * A value of the step table; a new subticket is at 100, Queued.
   */
  current_workflow_step: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * A value of the step table.
   */
  status: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * The subticket that was added in its place after it had failed.
   */
  replaced_by: string | null;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface SubticketErrors {
  subticket: {
    [k: string]: string[];
  };
}
export interface SubticketCreation {
  /**
   * The upload that it stands for; it keeps it for life.
   */
  source_package_upload:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * The ticket that it belongs to, for life.
   */
  ticket:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * E-mail address of who works on it.
   */
  assignee?: string;
  /**
   * Why step or status change; the history keeps it.
   */
  reason?: string | null;
  [k: string]: unknown;
}
export interface SubticketPut {
  /**
   * The upload that it stands for; it keeps it for life.
   */
  source_package_upload?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * The ticket that it belongs to, for life.
   */
  ticket?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * E-mail address of who works on it.
   */
  assignee?: string;
  /**
   * Why step or status change; the history keeps it.
   */
  reason?: string | null;
  /**
   * A value of the step table; a new subticket is at 100, Queued.
   */
  current_workflow_step?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * A value of the step table.
   */
  status?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  [k: string]: unknown;
}
export interface SubticketChange {
  /**
   * E-mail address of who works on it.
   */
  assignee?: string;
  /**
   * A value of the step table; a new subticket is at 100, Queued.
   */
  current_workflow_step?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * A value of the step table.
   */
  status?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * Why step or status change; the history keeps it.
   */
  reason?: string | null;
  [k: string]: unknown;
}
export interface Sourcepackage {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * Its name; there is one of each.
   */
  name: string;
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface SourcepackageErrors {
  sourcepackage: {
    [k: string]: string[];
  };
}
export interface SourcepackageCreation {
  /**
   * Its name; there is one of each.
   */
  name: string | number | boolean;
  [k: string]: unknown;
}
export interface SourcepackagePut {
  /**
   * Its name; there is one of each.
   */
  name?: string | number | boolean;
  [k: string]: unknown;
}
export interface SourcepackageChange {
  /**
   * Its name; there is one of each.
   */
  name?: string | number | boolean;
  [k: string]: unknown;
}
export interface Spu {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * The source package.
   */
  sourcepackage: string;
  /**
   * Its version, as the changelog has it.
   */
  version: string;
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface SpuErrors {
  spu: {
    [k: string]: string[];
  };
}
export interface SpuCreation {
  /**
   * The source package.
   */
  sourcepackage:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its version, as the changelog has it.
   */
  version: string | number | boolean;
  [k: string]: unknown;
}
export interface SpuPut {
  /**
   * The source package.
   */
  sourcepackage?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its version, as the changelog has it.
   */
  version?: string | number | boolean;
  [k: string]: unknown;
}
export interface SpuChange {
  /**
   * The source package.
   */
  sourcepackage?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its version, as the changelog has it.
   */
  version?: string | number | boolean;
  [k: string]: unknown;
}
export interface SourcepackageuploadErrors {
  sourcepackageupload: {
    [k: string]: string[];
  };
}
export interface Ticketartifact {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * What it is called.
   */
  name: string;
  /**
   * The ticket that it belongs to.
   */
  ticket: string;
  /**
   * Its URL.
   */
  reference: string;
  /**
   * What kind of file it is.
   */
  type: 'RESULTS' | 'LOGS' | 'IMAGE';
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface TicketartifactErrors {
  ticketartifact: {
    [k: string]: string[];
  };
}
export interface TicketartifactCreation {
  /**
   * What it is called.
   */
  name: string | number | boolean;
  /**
   * The ticket that it belongs to.
   */
  ticket:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its URL.
   */
  reference: string | number | boolean;
  /**
   * What kind of file it is.
   */
  type: 'RESULTS' | 'LOGS' | 'IMAGE';
  [k: string]: unknown;
}
export interface TicketartifactPut {
  /**
   * What it is called.
   */
  name?: string | number | boolean;
  /**
   * The ticket that it belongs to.
   */
  ticket?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its URL.
   */
  reference?: string | number | boolean;
  /**
   * What kind of file it is.
   */
  type?: 'RESULTS' | 'LOGS' | 'IMAGE';
  [k: string]: unknown;
}
export interface TicketartifactChange {
  /**
   * What it is called.
   */
  name?: string | number | boolean;
  /**
   * The ticket that it belongs to.
   */
  ticket?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its URL.
   */
  reference?: string | number | boolean;
  /**
   * What kind of file it is.
   */
  type?: 'RESULTS' | 'LOGS' | 'IMAGE';
  [k: string]: unknown;
}
export interface Subticketartifact {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * What it is called.
   */
  name: string;
  /**
   * The subticket that it belongs to.
   */
  subticket: string;
  /**
   * Its URL.
   */
  reference: string;
  /**
   * What kind of file it is.
   */
  type: 'SPU' | 'RESULTS' | 'LOGS';
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface SubticketartifactErrors {
  subticketartifact: {
    [k: string]: string[];
  };
}
export interface SubticketartifactCreation {
  /**
   * What it is called.
   */
  name: string | number | boolean;
  /**
   * The subticket that it belongs to.
   */
  subticket:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its URL.
   */
  reference: string | number | boolean;
  /**
   * What kind of file it is.
   */
  type: 'SPU' | 'RESULTS' | 'LOGS';
  [k: string]: unknown;
}
export interface SubticketartifactPut {
  /**
   * What it is called.
   */
  name?: string | number | boolean;
  /**
   * The subticket that it belongs to.
   */
  subticket?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its URL.
   */
  reference?: string | number | boolean;
  /**
   * What kind of file it is.
   */
  type?: 'SPU' | 'RESULTS' | 'LOGS';
  [k: string]: unknown;
}
export interface SubticketartifactChange {
  /**
   * What it is called.
   */
  name?: string | number | boolean;
  /**
   * The subticket that it belongs to.
   */
  subticket?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its URL.
   */
  reference?: string | number | boolean;
  /**
   * What kind of file it is.
   */
  type?: 'SPU' | 'RESULTS' | 'LOGS';
  [k: string]: unknown;
}
export interface Person {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * The name.
   */
  name: string;
  /**
   * The e-mail address.
   */
  email: string;
  /**
   * Whether it is a team; True and False are taken.
   */
  is_team: boolean;
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface PersonErrors {
  person: {
    [k: string]: string[];
  };
}
export interface PersonCreation {
  /**
   * The name.
   */
  name: string | number | boolean;
  /**
   * The e-mail address.
   */
  email: string;
  /**
   * Whether it is a team; True and False are taken.
   */
  is_team?: boolean | ('True' | 'False' | 'true' | 'false' | '1' | '0') | (0 | 1);
  [k: string]: unknown;
}
export interface PersonPut {
  /**
   * The name.
   */
  name?: string | number | boolean;
  /**
   * The e-mail address.
   */
  email?: string;
  /**
   * Whether it is a team; True and False are taken.
   */
  is_team?: boolean | ('True' | 'False' | 'true' | 'false' | '1' | '0') | (0 | 1);
  [k: string]: unknown;
}
export interface PersonChange {
  /**
   * The name.
   */
  name?: string | number | boolean;
  /**
   * The e-mail address.
   */
  email?: string;
  /**
   * Whether it is a team; True and False are taken.
   */
  is_team?: boolean | ('True' | 'False' | 'true' | 'false' | '1' | '0') | (0 | 1);
  [k: string]: unknown;
}
export interface Project {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * Its name.
   */
  name: string;
  /**
   * Its name as people read it.
   */
  display_name: string;
  /**
   * The person or team who maintains it.
   */
  maintainer: string;
  /**
   * The person or team to ask about it.
   */
  contact: string;
  /**
   * What it is.
   */
  description: string;
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface ProjectErrors {
  project: {
    [k: string]: string[];
  };
}
export interface ProjectCreation {
  /**
   * Its name.
   */
  name: string | number | boolean;
  /**
   * Its name as people read it.
   */
  display_name: string | number | boolean;
  /**
   * The person or team who maintains it.
   */
  maintainer:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * The person or team to ask about it.
   */
  contact:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * What it is.
   */
  description?: string | number | boolean;
  [k: string]: unknown;
}
export interface ProjectPut {
  /**
   * Its name.
   */
  name?: string | number | boolean;
  /**
   * Its name as people read it.
   */
  display_name?: string | number | boolean;
  /**
   * The person or team who maintains it.
   */
  maintainer?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * The person or team to ask about it.
   */
  contact?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * What it is.
   */
  description?: string | number | boolean;
  [k: string]: unknown;
}
export interface ProjectChange {
  /**
   * Its name.
   */
  name?: string | number | boolean;
  /**
   * Its name as people read it.
   */
  display_name?: string | number | boolean;
  /**
   * The person or team who maintains it.
   */
  maintainer?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * The person or team to ask about it.
   */
  contact?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * What it is.
   */
  description?: string | number | boolean;
  [k: string]: unknown;
}
export interface Branch {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * Its full name, as ~owner/project/name.
   */
  unique_name: string;
  /**
   * The person or team that it belongs to.
   */
  owner: string;
  /**
   * What it is for.
   */
  type: 'trunk' | 'development' | 'maintenance' | 'regular';
  /**
   * Its project, or null.
   */
  project: string | null;
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface BranchErrors {
  branch: {
    [k: string]: string[];
  };
}
export interface BranchCreation {
  /**
   * Its full name, as ~owner/project/name.
   */
  unique_name: string | number | boolean;
  /**
   * The person or team that it belongs to.
   */
  owner:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * What it is for.
   */
  type: 'trunk' | 'development' | 'maintenance' | 'regular';
  /**
   * Its project, or null.
   */
  project?:
    | (
        | string
        | {
            [k: string]: unknown;
          }
      )
    | null;
  [k: string]: unknown;
}
export interface BranchPut {
  /**
   * Its full name, as ~owner/project/name.
   */
  unique_name?: string | number | boolean;
  /**
   * The person or team that it belongs to.
   */
  owner?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * What it is for.
   */
  type?: 'trunk' | 'development' | 'maintenance' | 'regular';
  /**
   * Its project, or null.
   */
  project?:
    | (
        | string
        | {
            [k: string]: unknown;
          }
      )
    | null;
  [k: string]: unknown;
}
export interface BranchChange {
  /**
   * Its full name, as ~owner/project/name.
   */
  unique_name?: string | number | boolean;
  /**
   * The person or team that it belongs to.
   */
  owner?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * What it is for.
   */
  type?: 'trunk' | 'development' | 'maintenance' | 'regular';
  /**
   * Its project, or null.
   */
  project?:
    | (
        | string
        | {
            [k: string]: unknown;
          }
      )
    | null;
  [k: string]: unknown;
}
export interface Mergeproposal {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * The branch.
   */
  branch: string;
  /**
   * The person or team who proposes it.
   */
  submitter: string;
  /**
   * How far it has come.
   */
  status: 'work_in_progress' | 'needs_review' | 'approved' | 'rejected' | 'merged';
  /**
   * The URL of its page where it is hosted.
   */
  hosting_weblink: string;
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface MergeproposalErrors {
  mergeproposal: {
    [k: string]: string[];
  };
}
export interface MergeproposalCreation {
  /**
   * The branch.
   */
  branch:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * The person or team who proposes it.
   */
  submitter:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * How far it has come.
   */
  status: 'work_in_progress' | 'needs_review' | 'approved' | 'rejected' | 'merged';
  /**
   * The URL of its page where it is hosted.
   */
  hosting_weblink?: string | number | boolean;
  [k: string]: unknown;
}
export interface MergeproposalPut {
  /**
   * The branch.
   */
  branch?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * The person or team who proposes it.
   */
  submitter?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * How far it has come.
   */
  status?: 'work_in_progress' | 'needs_review' | 'approved' | 'rejected' | 'merged';
  /**
   * The URL of its page where it is hosted.
   */
  hosting_weblink?: string | number | boolean;
  [k: string]: unknown;
}
export interface MergeproposalChange {
  /**
   * The branch.
   */
  branch?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * The person or team who proposes it.
   */
  submitter?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * How far it has come.
   */
  status?: 'work_in_progress' | 'needs_review' | 'approved' | 'rejected' | 'merged';
  /**
   * The URL of its page where it is hosted.
   */
  hosting_weblink?: string | number | boolean;
  [k: string]: unknown;
}
export interface Testsuite {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface TestsuiteErrors {
  testsuite: {
    [k: string]: string[];
  };
}
export interface TestsuiteCreation {
  [k: string]: unknown;
}
export interface TestsuitePut {
  [k: string]: unknown;
}
export interface TestsuiteChange {
  [k: string]: unknown;
}
export interface TestsuitesErrors {
  testsuites: {
    [k: string]: string[];
  };
}
export interface Binarypackage {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * Its name; there is one of each.
   */
  name: string;
  /**
   * The source package that it is built from.
   */
  sourcepackage: string;
  /**
   * Its version, empty where it is not known.
   */
  version: string;
  /**
   * Whether a seed of the distribution names it.
   */
  seeded: boolean;
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface BinarypackageErrors {
  binarypackage: {
    [k: string]: string[];
  };
}
export interface BinarypackageCreation {
  /**
   * Its name; there is one of each.
   */
  name: string | number | boolean;
  /**
   * The source package that it is built from.
   */
  sourcepackage:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its version, empty where it is not known.
   */
  version?: string | number | boolean;
  /**
   * Whether a seed of the distribution names it.
   */
  seeded?: boolean | ('True' | 'False' | 'true' | 'false' | '1' | '0') | (0 | 1);
  [k: string]: unknown;
}
export interface BinarypackagePut {
  /**
   * Its name; there is one of each.
   */
  name?: string | number | boolean;
  /**
   * The source package that it is built from.
   */
  sourcepackage?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its version, empty where it is not known.
   */
  version?: string | number | boolean;
  /**
   * Whether a seed of the distribution names it.
   */
  seeded?: boolean | ('True' | 'False' | 'true' | 'false' | '1' | '0') | (0 | 1);
  [k: string]: unknown;
}
export interface BinarypackageChange {
  /**
   * Its name; there is one of each.
   */
  name?: string | number | boolean;
  /**
   * The source package that it is built from.
   */
  sourcepackage?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Its version, empty where it is not known.
   */
  version?: string | number | boolean;
  /**
   * Whether a seed of the distribution names it.
   */
  seeded?: boolean | ('True' | 'False' | 'true' | 'false' | '1' | '0') | (0 | 1);
  [k: string]: unknown;
}
export interface Opentickets {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * E-mail address of who submitted it.
   */
  owner: string;
  /**
   * What it is, in a line.
   */
  title: string;
  /**
   * The objective.
   */
  description: string;
  /**
   * The bug that it fixes.
   */
  bug_id: string;
  /**
   * A value of the step table; a new ticket is at 100, Queued.
   */
  current_workflow_step: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * A value of the step table.
   */
  status: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface OpenticketsErrors {
  opentickets: {
    [k: string]: string[];
  };
}
export interface Ticketstatus {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * E-mail address of who submitted it.
   */
  owner: string;
  /**
   * What it is, in a line.
   */
  title: string;
  /**
   * The objective.
   */
  description: string;
  /**
   * The bug that it fixes.
   */
  bug_id: string;
  /**
   * A value of the step table; a new ticket is at 100, Queued.
   */
  current_workflow_step: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * A value of the step table.
   */
  status: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface TicketstatusErrors {
  ticketstatus: {
    [k: string]: string[];
  };
}
export interface ArchitectureBuild {
  package: string;
  version: string;
  architecture: string;
  /**
   * Launchpad's word
   */
  buildstate: string;
  state: string;
  web_link: string;
  /**
   * When the PPA began to build it.
   */
  started_at?: string | null;
  /**
   * When the PPA was done with it.
   */
  built_at?: string | null;
  /**
   * What it waits for, in a Dependency wait that says so.
   */
  dependencies?: string;
}
export interface Failure {
  class: string;
  retryable: boolean;
  message: string;
  hint: string;
  package?: string;
  architecture?: string;
  excerpt?: string;
  /**
   * The line of the log that the excerpt begins with, from 1.
   */
  excerpt_line?: number;
  line?: number;
}
export interface Trouble {
  step: string;
  message: string;
  tries: number;
  since: string;
}
export interface Build {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * The ticket that it builds.
   */
  ticket: string;
  /**
   * The id of the ticket.
   */
  ticket_id: number;
  /**
   * URLs of the source files.
   */
  source_packages: string[];
  /**
   * The names of its source packages.
   */
  packages: string[];
  /**
   * The series that it is built for.
   */
  series: string;
  /**
   * The PPA, as the caller wrote it.
   */
  ppa: string;
  /**
   * The distribution's archive that the PPA builds against.
   */
  archive: string;
  /**
   * The caller's progress queue.
   */
  progress_trigger: string;
  /**
   * The caller's cancel URL.
   */
  cancel_url: string | null;
  /**
   * Where it stands.
   */
  state: string;
  /**
   * What the PPA builds: one entry for each package and architecture.
   */
  builds: ArchitectureBuild[];
  /**
   * URLs of the build logs.
   */
  logs: string[];
  /**
   * Why it failed.
   */
  failure: Failure | null;
  /**
   * The attempt that the row tells of; each retry is one more.
   */
  attempt: number;
  /**
   * When the attempt was asked for.
   */
  requested_at: string;
  /**
   * Who asked for the attempt.
   */
  requested_by: string | null;
  /**
   * What it cannot get past just now, and tries again.
   */
  trouble: Trouble | null;
  /**
   * The request that was accepted.
   */
  request_id: string | null;
  /**
   * When its workflow was started.
   */
  dispatched_at: string | null;
  /**
   * When its cancellation was asked for.
   */
  cancel_requested_at: string | null;
  /**
   * Who asked for its cancellation.
   */
  cancel_requested_by: string | null;
  /**
   * When it ended.
   */
  finished_at: string | null;
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Where its events are.
   */
  events: string;
  /**
   * Where its attempts are.
   */
  attempts: string;
  /**
   * The id of its workflow in Temporal.
   */
  workflow_id: string;
  /**
   * The page of its workflow in Temporal's UI.
   */
  workflow_url: string | null;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface Fullticket {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * E-mail address of who submitted it.
   */
  owner: string;
  /**
   * What it is, in a line.
   */
  title: string;
  /**
   * The objective.
   */
  description: string;
  /**
   * The bug that it fixes.
   */
  bug_id: string;
  /**
   * A value of the step table; a new ticket is at 100, Queued.
   */
  current_workflow_step: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * A value of the step table.
   */
  status: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
  artifacts: Ticketartifact[];
  subtickets: {
    /**
     * The id, given by the server.
     */
    id: number;
    source_package_upload: {
      /**
       * The id, given by the server.
       */
      id: number;
      sourcepackage: Sourcepackage;
      /**
       * Its version, as the changelog has it.
       */
      version: string;
      /**
       * When it was added.
       */
      created_at: string;
      /**
       * When it was last changed.
       */
      updated_at: string;
      /**
       * Its address.
       */
      resource_uri: string;
    };
    /**
     * The ticket that it belongs to, for life.
     */
    ticket: string;
    /**
     * E-mail address of who works on it.
     */
    assignee: string;
    /**
     * A value of the step table; a new subticket is at 100, Queued.
     */
    current_workflow_step: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
    /**
     * A value of the step table.
     */
    status: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
    /**
     * When it was added.
     */
    created_at: string;
    /**
     * When it was last changed.
     */
    updated_at: string;
    /**
     * The subticket that was added in its place after it had failed.
     */
    replaced_by: string | null;
    /**
     * Its address.
     */
    resource_uri: string;
    artifacts: Subticketartifact[];
  }[];
  builds: Build[];
}
export interface UpdateticketstatusChange1 {
  /**
   * A value of the step table; a new ticket is at 100, Queued.
   */
  current_workflow_step?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * A value of the step table.
   */
  status?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * Why step or status change; the history keeps it.
   */
  reason?: string | null;
  [k: string]: unknown;
}
export interface Updateticketstatus {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * E-mail address of who submitted it.
   */
  owner: string;
  /**
   * What it is, in a line.
   */
  title: string;
  /**
   * The objective.
   */
  description: string;
  /**
   * The bug that it fixes.
   */
  bug_id: string;
  /**
   * A value of the step table; a new ticket is at 100, Queued.
   */
  current_workflow_step: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * A value of the step table.
   */
  status: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface UpdateticketstatusErrors {
  updateticketstatus: {
    [k: string]: string[];
  };
}
export interface UpdatesubticketstatusChange1 {
  /**
   * A value of the step table; a new subticket is at 100, Queued.
   */
  current_workflow_step?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * A value of the step table.
   */
  status?:
    | ('100' | '200' | '300' | '400' | '500' | '999' | '1000')
    | (100 | 200 | 300 | 400 | 500 | 999 | 1000);
  /**
   * Why step or status change; the history keeps it.
   */
  reason?: string | null;
  [k: string]: unknown;
}
export interface Updatesubticketstatus {
  /**
   * The id, given by the server.
   */
  id: number;
  /**
   * The upload that it stands for; it keeps it for life.
   */
  source_package_upload: string;
  /**
   * The ticket that it belongs to, for life.
   */
  ticket: string;
  /**
   * E-mail address of who works on it.
   */
  assignee: string;
  /**
   * A value of the step table; a new subticket is at 100, Queued.
   */
  current_workflow_step: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * A value of the step table.
   */
  status: '100' | '200' | '300' | '400' | '500' | '999' | '1000';
  /**
   * When it was added.
   */
  created_at: string;
  /**
   * When it was last changed.
   */
  updated_at: string;
  /**
   * The subticket that was added in its place after it had failed.
   */
  replaced_by: string | null;
  /**
   * Its address.
   */
  resource_uri: string;
}
export interface UpdatesubticketstatusErrors {
  updatesubticketstatus: {
    [k: string]: string[];
  };
}
export interface BinarypackageImportEntry {
  /**
   * Its name; there is one of each.
   */
  name: string | number | boolean;
  /**
   * The name of its source package, which is added where there is none.
   */
  sourcepackage: string | number | boolean;
  /**
   * Its version.
   */
  version: string | number | boolean;
  /**
   * Whether a seed of the distribution names it. Absent: as it is, false for a new one.
   */
  seeded?: (boolean | ('True' | 'False' | 'true' | 'false' | '1' | '0') | (0 | 1)) | null;
  [k: string]: unknown;
}
export interface BinarypackageImportCounts {
  created: number;
  updated: number;
  unchanged: number;
}
export interface StatusChange {
  /**
   * Its place in the ticket's chain, which has the subtickets' changes, too.
   */
  seq: number;
  ticket: string;
  subticket: string | null;
  from_step: string;
  to_step: string;
  from_status: string;
  to_status: string;
  /**
   * Who made the change.
   */
  actor: string;
  reason: string;
  request_id: string | null;
  created_at: string;
  /**
   * SHA-256 over the change before it in the chain and this one.
   */
  hash: string;
}
export interface BuildErrors {
  build: {
    [k: string]: string[];
  };
}
export interface ProgressMessage {
  state: 'WAITING' | 'STATUS' | 'COMPLETED' | 'FAILED';
  message: 'STARTED' | 'INPROGRESS' | 'COMPLETE' | 'FAILURE';
  source_packages: string[];
  ppa: string;
  progress_trigger: string;
  seq: number;
  build_id: number;
  attempt: number;
  ticket_id: number;
  timestamp: string;
  builds: ArchitectureBuild[];
  exit?: true;
  logs?: string[];
  failure?: Failure;
}
export interface RetryRequest {
  /**
   * What is built again: the architectures that failed. There is no other choice.
   */
  only?: 'failed';
}
export interface Attempt {
  attempt: number;
  requested_at: string;
  requested_by: string | null;
  dispatched_at: string | null;
  cancel_requested_at: string | null;
  cancel_requested_by: string | null;
  state: string;
  builds: ArchitectureBuild[];
  logs: string[];
  failure: Failure | null;
  /**
   * The seq of its latest event.
   */
  last_seq: number;
  finished_at: string | null;
  workflow_id: string;
  workflow_url: string | null;
}
export interface WorkflowHistory {
  /**
   * Temporal's events as proto JSON.
   */
  events: {
    eventId: string;
    eventType: string;
    [k: string]: unknown;
  }[];
}
export interface PackageStatistics {
  name: string;
  /**
   * The source package; null where only builds know it.
   */
  sourcepackage: string | null;
  /**
   * Of the latest build, or before the first one, of the latest upload.
   */
  latest_version: string | null;
  /**
   * Builds that have ended; each architecture of each attempt is one.
   */
  builds: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  /**
   * From 0 to 1, of those that were not cancelled; null: there are none.
   */
  success_rate: number | null;
  /**
   * Of the latest successful builds, at most 500; null: there are none.
   */
  median_build_ms: number | null;
  last_build_at: string | null;
}
export interface BuildRecord {
  build: string;
  attempt: number;
  version: string;
  series: string;
  ppa: string;
  architecture: string;
  state: 'completed' | 'failed' | 'cancelled';
  /**
   * Null where the PPA has not said.
   */
  duration_ms: number | null;
  /**
   * When the attempt ended.
   */
  finished_at: string;
}
export interface PackageHistory {
  name: string;
  /**
   * The source package; null where only builds know it.
   */
  sourcepackage: string | null;
  /**
   * Of the latest build, or before the first one, of the latest upload.
   */
  latest_version: string | null;
  /**
   * Builds that have ended; each architecture of each attempt is one.
   */
  builds: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  /**
   * From 0 to 1, of those that were not cancelled; null: there are none.
   */
  success_rate: number | null;
  /**
   * Of the latest successful builds, at most 500; null: there are none.
   */
  median_build_ms: number | null;
  last_build_at: string | null;
  /**
   * The latest builds, at most 500, the latest first.
   */
  history: BuildRecord[];
}
export interface ExpectedDuration {
  package: string;
  architecture: string;
  /**
   * The median of the latest successful builds, at most 20; null: there is none.
   */
  median_ms: number | null;
  /**
   * How many it is the median of.
   */
  builds: number;
}
export interface HourOfBuilds {
  from: string;
  /**
   * Attempts that were asked for.
   */
  accepted: number;
  /**
   * Attempts that ended so.
   */
  completed: number;
  /**
   * Attempts that ended so, but for the cancelled.
   */
  failed: number;
  cancelled: number;
  /**
   * Of what the PPA has built, each architecture by itself.
   */
  median_build_ms: number | null;
}
export interface StatusHistory {
  /**
   * 24 hours, the oldest first; the last one is under way.
   */
  hours: HourOfBuilds[];
}
export interface TokenSelf {
  name: string;
  scopes: ('read' | 'ticket:write' | 'build:write' | 'admin')[];
  expires_at: string | null;
  resource_uri: string | null;
}
export interface Token {
  id: number;
  resource_uri: string;
  name: string;
  scopes: ('read' | 'ticket:write' | 'build:write' | 'admin')[];
  created_at: string;
  created_by: string;
  expires_at: string;
  revoked_at: string | null;
  revoked_by: string | null;
  /**
   * Up to a minute late.
   */
  last_used_at: string | null;
}
export interface TokenCreation {
  /**
   * The actor in every history. Unique among the tokens that are not revoked.
   */
  name: string;
  /**
   * @minItems 1
   * @maxItems 4
   */
  scopes:
    | ['read' | 'ticket:write' | 'build:write' | 'admin']
    | [
        'read' | 'ticket:write' | 'build:write' | 'admin',
        'read' | 'ticket:write' | 'build:write' | 'admin',
      ]
    | [
        'read' | 'ticket:write' | 'build:write' | 'admin',
        'read' | 'ticket:write' | 'build:write' | 'admin',
        'read' | 'ticket:write' | 'build:write' | 'admin',
      ]
    | [
        'read' | 'ticket:write' | 'build:write' | 'admin',
        'read' | 'ticket:write' | 'build:write' | 'admin',
        'read' | 'ticket:write' | 'build:write' | 'admin',
        'read' | 'ticket:write' | 'build:write' | 'admin',
      ];
  /**
   * Absent: after AIRLINE_TOKEN_LIFETIME_MS.
   */
  expires_at?: string | null;
}
export interface IssuedToken {
  id: number;
  resource_uri: string;
  name: string;
  scopes: ('read' | 'ticket:write' | 'build:write' | 'admin')[];
  created_at: string;
  created_by: string;
  expires_at: string;
  revoked_at: string | null;
  revoked_by: string | null;
  /**
   * Up to a minute late.
   */
  last_used_at: string | null;
  /**
   * What the caller sends. It is shown only now.
   */
  token: string;
}
export interface Session {
  /**
   * off: everybody may do everything, and nobody signs in.
   */
  authentication: 'off' | 'token';
  /**
   * Whose token it is; null: nobody has one.
   */
  name: string | null;
  /**
   * What the caller may do.
   */
  scopes: ('read' | 'ticket:write' | 'build:write' | 'admin')[];
  /**
   * When the token ends.
   */
  expires_at: string | null;
}
export interface SignIn {
  token: string;
}
export interface PartHealth {
  healthy: boolean;
  latency_ms: number;
  error?: string;
}
export interface Health {
  database: PartHealth;
  temporal: PartHealth;
  broker: PartHealth;
}
export interface Readiness {
  ready: boolean;
  health: Health;
}
export interface Status {
  worker_queues:
    | {
        name: string;
        kind: 'workflow' | 'activity';
        pollers: {
          identity: string;
          last_access_at: string | null;
        }[];
        backlog: number;
        busy: boolean;
      }[]
    | null;
  worker_queues_error?: string;
  builds: {
    [k: string]: number;
  } | null;
  dispatch: {
    backlog: number;
    oldest_age_ms: number | null;
  } | null;
  unpublished_events: number | null;
  /**
   * The builds that do not get on, and why: the 20 that wait longest.
   */
  waiting:
    | {
        build: string;
        state: string;
        cancel_requested_at: string | null;
        builds: ArchitectureBuild[];
        since: string;
        why: string;
      }[]
    | null;
  /**
   * How many do not get on.
   */
  waiting_total: number | null;
  health: Health;
}
export interface StoredFile {
  url: string;
  size_bytes: number;
  sha256: string;
}
