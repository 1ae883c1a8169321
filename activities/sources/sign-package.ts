import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { clearSigning, unsignedText } from '../../domain/packages/control-file.ts';
import { relistFile } from '../../domain/packages/relist-file.ts';
import type { ListedFile } from '../../domain/packages/source-package.ts';
import { run } from '../../sandbox/command.ts';
import { controlText } from './control-text.ts';

/** Of each file. */
const SIGN_MS = 60_000;
/** Each lists those before it. */
const TURNS = ['.dsc', '.buildinfo', '.changes'];

/** How unsigned sources are signed. */
export type Signing = {
  /** Key id or fingerprint, as gpg takes it. Its passphrase is empty, or an agent knows it. */
  keyId: string;
  /** GnuPG home of the keyring; null is the user's own. */
  gnupgHome: string | null;
};

/**
 * Signs the `.dsc` and the `.changes`. The `.changes`, and the `.buildinfo` where there is one, get the sizes and
 * checksums of what was changed before them. A signature that one has already is replaced, and that of a `.buildinfo`
 * left out.
 *
 * Strangers wrote these files, so gpg alone is run: debsign's shell would run commands that it finds in them. gpg reads
 * them from its standard input and knows nothing of the worker's environment.
 *
 * @param controlFiles contents by plain file name, exactly one of them a `.changes`
 * @returns the same names with the new contents
 * @throws AirlineError `malformed_control_file`; CommandFailed with what gpg said
 */
export async function signPackage(
  controlFiles: ReadonlyMap<string, Buffer>,
  signing: Signing,
  signal: AbortSignal,
): Promise<Map<string, Buffer>> {
  const inTurn = TURNS.flatMap((suffix) =>
    [...controlFiles].filter(([name]) => name.endsWith(suffix)),
  );
  const changed = new Map<string, Buffer>();
  for (const [name, content] of inTurn) {
    let text = unsignedText(controlText(content, name), name);
    for (const [file, now] of changed) text = relistFile(text, listed(file, now), name);
    // Strangers choose what it says: signed, it could do as a .changes. Launchpad takes it unsigned.
    if (!name.endsWith('.buildinfo')) text = await clearSigned(text, signing, signal);
    changed.set(name, Buffer.from(text));
  }
  return changed;
}

function listed(name: string, content: Buffer): ListedFile {
  const sum = (hash: string) => createHash(hash).update(content).digest('hex');
  return {
    name,
    sizeBytes: content.length,
    md5: sum('md5'),
    sha1: sum('sha1'),
    sha256: sum('sha256'),
  };
}

/** @throws CommandFailed */
function clearSigned(
  text: string,
  { keyId, gnupgHome }: Signing,
  signal: AbortSignal,
): Promise<string> {
  return run('gpg', ['--batch', ...clearSigning(keyId)], {
    timeoutMs: SIGN_MS,
    signal,
    input: text,
    env: {
      HOME: gnupgHome ?? homedir(),
      ...(gnupgHome === null ? {} : { GNUPGHOME: gnupgHome }),
    },
  });
}
