import { sizeText } from '../../domain/text/quantity-text.ts';
import type { CommandContext } from '../command-context.ts';
import type { CheckedUpload } from './check-uploads.ts';
import { shownKey } from './verify-signature.ts';

/** Who signed it, as far as that is known here. */
function signatureText({ signature }: CheckedUpload): string {
  if (!signature) return 'no';
  return signature.kind === 'good' ? `${signature.by} ${shownKey(signature.key)}` : 'not checked';
}

/** Shows what could be sent. */
export async function showReady(
  { out }: CommandContext,
  uploads: readonly CheckedUpload[],
): Promise<void> {
  const sizeOf = ({ files }: CheckedUpload) => files.reduce((sum, file) => sum + file.sizeBytes, 0);
  await out.show({
    json: {
      ready: uploads.map((upload) => ({
        source: upload.changes.source,
        version: upload.changes.version,
        signed: upload.changes.isSigned,
        signed_by:
          upload.signature?.kind === 'good'
            ? { key: upload.signature.key, name: upload.signature.by }
            : null,
        files: upload.files.map(({ name, sizeBytes, sha256 }) => ({
          name,
          size_bytes: sizeBytes,
          sha256,
        })),
      })),
    },
    quiet: uploads.map(({ changes }) => `${changes.source}_${changes.version}`),
    human: () =>
      out.table(
        uploads,
        [
          { head: 'SOURCE PACKAGE', cell: ({ changes }) => changes.source },
          { head: 'VERSION', cell: ({ changes }) => changes.version },
          { head: 'FILES', cell: ({ files }) => files.length },
          { head: 'SIZE', cell: (upload) => sizeText(sizeOf(upload)) },
          { head: 'SIGNED', cell: signatureText, isFlexible: true },
        ],
        '',
      ),
  });
  out.notice('Ready; nothing was sent.');
}
