import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TOOL_ENVIRONMENT } from './command.ts';
import { watchRoom, type ReadDisk } from './disk-room.ts';
import { startFetchProxy, type UpstreamOf } from './fetch-proxy.ts';
import { ALLOW_NAMESPACES, UNSHARE, whyNoNamespaces } from './namespaces.ts';
import { MAX_PROCESSES, type RunGroups } from './run-groups.ts';
import { takeOut } from './take-out.ts';
import type { ProcessEnd, RunAs, Unprivileged } from './unprivileged.ts';

const FILES = fileURLToPath(new URL('isolation/', import.meta.url));
/** forward.py listens here. */
const PROXY_URL = 'http://127.0.0.1:3142/';
/**
 * All ids of the user, so that it is root of them, and no network but a loopback of its own. When the first process
 * ends, or unshare is killed, all processes end.
 */
const NAMESPACES = [
  '--map-root-user',
  '--map-auto',
  '--net',
  '--pid',
  '--mount',
  '--uts',
  '--ipc',
  '--mount-proc',
  '--fork',
  '--kill-child',
];

/** How far what is isolated may go. */
export type Bounds = {
  signal: AbortSignal;
  timeoutMs: number;
  killAfterMs: number;
  onOutput: (chunk: Buffer) => void;
  /** Memory that all processes may take together, in a group; without groups, each of them in private. */
  memoryBytes: number;
  groups: RunGroups | undefined;
  /** The largest file that it may write. */
  fileBytes: number;
  /** Room that its disk has to have left, as `hasRoom` takes it: where that is gone, it is ended. */
  roomBytes: number;
  /** How full the disk is; unset: asked of the system. */
  readDisk?: ReadDisk | undefined;
};

/** How it ended. */
export type IsolatedEnd = ProcessEnd & {
  /** It was ended because it took more memory than it may. */
  ranOutOfMemory: boolean;
  /** It was ended because its disk had too little room left, whoever has filled it. */
  ranOutOfDisk: boolean;
};

/** What is in reach of it, beside the machine's programs with their settings and what is its own. */
export type Reach = {
  /** What it may fetch: all that is below these. */
  addresses?: readonly string[];
  /** The proxy that this machine needs for what is fetched. */
  upstreamOf?: UpstreamOf | undefined;
  /** Paths of files and folders of the machine's. What of them belongs to its user, it may change. */
  files?: readonly string[];
};

/** Where something runs that strangers wrote. */
export type Isolation = {
  /** The folder that is the user's own, for what it writes. Whoever is root only takes out of it what is left. */
  own: string;
  /** A file of apt.conf(5) that makes apt fetch by the only way out. */
  aptConfiguration: string;
  run(command: string, args: readonly string[], bounds: Bounds): Promise<IsolatedEnd>;
  /** Takes out what it has left in `own` under a name, as `takeOut` does. @returns where that is then */
  take(name: string): Promise<string>;
  /** Ends what fetches for it. */
  stop(): Promise<void>;
};

/**
 * Makes a place for strangers' code: processes of another user, root of nothing but its subordinate ids, without a
 * network. The one thing that it reaches is a proxy that fetches what is below some addresses. The machine's files are
 * not there either, so that whoever gets out of a chroot finds none of the user's.
 *
 * @param folder made by the caller, who removes it. What else is there, it does not find
 */
export async function openIsolation(
  folder: string,
  unprivileged: Unprivileged,
  { addresses = [], upstreamOf, files = [] }: Reach = {},
): Promise<Isolation> {
  const tools = join(folder, 'tools');
  await mkdir(tools);
  for (const name of ['session.sh', 'unshare', 'forward.py']) {
    await copyFile(join(FILES, name), join(tools, name));
    await chmod(join(tools, name), 0o755);
  }
  const aptConfiguration = join(tools, 'apt.conf');
  await writeFile(
    aptConfiguration,
    `Acquire::http::Proxy "${PROXY_URL}";\nAcquire::https::Proxy "${PROXY_URL}";\n`,
  );
  const own = join(folder, 'own');
  await unprivileged.makeDirectory(own);
  const left = join(folder, 'left');
  await mkdir(left);
  const proxy = await startFetchProxy(join(folder, 'proxy'), addresses, upstreamOf);
  return {
    own,
    aptConfiguration,
    async run(command, args, bounds) {
      const { memoryBytes, fileBytes, groups, signal, roomBytes, readDisk, ...limits } = bounds;
      const group = await groups?.open(memoryBytes);
      const room = watchRoom(own, roomBytes, readDisk);
      try {
        const end = await unprivileged.run(
          'prlimit',
          [
            ...(group ? [] : [`--data=${memoryBytes}`, `--nproc=${await mostProcesses()}`]),
            `--fsize=${fileBytes}`,
            '--core=0',
            '--',
            UNSHARE,
            ...NAMESPACES,
            '--',
            join(tools, 'session.sh'),
            folder,
            ...files,
            '--',
            command,
            ...args,
          ],
          {
            cwd: own,
            temporaryDir: own,
            env: { PATH: `${tools}:${TOOL_ENVIRONMENT.PATH}` },
            // unshare waits for its child and hears of nothing else.
            deathSignal: 'KILL',
            ...(group ? { group: group.entrance } : {}),
            ...limits,
            signal: AbortSignal.any([signal, room.isGone]),
          },
        );
        return {
          ...end,
          ranOutOfMemory: (await group?.ranOutOfMemory()) ?? false,
          ranOutOfDisk: end.wasKilled && room.isGone.aborted,
        };
      } finally {
        room.stop();
        await group?.close();
      }
    },
    take: (name) => takeOut(join(own, name), left),
    stop: () => proxy.stop(),
  };
}

/**
 * The limit of a run that has no group. The kernel counts all processes and threads of the user, other runs' among
 * them, and raises no limit that this process has itself.
 */
async function mostProcesses(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const own = /^Max processes +(?<most>\d+)/m.exec(limits)?.groups?.['most'];
  return Math.min(MAX_PROCESSES, Number(own ?? Infinity));
}

/**
 * Sees that the user can have namespaces, that of the network among them, and a root of its own.
 *
 * @throws Error that says what to do
 */
export async function assertIsolates(runAs: RunAs | undefined, unshare = UNSHARE): Promise<void> {
  const why = await whyNoNamespaces(runAs, NAMESPACES, unshare);
  if (why !== undefined)
    throw new Error(
      "Tests are strangers' code. They run in namespaces of their own, without a network, and this machine does not let " +
        `${runAs ? `the user ${runAs.name}` : 'this user'} have these (${why}): no tests are run. ${ALLOW_NAMESPACES} ` +
        'The user needs 65536 subordinate ids in /etc/subuid and /etc/subgid. Without tests: set AIRLINE_TEST_SLOTS=0.',
    );
}
