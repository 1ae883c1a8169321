import { spawn, type ChildProcess } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { once } from 'node:events';
import { STACK_MARKER } from '../../../main/embedded/stale-processes.ts';
import { waitUntil } from '../../../main/embedded/wait-until.ts';
import { describeRules, machinesWith, type FaultyLink } from './link-rules.ts';

const SWITCH = 'switch';
const LANDER = 'lander';
/** Inside a machine. */
const DEVICE = 'eth0';
/** For benchmarks of networks (RFC 2544), so of no other use; nobody else sees it. */
const SUBNET = '198.18.0';
const READY_MS = 10_000;
/** What a narrow link lets through at once, and how long packets wait at most; more are dropped. */
const QUEUE = ['burst', '10kb', 'latency', '5s'];

/** The machines of a run and the switch that joins them: network namespaces, linked to a bridge in our own. */
export type Network = {
  /** The address of the lander, which is we. */
  landerHost: string;
  /** The address of a machine; it keeps it when it is lost and comes back. */
  hostOf(machine: string): string;
  /** Makes a machine and links it. */
  add(machine: string): Promise<void>;
  /** Takes a machine away with all of its connections: nobody is told. */
  remove(machine: string): Promise<void>;
  /** What starts a program on a machine, as a prefix of its command line. */
  within(machine: string): string[];
  /** Makes links faulty. @returns repairs them */
  harm(faulty: FaultyLink): Promise<() => Promise<void>>;
  /** Whether a machine's link is as it should be. */
  isSound(machine: string): boolean;
  close(): Promise<void>;
};

/**
 * Builds the switch in this process's own network namespace, which has nothing else. All of it lives as long as the
 * processes in it: when the last of them has ended, the kernel takes it away.
 *
 * @param names of all machines
 * @param stateDir of the stack, which the processes carry as their marker
 */
export async function buildNetwork(names: readonly string[], stateDir: string): Promise<Network> {
  const holders = new Map<string, ChildProcess>();
  const faults = new Set<FaultyLink>();
  const numberOf = (machine: string) => {
    const index = names.indexOf(machine);
    if (index < 0) throw new Error(`there is no machine ${machine}`);
    return index + 2;
  };
  const portOf = (machine: string) => `port-${numberOf(machine)}`;
  const hostOf = (machine: string) => `${SUBNET}.${numberOf(machine)}`;
  const within = (machine: string) => {
    const holder = holders.get(machine);
    if (holder?.pid === undefined) throw new Error(`${machine} is no machine just now`);
    return ['nsenter', `--net=/proc/${holder.pid}/ns/net`, '--'];
  };
  const applyRules = () => run(['nft', '-f', '-'], describeRules([...faults], portOf));
  const landerHost = `${SUBNET}.1`;

  await ip(
    'link set lo up',
    `link add ${SWITCH} type bridge`,
    `link set ${SWITCH} up`,
    `link add ${LANDER} type veth peer name port-1`,
    `address add ${landerHost}/24 dev ${LANDER}`,
    `link set port-1 master ${SWITCH}`,
    'link set port-1 up',
    `link set ${LANDER} up`,
  );

  return {
    landerHost,
    hostOf,
    within,
    isSound: (machine) => !machinesWith([...faults]).has(machine),
    async add(machine) {
      const holder = spawn(
        'setpriv',
        ['--pdeathsig', 'KILL', '--', 'unshare', '--net', '--', 'sleep', 'infinity'],
        { stdio: 'ignore', env: { PATH: '/usr/sbin:/usr/bin:/bin', [STACK_MARKER]: stateDir } },
      );
      await once(holder, 'spawn');
      const own = readlinkSync('/proc/self/ns/net');
      const isApart = () => readlinkSync(`/proc/${holder.pid}/ns/net`) !== own;
      await waitUntil(`the network of ${machine}`, isApart, { timeoutMs: READY_MS, intervalMs: 5 });
      holders.set(machine, holder);
      const port = portOf(machine);
      await ip(
        `link add ${port} type veth peer name ${DEVICE} netns ${holder.pid}`,
        `link set ${port} master ${SWITCH}`,
        `link set ${port} up`,
      );
      const number = numberOf(machine).toString(16).padStart(2, '0');
      await ipOn(
        within(machine),
        'link set lo up',
        // The same at each time: its neighbours know it.
        `link set ${DEVICE} address 02:00:c6:12:00:${number}`,
        `address add ${hostOf(machine)}/24 dev ${DEVICE}`,
        `link set ${DEVICE} up`,
      );
    },
    async remove(machine) {
      const holder = holders.get(machine);
      if (!holder) return;
      holders.delete(machine);
      await ip(`link delete ${portOf(machine)}`);
      holder.kill('SIGKILL');
      if (holder.exitCode === null && holder.signalCode === null) await once(holder, 'exit');
    },
    async harm(faulty) {
      const { machine, fault } = faulty;
      faults.add(faulty);
      await applyRules();
      if (fault.kind === 'slow') {
        const queue = ['root', 'tbf', 'rate', `${fault.kbitPerS}kbit`, ...QUEUE];
        await run(['tc', 'qdisc', 'replace', 'dev', portOf(machine), ...queue]);
        await run([...within(machine), 'tc', 'qdisc', 'replace', 'dev', DEVICE, ...queue]);
      }
      return async () => {
        faults.delete(faulty);
        await applyRules();
        if (fault.kind !== 'slow' || !holders.has(machine)) return;
        await run(['tc', 'qdisc', 'delete', 'dev', portOf(machine), 'root']);
        await run([...within(machine), 'tc', 'qdisc', 'delete', 'dev', DEVICE, 'root']);
      };
    },
    async close() {
      for (const holder of holders.values()) holder.kill('SIGKILL');
      holders.clear();
    },
  };
}

function ip(...commands: string[]): Promise<void> {
  return ipOn([], ...commands);
}

function ipOn(prefix: readonly string[], ...commands: string[]): Promise<void> {
  return run([...prefix, 'ip', '-batch', '-'], `${commands.join('\n')}\n`);
}

/** @throws Error with what the program says */
async function run(command: readonly string[], input = ''): Promise<void> {
  const [file, ...args] = command as [string, ...string[]];
  const child = spawn(file, args, {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  // Some read nothing, and end before we have said so.
  child.stdin.on('error', () => undefined).end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command.join(' ')}: ${said.trim()}\n${input}`);
}
