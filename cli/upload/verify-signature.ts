import type { CommandEnvironment } from '../environment.ts';
import { lastLine } from './last-line.ts';

/** What gpg says of the signature of a file. */
export type Verdict =
  | { kind: 'good'; key: string; by: string }
  | { kind: 'refused'; why: string }
  /** It could not be checked here, which says nothing of the signature. */
  | { kind: 'unchecked'; why: string };

const SHOWN_KEY_LENGTH = 16;
/** What refuses an upload, by the words of gpg (doc/DETAILS of GnuPG, "TRUST_ and SIG status codes"). */
const REFUSED: readonly (readonly [status: string, why: string])[] = [
  ['BADSIG', 'its signature is wrong: it was changed after it was signed'],
  ['REVKEYSIG', 'its key was revoked'],
  ['EXPKEYSIG', 'its key has expired'],
  ['EXPSIG', 'its signature has expired'],
  ['NODATA', 'its signature cannot be read'],
  ['BADARMOR', 'its signature cannot be read'],
];

/**
 * Checks the signature of a clear-signed file with gpg and the keyring of whoever calls, as dput does.
 *
 * @param path of the `.changes` or the `.dsc`
 */
export async function verifySignature(
  { readProgram }: Pick<CommandEnvironment, 'readProgram'>,
  path: string,
): Promise<Verdict> {
  const verified = await readProgram('gpg', [
    '--batch',
    '--status-fd',
    '1',
    '--verify',
    '--',
    path,
  ]);
  if (!verified) return { kind: 'unchecked', why: 'there is no gpg on this machine' };
  const status = new Map(
    [...verified.stdout.matchAll(/^\[GNUPG:\] ([A-Z_]+) ?(.*)$/gm)].map(
      ([, word = '', rest = '']) => [word, rest] as const,
    ),
  );
  const [, why] = REFUSED.find(([word]) => status.has(word)) ?? [];
  if (why !== undefined) return { kind: 'refused', why: `${why}${signerIn(status)}` };
  const good = status.get('GOODSIG');
  // The last word is the fingerprint of the primary key, which Launchpad knows a person by.
  const fingerprint = status.get('VALIDSIG')?.split(' ').at(-1);
  if (good !== undefined && fingerprint !== undefined && verified.code === 0)
    return { kind: 'good', key: fingerprint, by: good.replace(/^\S+ /, '') };
  // It says one of the two of each signature: without a home of its own it does not come to any.
  if (!status.has('NEWSIG') && !status.has('ERRSIG'))
    return {
      kind: 'unchecked',
      why: `gpg did not look at it: ${lastLine(verified.stderr) || `it ended with ${verified.code}`}`,
    };
  const absent = status.get('NO_PUBKEY');
  return absent === undefined
    ? { kind: 'refused', why: `gpg does not accept its signature (exit code ${verified.code})` }
    : { kind: 'unchecked', why: `your keyring does not have its key, ${absent}` };
}

/** ` (Ann Doe <ann@example.com>, key 0123456789ABCDEF)`, of a signature that is refused. */
function signerIn(status: ReadonlyMap<string, string>): string {
  const [, key, by] =
    /^(\S+) (.+)$/.exec(
      ['BADSIG', 'REVKEYSIG', 'EXPKEYSIG', 'EXPSIG']
        .map((word) => status.get(word))
        .find(Boolean) ?? '',
    ) ?? [];
  return key === undefined ? '' : ` (${by}, key ${shownKey(key)})`;
}

/** The last digits of a fingerprint, as people compare them. */
export function shownKey(key: string): string {
  return key.slice(-SHOWN_KEY_LENGTH);
}
