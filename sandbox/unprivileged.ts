import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:fs';
import { lchown, mkdir, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed, run, TOOL_ENVIRONMENT } from './command.ts';

/** The unprivileged user that strangers' code runs as; it needs subuids and subgids. */
export type RunAs = { name: string; uid: number; gid: number };

const MAX_REMOVAL_TRIES = 15;
/**
 * Takes a new session keyring and becomes the command. Whoever has inherited a keyring can use all keys in it, whoever
 * they belong to (keyrings(7)): a login may have Kerberos tickets there. Where the kernel has no keyrings, or lets
 * nobody use them, there is nothing to leave. mmdebstrap and sbuild bring perl, which knows the number of the system
 * call.
 */
const LEAVE_KEYS = [
  'perl',
  '-e',
  `require "syscall.ph";
  my $join_session = 1;
  syscall(&SYS_keyctl, $join_session, 0) >= 0 or $!{ENOSYS} or $!{EPERM} or die "no session keyring: $!\\n";
  exec { $ARGV[0] } @ARGV or print STDERR "$ARGV[0] could not be started: $!\n" and exit 127;`,
  '--',
];
const OWN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Options of setpriv(1) that make a process another user's. @param runAs undefined: it stays this process's user */
export function asUser(runAs: Pick<RunAs, 'uid' | 'gid'> | undefined): string[] {
  return runAs ? ['--reuid', String(runAs.uid), '--regid', String(runAs.gid), '--init-groups'] : [];
}

/** How a process ended. */
export type ProcessEnd = { exitCode: number | null; wasKilled: boolean };

type UnprivilegedOptions = {
  /** Working directory and home. */
  cwd: string;
  temporaryDir: string;
  env?: Readonly<Record<string, string>>;
  /** What the process gets when its caller dies; by default it is told to end. */
  deathSignal?: 'TERM' | 'KILL';
  /** The `entrance` of a RunGroup that the process belongs to. */
  group?: string;
  /** Ends the process with all its children. */
  signal: AbortSignal;
  timeoutMs: number;
  /** Time between SIGTERM and SIGKILL. */
  killAfterMs: number;
  /** Gets standard output and standard error. */
  onOutput: (chunk: Buffer) => void;
};

/** Runs programs as the unprivileged user; as our own where that is unprivileged itself. */
export type Unprivileged = {
  run(command: string, args: readonly string[], options: UnprivilegedOptions): Promise<ProcessEnd>;
  /** Makes a folder that belongs to the user. @throws Error where a link stands in its place */
  makeDirectory(path: string): Promise<void>;
  /** Gives a file to the user; of a link, the link itself. */
  give(path: string): Promise<void>;
  /** Deletes a folder together with what belongs to the user's subuids. */
  removeDirectory(path: string): Promise<void>;
};

/**
 * Makes what runs commands as another user, and manages the files of that user.
 *
 * @param runAs undefined: as the user of this process
 */
export function createUnprivileged(runAs: RunAs | undefined): Unprivileged {
  const prefix = [...asUser(runAs), '--'];
  const userEnvironment = runAs ? { USER: runAs.name, LOGNAME: runAs.name } : {};
  const give = async (path: string) => {
    if (runAs) await lchown(path, runAs.uid, runAs.gid);
  };
  return {
    give,
    async makeDirectory(path) {
      await mkdir(path, { recursive: true });
      // The user may own the folder above, and put a link there: what that leads to does not become its own.
      const folder = await open(path, OWN_FOLDER);
      try {
        // The umask must not shut out the subuids, which own what is in a chroot.
        await folder.chmod(0o755);
        if (runAs) await folder.chown(runAs.uid, runAs.gid);
      } finally {
        await folder.close();
      }
    },
    async removeDirectory(path) {
      // Root deletes anything; another user is root over its own subuids in a user namespace.
      const [command = '', ...args] = runAs
        ? ['rm', '-rf', '--', path]
        : ['unshare', '--map-root-user', '--map-auto', 'rm', '-rf', '--', path];
      for (let triesLeft = MAX_REMOVAL_TRIES; ; triesLeft--)
        try {
          await run(command, args, { timeoutMs: 120_000 });
          return;
        } catch (error) {
          // A build that has just been told to end may still be writing there.
          if (triesLeft <= 1) throw error;
          await sleep(1_000);
        }
    },
    run(command, args, options) {
      const { cwd, temporaryDir, deathSignal = 'TERM', group, env } = options;
      // It enters its group while it is still the user that may, and before it starts anything.
      const enter = group === undefined ? [] : ['sh', '-c', 'echo 0 >"$0" && exec "$@"', group];
      // Nobody would take what it makes once its caller is dead.
      const become = ['setpriv', '--pdeathsig', deathSignal, ...prefix];
      const [file = '', ...all] = [...enter, ...become, ...LEAVE_KEYS, command, ...args];
      return supervise(
        spawn(file, all, {
          cwd,
          // The user may have no home, and what is in one must not change how packages are built.
          env: {
            ...TOOL_ENVIRONMENT,
            ...userEnvironment,
            HOME: cwd,
            TMPDIR: temporaryDir,
            ...env,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
          // A process group of its own, so that all of it can be ended.
          detached: true,
        }),
        options,
      );
    },
  };
}

/**
 * Fails early, and with a way out, where a folder cannot be reached by the user, or not by the user's subuids, which
 * own what is in a chroot. To both applies what the folder's path grants to anybody.
 *
 * @throws where not everybody can enter it
 */
export async function assertReachable(path: string, runAs: RunAs | undefined): Promise<void> {
  if (!runAs) return;
  const nobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
  try {
    await run('setpriv', [...nobody, 'test', '-x', path], { timeoutMs: 10_000 });
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw new Error(
      `The user ${runAs.name} and its subuids cannot reach ${path}: choose a cache directory that everybody may enter`,
      { cause: error },
    );
  }
}

function supervise(
  child: ChildProcess,
  { signal, timeoutMs, killAfterMs, onOutput }: UnprivilegedOptions,
): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    let wasKilled = false;
    let hardDeadline: NodeJS.Timeout | undefined;
    const kill = (name: NodeJS.Signals) => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, name);
      } catch (error) {
        // ESRCH: the group has ended on its own. EPERM: what is left belongs to subuids and ends with its leader.
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ESRCH' && code !== 'EPERM') throw error;
      }
    };
    const end = () => {
      if (wasKilled) return;
      wasKilled = true;
      kill('SIGTERM');
      hardDeadline = setTimeout(() => kill('SIGKILL'), killAfterMs);
    };
    const deadline = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const finish = () => {
      clearTimeout(deadline);
      clearTimeout(hardDeadline);
      signal.removeEventListener('abort', end);
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
    child.once('error', (error) => {
      finish();
      reject(error);
    });
    child.once('exit', () => {
      // A grandchild that holds the pipes open must not hold up the end.
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, 5_000).unref();
    });
    child.once('close', (exitCode) => {
      finish();
      resolve({ exitCode, wasKilled });
    });
  });
}
