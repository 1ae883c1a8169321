import type { Fullticket } from '../../api/openapi/contract.generated.ts';
import { emailAddressOf } from '../../domain/packages/source-package.ts';
import { usageError } from '../command-error.ts';
import type { ApiClient } from '../server/api-client.ts';
import type { CheckedUpload } from './check-uploads.ts';

/** What people say of a new ticket. */
export type TicketOptions = {
  title?: string;
  bug?: string;
  description?: string;
  owner?: string;
  assignee?: string;
};

/**
 * Makes a ticket with a subticket for each source package.
 *
 * @param urls where the files of each are
 */
export function makeTicket(
  api: Pick<ApiClient, 'write'>,
  uploads: readonly CheckedUpload[],
  urls: readonly (readonly string[])[],
  { owner, ...options }: TicketOptions & { owner: string },
): Promise<Fullticket> {
  return api.write<Fullticket>('POST', '/api/v1/ticket/bundle/', {
    owner,
    title: options.title ?? titleOf(uploads),
    description: options.description ?? '',
    bug_id: options.bug ?? '',
    subtickets: uploads.map(({ changes, files }, at) => ({
      assignee: options.assignee ?? owner,
      source_package_upload: {
        sourcepackage: { name: changes.source },
        version: changes.version,
      },
      artifacts: files.map(({ name }, file) => ({
        name,
        type: 'SPU',
        reference: urls[at]?.[file],
      })),
    })),
  });
}

/**
 * Whom the ticket of source packages belongs to where nobody says.
 *
 * @throws CommandError `usage` where they do not say it
 */
export function ownerOf(uploads: readonly CheckedUpload[]): string {
  const changedBy = uploads[0]?.changes.changedBy ?? '';
  const email = emailAddressOf(changedBy);
  if (email !== undefined) return email;
  throw usageError(
    `Changed-By, ${JSON.stringify(changedBy)}, has no e-mail address to own the ticket.`,
    'Give the owner with --owner.',
  );
}

function titleOf(uploads: readonly CheckedUpload[]): string {
  const names = uploads.map(({ changes }) => `${changes.source} ${changes.version}`);
  const [first = '', ...others] = names;
  return names.length <= 3 ? names.join(', ') : `${first} and ${others.length} others`;
}
