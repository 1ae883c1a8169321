import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { copyFile, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { AirlineError } from '../../domain/errors.ts';
import {
  clearSigning,
  isClearSigned,
  NOT_UTF8,
  unsignedText,
} from '../../domain/packages/control-file.ts';
import { fileStem } from '../../domain/packages/source-file.ts';
import { parseSourceControl, type SourceControl } from '../../domain/packages/source-package.ts';
import type { CommandEnvironment } from '../environment.ts';
import { preflightFailed } from './check-uploads.ts';
import { lastLine } from './last-line.ts';
import { checkFile, isAccessible, readControl } from './local-file.ts';
import { verifySignature } from './verify-signature.ts';

const NOT_WRITTEN = 'its .changes cannot be written beside it';

type Programs = Pick<CommandEnvironment, 'readProgram'>;

/** A `.changes` that was made of a `.dsc`, in a folder of its own. */
export type MadeChanges = {
  /** The path of the `.changes`; the other files of the upload are beside it. */
  path: string;
  /**
   * Puts what was made beside the `.dsc`, which is replaced where it was signed.
   *
   * @throws CommandError `preflight_failed` where it cannot be written. Nothing is left then
   */
  keep: () => Promise<void>;
  remove: () => Promise<void>;
};

/** The `.changes` of the source package upload that a `.dsc` belongs to, as dpkg-buildpackage names it. */
export function changesBeside(dsc: string): string {
  return `${dsc.slice(0, -'.dsc'.length)}_source.changes`;
}

/**
 * Makes the `.changes` of a `.dsc` as `dpkg-buildpackage -S -sa` does: dpkg-genchanges makes it of the unpacked source,
 * with all files that the `.dsc` names. Nothing beside the `.dsc` is touched before `keep`.
 *
 * @param signWith the key that both are signed with; undefined leaves them as they are
 * @returns what is wrong instead, a line for each problem
 */
export async function makeChanges(
  environment: Programs,
  dsc: string,
  signWith: string | undefined,
): Promise<MadeChanges | { problems: string[] }> {
  const read = await readSource(environment, dsc);
  if ('problems' in read) return read;
  const folder = await mkdtemp(join(tmpdir(), 'airline-dsc-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const name = basename(dsc);
  const own = join(folder, name);
  const path = changesBeside(own);
  try {
    for (const file of read.control.files)
      await symlink(resolve(dirname(dsc), file.name), join(folder, file.name));
    await writeFile(own, signWith === undefined ? read.text : unsignedText(read.text, name));
    const problem =
      (await sign(environment, own, signWith)) ??
      (await generate(environment, own)) ??
      (await sign(environment, path, signWith));
    if (problem !== undefined) {
      await remove();
      return { problems: [`${name}: ${problem}`] };
    }
  } catch (error) {
    await remove();
    throw error;
  }
  const keep = () =>
    putBeside(dsc, path, signWith === undefined ? undefined : own).catch((error: unknown) => {
      const { message } = error as NodeJS.ErrnoException;
      throw preflightFailed([`${name}: ${NOT_WRITTEN}: ${message}`], undefined);
    });
  return { path, keep, remove };
}

/**
 * Puts a `.changes` beside a `.dsc`, and a signed one in the place of that. Where either cannot be written neither is:
 * a `.changes` that fits no `.dsc` would be submitted the next time.
 *
 * @throws Error of the file system
 */
async function putBeside(dsc: string, changes: string, signed: string | undefined): Promise<void> {
  if (signed === undefined) return copyFile(changes, changesBeside(dsc), constants.COPYFILE_EXCL);
  const part = `${dsc}.${process.pid}.part`;
  try {
    await copyFile(signed, part);
    await copyFile(changes, changesBeside(dsc), constants.COPYFILE_EXCL);
    await rename(part, dsc).catch(async (error: unknown) => {
      await rm(changesBeside(dsc), { force: true });
      throw error;
    });
  } finally {
    await rm(part, { force: true });
  }
}

/** Reads a `.dsc`, and looks whether all that it names is there. */
async function readSource(
  environment: Programs,
  dsc: string,
): Promise<{ text: string; control: SourceControl } | { problems: string[] }> {
  const name = basename(dsc);
  const bytes = await readControl(dsc);
  if (!Buffer.isBuffer(bytes)) return { problems: [`${dsc}: ${bytes.problem}`] };
  if (!isUtf8(bytes)) return { problems: [`${name}: ${NOT_UTF8}`] };
  const text = bytes.toString('utf8');
  let control: SourceControl;
  try {
    control = parseSourceControl(text, name);
  } catch (error) {
    if (error instanceof AirlineError) return { problems: [error.message] };
    throw error;
  }
  const problems: string[] = [];
  const due = `${fileStem(control)}.dsc`;
  if (name !== due)
    problems.push(`${name}: its Source and Version say that its name should be ${due}`);
  // A new signature would hide that it was changed under the old one.
  const verdict = isClearSigned(text) ? await verifySignature(environment, dsc) : undefined;
  if (verdict?.kind === 'refused') problems.push(`${name}: ${verdict.why}`);
  for (const file of control.files) {
    const problem = await checkFile({ ...file, path: join(dirname(dsc), file.name) }, '.dsc');
    if (problem !== undefined) problems.push(`${file.name}: ${problem}`);
  }
  if (!(await isAccessible(dirname(dsc), constants.W_OK))) problems.push(`${name}: ${NOT_WRITTEN}`);
  return problems.length > 0 ? { problems } : { text, control };
}

/** @returns what went wrong */
async function generate({ readProgram }: Programs, dsc: string): Promise<string | undefined> {
  const tree = `${dsc}.source`;
  const missing = 'dpkg-source and dpkg-genchanges make its .changes; `apt install dpkg-dev`';
  const unpacked = await readProgram('dpkg-source', ['--skip-patches', '--extract', dsc, tree]);
  if (!unpacked) return missing;
  if (unpacked.code !== 0) return `it cannot be unpacked: ${lastLine(unpacked.stderr)}`;
  const made = await readProgram(
    'dpkg-genchanges',
    ['--build=source', '-sa', `-O${changesBeside(dsc)}`],
    { cwd: tree },
  );
  if (!made) return missing;
  return made.code === 0 ? undefined : `no .changes can be made: ${lastLine(made.stderr)}`;
}

/** Signs a file in its place. @returns what went wrong */
async function sign(
  { readProgram }: Programs,
  path: string,
  key: string | undefined,
): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const how = [...clearSigning(key), '--output', `${path}.asc`, path];
  const signed = await readProgram('gpg', how);
  if (!signed) return 'gpg is needed to sign it and is not installed';
  if (signed.code !== 0) return `gpg did not sign it: ${lastLine(signed.stderr)}`;
  await rename(`${path}.asc`, path);
  return undefined;
}
