import { parsePpa, type Ppa } from '../../domain/packages/ppa.ts';

export type UploadTarget = { ppa: Ppa; suite: string | undefined };

/**
 * Reads the folder of an upload, `~owner/<distribution>/<ppa>[/suite]` (Launchpad's `parse_upload_path`). The older
 * forms without a distribution are not served.
 *
 * @returns undefined where it has another form
 */
export function parseUploadPath(path: string): UploadTarget | undefined {
  const [owner, distribution, name, suite, ...rest] = path.split('/');
  if (rest.length > 0 || !owner?.startsWith('~') || suite === '') return undefined;
  const ppa = parsePpa(`${owner}/${distribution}/${name}`, '');
  return ppa && { ppa, suite };
}
