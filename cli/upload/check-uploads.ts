import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { AirlineError } from '../../domain/errors.ts';
import { isClearSigned, NOT_UTF8 } from '../../domain/packages/control-file.ts';
import {
  fileStem,
  parseChangesName,
  type DescribedPackage,
  type Signer,
} from '../../domain/packages/source-file.ts';
import { buildinfoProblem, sectionProblem } from '../../domain/packages/changes-problem.ts';
import { formatProblem } from '../../domain/packages/source-format.ts';
import {
  leftOutFiles,
  parseChanges,
  parseSourceControl,
  signerOf,
  type Changes,
  type SourceControl,
} from '../../domain/packages/source-package.ts';
import { CommandError } from '../command-error.ts';
import type { CommandEnvironment } from '../environment.ts';
import { EXIT } from '../exit-code.ts';
import { checkFile, readControl, type LocalFile } from './local-file.ts';
import { verifySignature, type Verdict } from './verify-signature.ts';

type LeftOut = NonNullable<DescribedPackage['leftOut']>;

/** A source package upload whose files are all here and as the `.changes` says. */
export type CheckedUpload = {
  changes: Changes;
  /** All files, the `.changes` last. */
  files: LocalFile[];
  /** Upstream's files that the `.dsc` lists and the `.changes` does not. */
  leftOut: LeftOut;
  /** Undefined where it is not signed, or its signature cannot be read. */
  signer: Signer | undefined;
  /** What gpg says of the signature of the `.changes`; undefined where it has none. */
  signature: Verdict | undefined;
};

/**
 * Looks through source package uploads before anything is sent, and tells all that is wrong at once.
 *
 * @throws CommandError `preflight_failed` with a line for each problem
 */
export async function checkUploads(
  environment: Pick<CommandEnvironment, 'readProgram'>,
  paths: readonly string[],
  { allowUnsigned }: { allowUnsigned: boolean },
): Promise<CheckedUpload[]> {
  const problems: string[] = [];
  const uploads: CheckedUpload[] = [];
  // One at a time: two gpg that both find no keyring get in each other's way, and one refuses its file.
  for (const path of paths) {
    const checked = await checkUpload(environment, path, allowUnsigned);
    problems.push(...checked.problems);
    if (checked.upload) uploads.push(checked.upload);
  }
  const names = uploads.map(({ changes }) => changes.source);
  for (const name of new Set(names.filter((one, at) => names.indexOf(one) < at)))
    problems.push(`${name}: more than one .changes file of this source package was given`);
  if (problems.length === 0) return uploads;
  throw preflightFailed(problems, hintFor(problems));
}

/** Nothing was sent, for these reasons. */
export function preflightFailed(problems: readonly string[], hint: string | undefined) {
  return new CommandError(
    problems.length === 1
      ? 'Nothing was sent: there is a problem.'
      : `Nothing was sent: there are ${problems.length} problems.`,
    {
      code: 'preflight_failed',
      exit: EXIT.usage,
      details: problems,
      hint,
    },
  );
}

function hintFor(problems: readonly string[]): string | undefined {
  const isAny = (what: RegExp) => problems.some((text) => what.test(text));
  if (isAny(/is not signed$/))
    return 'debsign signs both. If the server signs uploads itself, send them as they are with --allow-unsigned.';
  if (isAny(/: its (?:signature|key) /)) return '`debsign --re-sign` signs both again.';
  return isAny(/in the \.changes|there is no such file$|not a source upload/) &&
    !isAny(/\.changes: there is no/)
    ? '`dpkg-buildpackage -S` makes all files again.'
    : undefined;
}

async function checkUpload(
  environment: Pick<CommandEnvironment, 'readProgram'>,
  path: string,
  allowUnsigned: boolean,
): Promise<{ upload?: CheckedUpload; problems: string[] }> {
  const name = basename(path);
  if (!name.endsWith('.changes'))
    return { problems: [`${path}: it is neither a .changes nor a .dsc`] };
  const bytes = await readControl(path);
  if (!Buffer.isBuffer(bytes)) return { problems: [`${path}: ${bytes.problem}`] };
  // The server would refuse it once all is stored.
  if (!isUtf8(bytes)) return { problems: [`${name}: ${NOT_UTF8}`] };
  const text = bytes.toString('utf8');
  let changes: Changes;
  try {
    changes = parseChanges(text, name);
  } catch (error) {
    if (error instanceof AirlineError) return { problems: [error.message] };
    throw error;
  }
  const problems: string[] = [];
  // The server goes by the name, and would refuse the build once all is stored.
  const named = parseChangesName(name);
  if (!named || fileStem(named) !== fileStem(changes))
    problems.push(
      `${name}: its Source and Version say that its name should be ${fileStem(changes)}_source.changes`,
    );
  const controls = changes.files.filter((file) => file.name.endsWith('.dsc'));
  if (changes.architectures.some((one) => one !== 'source') || controls.length !== 1)
    problems.push(
      `${name}: it is not a source upload (Architecture: ${changes.architectures.join(' ')}; ${controls.length} .dsc); \`dpkg-buildpackage -S\` makes one`,
    );
  const ofBuild = problems.length === 0 ? buildinfoProblem(changes) : undefined;
  if (ofBuild !== undefined) problems.push(`${name}: ${ofBuild}`);
  const ofSection = sectionProblem(changes);
  if (ofSection !== undefined) problems.push(`${name}: ${ofSection}`);
  if (!allowUnsigned && !changes.isSigned) problems.push(`${name}: it is not signed`);
  const signature = changes.isSigned ? await verifySignature(environment, path) : undefined;
  if (signature?.kind === 'refused') problems.push(`${name}: ${signature.why}`);
  const directory = dirname(path);
  const files: LocalFile[] = [];
  let leftOut: LeftOut = [];
  for (const listed of changes.files) {
    const { sizeBytes, sha256 } = listed;
    const file = { name: listed.name, path: join(directory, listed.name), sizeBytes, sha256 };
    const problem = await checkFile(file, '.changes');
    if (problem) problems.push(`${listed.name}: ${problem}`);
    else if (listed.name.endsWith('.dsc')) {
      // Of one that cannot be read the server tells.
      const control = await readControl(file.path);
      if (Buffer.isBuffer(control) && !isUtf8(control)) problems.push(`${file.name}: ${NOT_UTF8}`);
      else if (Buffer.isBuffer(control)) {
        const dsc = control.toString('utf8');
        problems.push(...(await checkSourceControl(environment, file, dsc, allowUnsigned)));
        const read = readSourceControl(dsc, file.name);
        const why = read && formatProblem(read);
        if (why !== undefined) problems.push(`${file.name}: ${why}`);
        if (read) leftOut = leftOutFiles(read, changes);
      }
    }
    files.push(file);
  }
  const own = { name, path, sizeBytes: bytes.length, sha256: sha256Of(bytes) };
  const signer = signerOf(changes, text);
  return { upload: { changes, files: [...files, own], leftOut, signer, signature }, problems };
}

/** What a `.dsc` says; undefined where it is none, of which the server tells. */
function readSourceControl(dsc: string, name: string): SourceControl | undefined {
  try {
    return parseSourceControl(dsc, name);
  } catch (error) {
    if (error instanceof AirlineError) return undefined;
    throw error;
  }
}

/** What is wrong with the signature of a `.dsc`. */
async function checkSourceControl(
  environment: Pick<CommandEnvironment, 'readProgram'>,
  { name, path }: LocalFile,
  dsc: string,
  allowUnsigned: boolean,
): Promise<string[]> {
  if (!isClearSigned(dsc)) return allowUnsigned ? [] : [`${name}: it is not signed`];
  const verdict = await verifySignature(environment, path);
  return verdict.kind === 'refused' ? [`${name}: ${verdict.why}`] : [];
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
