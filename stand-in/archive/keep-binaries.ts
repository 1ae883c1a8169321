import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parseChanges } from '../../domain/packages/source-package.ts';
import type { ArchiveState } from './archive-state.ts';
import { CommandFailed, run } from '../../sandbox/command.ts';
import { isPlainFile } from '../../sandbox/take-out.ts';
import { digestFile, keepFile } from './file-checks.ts';
import { createStanzaReader, type Stanza } from '../../domain/packages/control-stanza.ts';
import { fileVersion, SOURCE_NAME, SOURCE_VERSION } from '../../domain/packages/source-file.ts';
import type { Layout } from './layout.ts';
import { now, type BinaryPublication, type Build } from './records.ts';
import { checkPresent } from './upload-checks.ts';
import { isRejection, reject, Rejection } from './upload-rejection.ts';

const compress = promisify(gzip);
const MAX_PACKAGES = 2_000;
const FIELDS = new Set(['package', 'version', 'architecture', 'section']);
/**
 * Prints the file `control` of a package, which has either name. It fails where that, or all control files together,
 * are larger than they are for anything but to do harm.
 */
const PRINT_CONTROL = `
  control() {
    dpkg-deb --ctrl-tarfile "$0" | head --bytes=64M | tar --extract --to-stdout "$1" | head --bytes=1M
    return "\${PIPESTATUS[2]}"
  }
  control ./control 2>/dev/null || control control`;

type BuiltPackage = {
  path: string;
  name: string;
  version: string;
  architecture: string;
  section: string;
};

/**
 * Takes over what a build made: packages into the archive's pool as pending publications, `.changes` and `.buildinfo`
 * into the build's folder, and the build to its end, in one transaction. What the archive does not take, such as a
 * file that it has with other contents, ends the build as Failed to upload, with an upload log.
 *
 * @param builtDir its contents are copied, never moved: it may be on another file system. Nobody else may write there;
 * what strangers' code has left may be anything, also a link
 * @param dependencies.publicationsAfterMs time from the end of the build until its packages have publications
 * @throws where the machine failed, not the packages; the build is as it was
 */
export async function keepBinaries(
  build: Build,
  builtDir: string,
  log: string | null,
  {
    state,
    layout,
    publicationsAfterMs = 0,
  }: { state: ArchiveState; layout: Layout; publicationsAfterMs?: number | undefined },
): Promise<void> {
  try {
    const { packages, changes, buildinfo } = await readBuilt(builtDir);
    const inArchive = new Map(
      state.binaries(build.archive).map((binary) => [binary.file.name, binary.file]),
    );
    const publications: Omit<BinaryPublication, 'id'>[] = [];
    for (const built of packages) {
      const { sizeBytes, sha256 } = await digestFile(built.path);
      const file = { name: basename(built.path), sizeBytes, sha256 };
      const held = inArchive.get(file.name);
      if (held && held.sha256 !== sha256)
        reject(
          `File ${file.name} already exists in ${build.archive}, but uploaded version has different contents.`,
        );
      const staged = layout.buildFile(build.id, file.name);
      await copyTo(built.path, staged);
      await keepFile(staged, layout.poolFile(build.archive, build.source, file.name));
      publications.push({
        archive: build.archive,
        buildId: build.id,
        source: build.source,
        name: built.name,
        version: built.version,
        architecture: built.architecture,
        series: build.series,
        pocket: build.pocket,
        component: 'main',
        section: built.section,
        status: 'Pending',
        createdAt: now(),
        publishedAt: null,
        supersededAt: null,
        removedAt: null,
        file,
      });
    }
    await copyTo(join(builtDir, changes), layout.buildFile(build.id, changes));
    if (buildinfo !== null)
      await copyTo(join(builtDir, buildinfo), layout.buildFile(build.id, buildinfo));
    state.transact(({ nextId, put }) => {
      const ended = { ...reached(), state: 'Successfully built', log, changes, buildinfo };
      if (publicationsAfterMs > 0) {
        const dueAt = new Date(Date.now() + publicationsAfterMs).toISOString();
        put('build', { ...ended, accepted: { dueAt, publications } });
        return;
      }
      for (const publication of publications) put('binary', { ...publication, id: nextId() });
      put('build', ended);
    });
  } catch (error) {
    if (!isRejection(error)) throw error;
    const uploadLog = `upload_${build.id}_log.txt.gz`;
    const text = `${error.message}\n`;
    await mkdir(dirname(layout.buildFile(build.id, uploadLog)), { recursive: true });
    await writeFile(layout.buildFile(build.id, uploadLog), await compress(text));
    state.transact(({ put }) =>
      put('build', { ...reached(), state: 'Failed to upload', log, uploadLog }),
    );
  }

  function reached(): Build {
    return state.build(build.id) as Build;
  }
}

/** @throws Rejection where it is not what a build leaves */
async function readBuilt(builtDir: string) {
  const names = await readdir(builtDir);
  const [changes, ...more] = names.filter((name) => name.endsWith('.changes'));
  if (changes === undefined || more.length > 0)
    return reject(`The build made ${more.length + Number(changes !== undefined)} .changes files.`);
  const buildinfo = names.find((name) => name.endsWith('.buildinfo')) ?? null;
  for (const name of [changes, ...(buildinfo === null ? [] : [buildinfo])])
    if (!(await isPlainFile(join(builtDir, name)))) reject(`${name} is no file.`);
  const listed = parseChanges(await readFile(join(builtDir, changes), 'utf8'), changes).files;
  const packages: BuiltPackage[] = [];
  for (const file of listed.slice(0, MAX_PACKAGES)) {
    await checkPresent(builtDir, file);
    if (file.name.endsWith('.deb')) packages.push(await readPackage(join(builtDir, file.name)));
  }
  if (packages.length === 0) reject('The build made no binary package.');
  return { packages, changes, buildinfo };
}

/**
 * Reads a package's own fields. Where root does it, nothing else of the package may be unpacked, as `dpkg-deb --field`
 * does: its control files have any owner and mode, and any size.
 *
 * @throws Rejection where it is no package of the file's name
 */
async function readPackage(path: string): Promise<BuiltPackage> {
  const text = await run('bash', ['--norc', '-c', PRINT_CONTROL, path], {
    timeoutMs: 60_000,
  }).catch((error: unknown) => {
    const isUnreadable = error instanceof CommandFailed && error.exitCode !== null;
    throw isUnreadable ? new Rejection(error.message) : error;
  });
  let fields: Stanza = new Map();
  const reader = createStanzaReader(FIELDS, (stanza) => (fields = stanza));
  reader.push(text);
  reader.end();
  const valueOf = (field: string) => fields.get(field) ?? '';
  const [name, version, architecture] = [
    valueOf('package'),
    valueOf('version'),
    valueOf('architecture'),
  ];
  const isNamed = SOURCE_NAME.test(name) && SOURCE_VERSION.test(version);
  if (!isNamed || basename(path) !== `${name}_${fileVersion(version)}_${architecture}.deb`)
    reject(`${basename(path)} is not named after what it holds.`);
  return { path, name, version, architecture, section: fields.get('section') ?? 'misc' };
}

async function copyTo(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
}
