import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Context } from '@temporalio/activity';
import { ppaRepository } from '../../domain/builds/built-package.ts';
import { sourceOfBinary } from '../../domain/packages/binary-stanza.ts';
import { createStanzaReader, type Stanza } from '../../domain/packages/control-stanza.ts';
import { shownPackage } from '../../domain/packages/source-file.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import { readRepositoryFile } from '../sources/read-repository-file.ts';

const decompress = promisify(gunzip);
/** A PPA of the pool has the packages of one landing: its index is small. */
const MAX_BYTES = 16 * 2 ** 20;
const FIELDS = new Set(['package', 'source', 'version']);
const RELEASE_FIELDS = new Set(['architectures']);

/**
 * The source packages that the apt repository of a PPA has for a series, and those that its packages there were built
 * from, each as `shownPackage` shows it; none where it has no index.
 *
 * @throws where an index cannot be read now
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
  const suite = `${ppaRepository(aptUrl, ppa)}/dists/${series}`;
  const signal = Context.current().cancellationSignal;
  const read = (path: string) =>
    readRepositoryFile(`${suite}/${path}`, MAX_BYTES, { signal, idleTimeoutMs });
  const release = stanzasOf((await read('Release')) ?? Buffer.alloc(0), RELEASE_FIELDS);
  const architectures = release.flatMap((fields) => fields.get('architectures')?.split(' ') ?? []);
  const packages = architectures.map((name) => `main/binary-${name}/Packages.gz`);
  const listed = new Set<string>();
  for (const path of ['main/source/Sources.gz', ...packages]) {
    const packed = await read(path);
    const index = packed && (await decompress(packed, { maxOutputLength: 10 * MAX_BYTES }));
    for (const stanza of index ? stanzasOf(index, FIELDS) : [])
      listed.add(shownPackage(sourceOfBinary(stanza)));
  }
  return listed;
}

function stanzasOf(text: Buffer, wanted: ReadonlySet<string>): Stanza[] {
  const stanzas: Stanza[] = [];
  const reader = createStanzaReader(wanted, (stanza) => void stanzas.push(stanza));
  reader.push(text.toString('utf8'));
  reader.end();
  return stanzas;
}
