import type { UploadCheck } from '../../api/openapi/contract.generated.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError, Interrupted } from '../command-error.ts';
import { EXIT } from '../exit-code.ts';
import type { CheckedUpload } from './check-uploads.ts';

/** The server gives itself 20 s to ask the PPA. */
const ANSWER_MS = 30_000;

/**
 * Has the server ask the PPA whether it would take the uploads. Where it cannot, people are told, and it goes on: the
 * build service asks again before it uploads.
 *
 * @throws CommandError `preflight_failed` with a line for each problem; what the server says of a wrong PPA or series,
 * and of a token that may not build there, or not name the queue
 */
export async function assertTakenByPpa(
  { api, out }: CommandContext,
  uploads: readonly CheckedUpload[],
  target: {
    ppa: string;
    archive: string | undefined;
    series: string;
    /** That the build or landing would name, or what its name begins with. */
    queue: string | null | undefined;
  },
): Promise<void> {
  const { queue, ...place } = target;
  const packages = uploads.map(described);
  const body = JSON.stringify({ ...place, progress_trigger: queue, packages });
  let problems: UploadCheck['problems'];
  try {
    const { value } = await api.json<UploadCheck>('/api/v1/check_upload', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: () => body,
      maxTries: 1,
      answerMs: ANSWER_MS,
    });
    ({ problems } = value);
  } catch (error) {
    if (!(error instanceof CommandError) || error instanceof Interrupted) throw error;
    if (error.exit === EXIT.usage || error.exit === EXIT.notAllowed) throw error;
    out.notice(
      `The PPA was not asked whether it takes this: ${error.message} It is asked before the upload.`,
    );
    return;
  }
  if (problems.length === 0) return;
  throw new CommandError('Nothing was sent: the PPA would not take it.', {
    code: 'preflight_failed',
    exit: EXIT.usage,
    details: problems.map(({ message }) => message),
    hint: [...new Set(problems.map(({ hint }) => hint))].join(' '),
  });
}

function described({ changes, files, leftOut, signer }: CheckedUpload) {
  const { source, version, isSigned } = changes;
  return {
    source,
    version,
    files: files.map(({ name, sha256 }) => ({ name, sha256 })),
    ...(leftOut.length > 0 ? { left_out: leftOut } : {}),
    ...(isSigned ? {} : { signed_by: null }),
    ...(signer ? { signed_by: signer.key, changed_by: signer.email } : {}),
  };
}
