import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { asUser } from '../../sandbox/unprivileged.ts';

/** A user of the machine. */
export type Account = { name: string; uid: number; gid: number; home: string };

const SUBORDINATE_IDS = 65_536;
const CHECK_MS = 10_000;
// A root shell made with `su` may lack the system's own folders.
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** The system users of a stack that root starts, and why they are not root. */
const USERS = {
  airline: 'PostgreSQL, RabbitMQ and sbuild do not run as root',
  'airline-test': "tests are strangers' code, kept apart from builds",
} as const;

/**
 * As root: a system user, made if it is missing, with the subordinate ids that user namespaces need. As anybody else:
 * undefined, since everything then runs as the caller.
 *
 * @param say takes a line for each thing that is done to the machine
 */
export function unprivilegedUser(
  say: (line: string) => void,
  name: keyof typeof USERS = 'airline',
): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  let account = findAccount(name);
  if (!account) {
    say(`creating the system user ${name}: ${USERS[name]}`);
    const { status, stderr } = spawnSync(
      'useradd',
      [
        '--system',
        '--user-group',
        '--no-create-home',
        '--home-dir',
        `/var/lib/${name}`,
        '--shell',
        '/usr/sbin/nologin',
        name,
      ],
      { env: { PATH: SYSTEM_PATH }, encoding: 'utf8' },
    );
    account = findAccount(name);
    // Another start may have made it at the same time.
    if (!account) throw new Error(`useradd could not create ${name} (${status}): ${stderr}`);
  }
  if (missingSubordinateIds(account).length > 0) {
    const range = freeSubordinateRange();
    say(`giving the user ${name} the subordinate ids ${range}, for user namespaces`);
    execFileSync('usermod', ['--add-subuids', range, '--add-subgids', range, name], {
      env: { PATH: SYSTEM_PATH },
    });
  }
  return account;
}

/**
 * As root: opens what this process writes from now on to other users, since parts that run as them read it. What is
 * secret has a mode of its own.
 */
export function openFilesToOthers(): void {
  if (process.getuid?.() === 0) process.umask(0o022);
}

/** Which of /etc/subuid and /etc/subgid give this user too few ids for a user namespace. */
export function missingSubordinateIds(account: { name: string; uid: number }): string[] {
  return ['/etc/subuid', '/etc/subgid'].filter(
    (file) =>
      !subordinateRanges(file).some(
        ({ owner, count }) =>
          (owner === account.name || owner === String(account.uid)) && count >= SUBORDINATE_IDS,
      ),
  );
}

/** A user of this machine; undefined where there is no such user. */
export function findAccount(name: string): Account | undefined {
  const { stdout } = spawnSync('getent', ['passwd', name], { encoding: 'utf8' });
  const [, , uid, gid, , home] = stdout.trim().split(':');
  if (uid === undefined || gid === undefined) return undefined;
  return { name, uid: Number(uid), gid: Number(gid), home: home ?? '/' };
}

/** Whether a user can do something (`test`'s letters: r, w, x) with a path; undefined: our own user. */
export function canAccess(account: Account | undefined, mode: 'r' | 'w' | 'x', path: string) {
  const { status } = spawnSync('setpriv', [...asUser(account), '--', 'test', `-${mode}`, path], {
    cwd: '/',
    stdio: 'ignore',
    timeout: CHECK_MS,
  });
  return status === 0;
}

/** A range of subordinate ids that nobody has, as `usermod` takes it. */
export function freeSubordinateRange(): string {
  const taken = ['/etc/subuid', '/etc/subgid'].flatMap(subordinateRanges);
  const first = Math.max(100_000, ...taken.map(({ start, count }) => start + count));
  return `${first}-${first + SUBORDINATE_IDS - 1}`;
}

function subordinateRanges(file: string): { owner: string; start: number; count: number }[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length === 3)
    .map(([owner = '', start, count]) => ({ owner, start: Number(start), count: Number(count) }));
}
