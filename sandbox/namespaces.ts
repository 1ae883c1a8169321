import { CommandFailed, run } from './command.ts';
import { asUser, type RunAs } from './unprivileged.ts';

export const UNSHARE = '/usr/bin/unshare';
/** What an administrator does on a machine that refuses them. */
export const ALLOW_NAMESPACES =
  'Debian: sysctl kernel.unprivileged_userns_clone=1. Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0, ' +
  'and no profile unshare-userns-restrict (aa-status).';

const CHECK_MS = 30_000;
/** What session.sh and chroot-session.sh do, in short. */
const OWN_ROOT = 'mount -t tmpfs tmpfs /tmp && mkdir /tmp/machine && pivot_root /tmp /tmp/machine';

/**
 * Tries whether a user can have a root of its own in namespaces. AppArmor grants these on Ubuntu, and takes all
 * capabilities of what is executed in there: to execute `true` would tell nothing.
 *
 * @param runAs undefined: the user of this process
 * @param kinds options of unshare(1); `--mount` is added
 * @returns undefined where it can; else why not, in the words of the program that failed
 */
export async function whyNoNamespaces(
  runAs: RunAs | undefined,
  kinds: readonly string[],
  unshare = UNSHARE,
): Promise<string | undefined> {
  try {
    const command = [unshare, ...kinds, '--mount', '--', 'sh', '-c', OWN_ROOT];
    await run('setpriv', [...asUser(runAs), '--', ...command], { timeoutMs: CHECK_MS, cwd: '/' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return error.message.split('\n')[0];
  }
}
