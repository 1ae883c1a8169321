import type { Fullticket } from '../../api/openapi/contract.generated.ts';
import { emailAddressOf } from '../../domain/packages/source-package.ts';
import { shownPackage } from '../../domain/packages/source-file.ts';
import { shortened } from '../../domain/text/shortened.ts';
import { MAX_TITLE_LENGTH } from '../../domain/tickets/ticket.ts';
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

/** `hello 2.10-3, ed 1.20-1`; `hello 2.10-3 and 4 others` where that is too much for a title. */
function titleOf(uploads: readonly CheckedUpload[]): string {
  const names = uploads.map(({ changes }) => shownPackage(changes));
  const all = names.join(', ');
  if (names.length <= 3 && all.length <= MAX_TITLE_LENGTH) return all;
  const [first = '', ...others] = names;
  const count = others.length === 1 ? '1 other' : `${others.length} others`;
  const rest = others.length === 0 ? '' : ` and ${count}`;
  return shortened(first, MAX_TITLE_LENGTH - rest.length) + rest;
}
