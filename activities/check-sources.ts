import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  FILE_NAME,
  fileNameOfUrl,
  fileStem,
  isUpstreamFile,
  type CheckedPackage,
  type SourceFile,
} from '../domain/packages/source-file.ts';
import { orderByDependencies, type BuildOrder } from '../domain/builds/build-order.ts';
import { AirlineError } from '../domain/errors.ts';
import { buildinfoProblem, sectionProblem } from '../domain/packages/changes-problem.ts';
import { formatProblem } from '../domain/packages/source-format.ts';
import {
  leftOutFiles,
  parseChanges,
  parseSourceControl,
  signerOf,
  type Changes,
  type ListedFile,
  type SourceControl,
} from '../domain/packages/source-package.ts';
import { assertUrlAllowed, shownUrl } from '../domain/access/source-url.ts';
import { whileHeartbeating } from './temporal/heartbeat.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { controlText } from './sources/control-text.ts';
import { tooLarge } from './sources/open-source.ts';
import { readSource, type SourceReading } from './sources/read-source.ts';
import { whileWanted, type Caller } from './sources/while-wanted.ts';
import { signPackage } from './sources/sign-package.ts';

type Dependencies = Pick<
  ActivityDependencies,
  'sources' | 'signing' | 'store' | 'cancelUrlTimeoutMs' | 'cancelUrlPollMs' | 'logger'
>;
/** What a source upload holds besides its `.changes` (Debian Policy 5.4, deb-src formats of dpkg-source). */
const SOURCE_FILE =
  /\.(?:dsc|buildinfo|diff\.(?:gz|bz2|xz|lzma)|tar\.(?:gz|bz2|xz|lzma|zst)(?:\.asc)?)$/;
const CONTROL_FILE = /\.(?:dsc|buildinfo)$/;
const MAX_SHOWN_ARCHITECTURES = 10;

type Reader = (name: string, url: string, keepContent?: boolean) => Promise<SourceReading>;

/** A package whose files agree with each other; the contents of its control files by name. */
type ReadPackage = {
  changes: Changes;
  dsc: SourceControl;
  files: SourceFile[];
  controlFiles: Map<string, Buffer>;
};

/**
 * Fetches every file of the request once, streamed, and checks each source package as Launchpad will: every file that
 * its `.changes` and `.dsc` list is there with the listed size and checksums, it is a source upload and no more, its
 * format is one that Launchpad takes, and it is signed. Unsigned ones are signed here where a key is configured; the
 * signed files are then in the data store under `builds/<build id>/signed/`, in a folder of this try.
 *
 * A tarball of upstream's that the `.dsc` lists and the `.changes` does not (an upload without it) may be absent:
 * the PPA has to hold it.
 *
 * A caller who is gone ends it: the cancel URL is asked before it, and again and again meanwhile.
 *
 * @param input.order the order in which its packages are to be built; a cycle among them is refused
 * @returns the packages in the order of their `.changes`, or in that of their places where an order is asked for; each
 * with the files to upload, the `.changes` last
 * @throws AirlineError of failure class `invalid_source` or `dependency_cycle`; a plain Error where a later try may
 * help
 */
export function checkSources(deps: Dependencies) {
  const { sources, signing, store, logger } = deps;
  return async (input: {
    sourcePackages: string[];
    buildId: number;
    cancelUrl?: string | null;
    order?: BuildOrder;
  }): Promise<CheckedPackage[]> => {
    const progress = { readBytes: 0, file: '' };
    const onBytes = (count: number) => {
      progress.readBytes += count;
    };
    const check = async ({ signal }: Caller) => {
      const urls = urlsByName(input.sourcePackages, sources.rule);
      const readings = new Map<string, Promise<SourceReading>>();
      const read: Reader = (name, url, keepContent = false) => {
        progress.file = name;
        const fetched = () => readSource(url, { sources, store }, { signal, onBytes, keepContent });
        // A request may have hundreds of packages: the contents of each are let go with it.
        if (keepContent) return fetched();
        // Packages may share a file, such as a tarball of upstream's; it is fetched once.
        const reading = readings.get(name) ?? fetched();
        readings.set(name, reading);
        return reading;
      };
      const packages: CheckedPackage[] = [];
      const controls: SourceControl[] = [];
      const claimed = new Set<string>();
      for (const name of changesNames(urls)) {
        const found = await readPackage(name, urls, read, sources.maxBytes);
        for (const file of [...found.files, ...found.dsc.files]) claimed.add(file.name);
        if (input.order) controls.push(found.dsc);
        packages.push(await signed(found, input.buildId, signal));
      }
      assertNoStrayDsc(urls, claimed);
      const ignored = [...urls.keys()].filter((name) => !claimed.has(name));
      if (ignored.length > 0)
        logger.warn({ buildId: input.buildId, ignored }, 'the request names files of no package');
      return input.order ? inOrder(packages, controls) : packages;
    };
    return whileHeartbeating(
      () => progress,
      (signal) => whileWanted(input.cancelUrl, deps, signal, check),
    );
  };

  async function signed(
    { changes, dsc, files, controlFiles }: ReadPackage,
    buildId: number,
    signal: AbortSignal,
  ): Promise<CheckedPackage> {
    const { source, version } = changes;
    const changesName = files.at(-1)?.name ?? '';
    const leftOut = leftOutFiles(dsc, changes);
    const described = (contents: ReadonlyMap<string, Buffer>) => {
      const signer = signerOf(changes, String(contents.get(changesName)));
      return {
        source,
        version,
        ...(leftOut.length > 0 ? { leftOut } : {}),
        ...(signer ? { signer } : {}),
      };
    };
    if (changes.isSigned && dsc.isSigned) return { ...described(controlFiles), files };
    const unsigned = changes.isSigned ? '.dsc' : '.changes';
    if (!signing)
      throw new AirlineError('not_signed', `The ${unsigned} of ${source} ${version} is not signed`);
    const replaced = new Map<string, SourceFile>();
    const contents = await signPackage(controlFiles, signing, signal);
    // A try that was given up may go on beside the one that took its place.
    const folder = `builds/${buildId}/signed/${randomUUID()}`;
    for (const [name, content] of contents) {
      signal.throwIfAborted();
      const key = `${folder}/${name}`;
      const stored = await store.put(key, Readable.from([content]));
      replaced.set(name, { name, url: store.urlOf(key), ...stored });
    }
    logger.info({ buildId, source, version, keyId: signing.keyId }, 'signed a source package');
    return {
      ...described(contents),
      files: files.map((file) => replaced.get(file.name) ?? file),
    };
  }
}

/** The packages by their levels, those of one level as they were; each has its place. */
function inOrder(
  packages: readonly CheckedPackage[],
  controls: readonly SourceControl[],
): CheckedPackage[] {
  const found = orderByDependencies(controls);
  const levelOf = (index: number) => found[index]?.level ?? 0;
  const indexes = [...packages.keys()].toSorted((one, other) => levelOf(one) - levelOf(other));
  const placeOf = new Map(indexes.map((index, place) => [index, place]));
  return indexes.flatMap((index) => {
    const each = packages[index];
    const after = (found[index]?.after ?? []).map((other) => placeOf.get(other) ?? 0);
    return each ? { ...each, place: { level: levelOf(index), after } } : [];
  });
}

async function readPackage(
  changesName: string,
  urls: ReadonlyMap<string, string>,
  read: Reader,
  maxBytes: number,
): Promise<ReadPackage> {
  const changesUrl = urls.get(changesName) as string;
  const changesReading = await read(changesName, changesUrl, true);
  const changes = parseChanges(textOf(changesReading, changesName), changesName);
  const others = changes.architectures.filter((architecture) => architecture !== 'source');
  if (others.length > 0 || changes.architectures.length === 0)
    throw new AirlineError(
      'not_a_source_upload',
      `${changesName} is an upload of ${changes.architectures.slice(0, MAX_SHOWN_ARCHITECTURES).join(' ').slice(0, 200)}, not of source alone`,
    );
  const dscNames = changes.files.filter(({ name }) => name.endsWith('.dsc'));
  const [dscListed] = dscNames;
  if (!dscListed || dscNames.length > 1)
    throw new AirlineError(
      'malformed_control_file',
      `${changesName} lists ${dscNames.length} .dsc files; a source upload has one`,
    );

  assertNamesOf(changes, changesName, dscListed.name);
  const ofBuild = buildinfoProblem(changes);
  if (ofBuild !== undefined)
    throw new AirlineError('not_a_source_upload', `${changesName}: ${ofBuild}`);
  const ofSection = sectionProblem(changes);
  if (ofSection !== undefined)
    throw new AirlineError('malformed_control_file', `${changesName}: ${ofSection}`);

  const files: SourceFile[] = [];
  const controlFiles = new Map<string, Buffer>();
  let dsc: SourceControl | undefined;
  for (const listed of changes.files) {
    const url = urls.get(listed.name);
    if (url === undefined)
      throw new AirlineError(
        'missing_file',
        `${changesName} lists ${listed.name}, which the request does not name`,
      );
    if (listed.sizeBytes > maxBytes) throw tooLarge(url, maxBytes);
    const isControlFile = CONTROL_FILE.test(listed.name);
    const reading = await read(listed.name, url, isControlFile);
    assertMatches(listed, reading, changesName);
    if (reading.content) controlFiles.set(listed.name, reading.content);
    if (listed === dscListed) {
      dsc = parseSourceControl(textOf(reading, listed.name), listed.name);
      assertFormat(dsc, listed.name);
    }
    files.push(sourceFile(listed.name, url, reading));
  }
  if (!dsc) throw new Error(`${changesName}: its .dsc was not read`);
  await assertMatchesDsc(dsc, dscListed.name, changes, urls, read);

  const { content } = changesReading;
  files.push(sourceFile(changesName, changesUrl, changesReading));
  if (content) controlFiles.set(changesName, content);
  return { changes, dsc, files, controlFiles };
}

/** Every file is of the package by its name, so that none of one package can be taken for one of another. */
function assertNamesOf({ source, version, files }: Changes, changesName: string, dscName: string) {
  const stem = fileStem({ source, version });
  const fail = (name: string) => {
    throw new AirlineError(
      'malformed_control_file',
      `${changesName}: ${name} is not named as a file of ${source} ${version}`,
    );
  };
  if (!changesName.startsWith(`${stem}_`)) fail(changesName);
  if (dscName !== `${stem}.dsc`) fail(dscName);
  for (const { name } of files) if (!isOf(source, name)) fail(name);
}

function assertFormat(dsc: SourceControl, dscName: string): void {
  const problem = formatProblem(dsc);
  if (problem !== undefined)
    throw new AirlineError('source_format_refused', `${dscName}: ${problem}`);
}

function isOf(source: string, name: string): boolean {
  return name.startsWith(`${source}_`) && SOURCE_FILE.test(name);
}

function sourceFile(name: string, url: string, reading: SourceReading): SourceFile {
  const { sizeBytes, sha256, storeVersion } = reading;
  return { name, url, sizeBytes, sha256, ...(storeVersion === undefined ? {} : { storeVersion }) };
}

async function assertMatchesDsc(
  dsc: SourceControl,
  dscName: string,
  changes: Changes,
  urls: ReadonlyMap<string, string>,
  read: Reader,
): Promise<void> {
  if (dsc.source !== changes.source || dsc.version !== changes.version)
    throw new AirlineError(
      'malformed_control_file',
      `${dscName} is of ${dsc.source} ${dsc.version}, its .changes of ${changes.source} ${changes.version}`,
    );
  const inChanges = new Set(changes.files.map(({ name }) => name));
  for (const listed of dsc.files) {
    if (!isOf(dsc.source, listed.name) || CONTROL_FILE.test(listed.name))
      throw new AirlineError(
        'malformed_control_file',
        `${dscName} lists ${listed.name}, which is not named as a file of ${dsc.source}`,
      );
    if (!inChanges.has(listed.name) && !isUpstreamFile(listed.name))
      throw new AirlineError(
        'missing_file',
        `${dscName} lists ${listed.name}, which its .changes does not`,
      );
    const url = urls.get(listed.name);
    if (url !== undefined) assertMatches(listed, await read(listed.name, url), dscName);
  }
}

function assertMatches(listed: ListedFile, reading: SourceReading, listName: string): void {
  const wrong =
    listed.sizeBytes !== reading.sizeBytes
      ? `${reading.sizeBytes} bytes, not ${listed.sizeBytes}`
      : (['sha256', 'sha1', 'md5'] as const)
          .filter((sum) => listed[sum] !== reading[sum])
          .map((sum) => `${sum} ${reading[sum]}, not ${listed[sum]}`)[0];
  if (wrong !== undefined)
    throw new AirlineError(
      'checksum_mismatch',
      `${listed.name} is not the file that ${listName} lists: it has ${wrong}`,
    );
}

function urlsByName(
  sourcePackages: readonly string[],
  rule: Dependencies['sources']['rule'],
): Map<string, string> {
  const urls = new Map<string, string>();
  // Two names that differ by case only are one file to some file systems.
  const seen = new Map<string, string>();
  for (const url of sourcePackages) {
    assertUrlAllowed(url, rule);
    const name = fileNameOfUrl(url);
    const other = seen.get(name.toLowerCase());
    if (other !== undefined && other !== url)
      throw new AirlineError(
        'ambiguous_file',
        `The request names ${name} twice, at ${shownUrl(other)} and at ${shownUrl(url)}`,
      );
    seen.set(name.toLowerCase(), url);
    urls.set(name, url);
  }
  return urls;
}

function changesNames(urls: ReadonlyMap<string, string>): string[] {
  const names = [...urls.keys()].filter((name) => name.endsWith('.changes'));
  const odd = names.find((name) => !FILE_NAME.test(name));
  if (odd !== undefined)
    throw new AirlineError(
      'malformed_control_file',
      `${JSON.stringify(odd.slice(0, 200))} is not a plain file name`,
    );
  if (names.length === 0)
    throw new AirlineError('missing_file', 'The request names no .changes file');
  return names;
}

/** A `.dsc` that no `.changes` lists would be a package that is silently not built. */
function assertNoStrayDsc(urls: ReadonlyMap<string, string>, claimed: ReadonlySet<string>): void {
  const stray = [...urls.keys()].find((name) => name.endsWith('.dsc') && !claimed.has(name));
  if (stray !== undefined)
    throw new AirlineError(
      'missing_file',
      `No .changes of the request lists ${stray}; each source package needs its .changes`,
    );
}

function textOf(reading: SourceReading, name: string): string {
  const { content } = reading;
  if (!content) throw new Error(`${name}: its content was not kept`);
  return controlText(content, name);
}
