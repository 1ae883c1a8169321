import type { CommandContext } from '../command-context.ts';
import type { CheckedUpload } from './check-uploads.ts';
import { sizeText } from './upload-progress.ts';

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
          { head: 'SIGNED', cell: ({ changes }) => (changes.isSigned ? 'yes' : 'no') },
        ],
        '',
      ),
  });
  out.notice('Ready; nothing was sent.');
}
