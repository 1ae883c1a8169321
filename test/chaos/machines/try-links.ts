import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { buildNetwork } from './network.ts';

/*
 * Three machines and their links: prints as JSON which ways are open in each state of the links. It runs in a network
 * namespace of its own; the directory on its command line is the marker of its processes.
 */
const PORT = 7_000;
const ANSWER_S = '0.5';
const LISTEN = `require('node:net').createServer((socket) => socket.end()).listen(${PORT})`;

const network = await buildNetwork(['a', 'b', 'c'], process.argv[2] ?? '');
const servers: ChildProcess[] = [];
for (const name of ['a', 'b', 'c']) await begin(name);

function start([file = '', ...args]: readonly string[]): ChildProcess {
  return spawn(file, args, { stdio: 'ignore' });
}

async function begin(name: string): Promise<void> {
  await network.add(name);
  servers.push(start([...network.within(name), process.execPath, '-e', LISTEN]));
  while (!(await reaches(undefined, name)));
}

/** @param from undefined: from us, the lander */
async function reaches(from: string | undefined, to: string): Promise<boolean> {
  const open = `: </dev/tcp/${network.hostOf(to)}/${PORT}`;
  const within = from === undefined ? [] : network.within(from);
  const asked = start([...within, 'timeout', ANSWER_S, 'bash', '-c', open]);
  const [code] = (await once(asked, 'exit')) as [number];
  return code === 0;
}

async function openWays(): Promise<string> {
  const ways = [
    ['a', 'b'],
    ['b', 'a'],
    ['b', 'c'],
    [undefined, 'a'],
    [undefined, 'b'],
  ] as const;
  const open = await Promise.all(ways.map(([from, to]) => reaches(from, to)));
  return ways
    .filter((_, index) => open[index])
    .map(([from = 'lander', to]) => `${from}-${to}`)
    .join(' ');
}

const seen: Record<string, string> = { sound: await openWays() };
for (const [name, fault] of Object.entries({
  cut: { kind: 'cut' },
  mute: { kind: 'mute' },
  split: { kind: 'split', others: ['b'] },
  slow: { kind: 'slow', kbitPerS: 800 },
} as const)) {
  const repair = await network.harm({ machine: 'a', fault });
  seen[name] = await openWays();
  await repair();
}
seen['sound again'] = await openWays();
await network.remove('a');
seen['a is lost'] = (await reaches(undefined, 'a')) ? 'lander-a' : '';
await begin('a');
seen['a is back'] = await openWays();
console.log(JSON.stringify(seen));
for (const server of servers) server.kill('SIGKILL');
// What is left of it ends with us.
process.exit(0);
