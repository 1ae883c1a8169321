import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Context } from '@temporalio/activity';
import { ppaRepository } from '../../domain/builds/built-package.ts';
import { createStanzaReader } from '../../domain/packages/control-stanza.ts';
import { shownPackage } from '../../domain/packages/source-file.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import { openUrl } from '../sources/open-url.ts';
import { readBounded } from '../sources/read-bounded.ts';

const decompress = promisify(gunzip);
/** A PPA of the pool has the packages of one landing: its index is small. */
const MAX_BYTES = 16 * 2 ** 20;
const FIELDS = new Set(['package', 'version']);

/**
 * The source packages that the apt repository of a PPA has for a series, each as `shownPackage` shows it; none where it
 * has no index.
 *
 * @throws where the index cannot be read now
 */
export async function listedSources({
  ppa,
  series,
  aptUrl,
  idleTimeoutMs,
}: {
  ppa: Ppa;
  series: string;
  aptUrl: string;
  idleTimeoutMs: number;
}): Promise<Set<string>> {
  const url = `${ppaRepository(aptUrl, ppa)}/dists/${series}/main/source/Sources.gz`;
  const signal = Context.current().cancellationSignal;
  const answer = await openUrl(url, { signal, idleTimeoutMs });
  const tooLong = () => new Error(`${url} has more than ${MAX_BYTES} bytes`);
  const packed = await readBounded(answer, MAX_BYTES, tooLong);
  if (answer.statusCode === 404) return new Set();
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
  const index = await decompress(packed, { maxOutputLength: 10 * MAX_BYTES });
  const listed = new Set<string>();
  const reader = createStanzaReader(FIELDS, (stanza) => {
    const [source = '', version = ''] = [stanza.get('package'), stanza.get('version')];
    listed.add(shownPackage({ source, version }));
  });
  reader.push(index.toString('utf8'));
  reader.end();
  return listed;
}
