import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { unprivilegedUser } from '../../main/embedded/unprivileged-user.ts';
import { openIsolation, type Reach } from '../../sandbox/isolation.ts';
import { createUnprivileged } from '../../sandbox/unprivileged.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MIB = 2 ** 20;
const SECRET = 'a key of the user\n';
const user = unprivilegedUser(() => undefined, 'airline-test');
const unprivileged = createUnprivileged(user);

/** The home of the user, which nobody else may enter, with a key and the socket of an agent. */
let home: string;
let key: string;
let agent: Server;
/** Whom the agent has answered. */
let answered: number;
let directory: string;
beforeEach(async () => {
  directory = temporaryDirectory();
  home = join(directory, 'home');
  key = join(home, 'key');
  mkdirSync(home);
  writeFileSync(key, SECRET);
  answered = 0;
  agent = createServer((socket) => {
    answered += 1;
    socket.end();
  });
  await new Promise<void>((resolve) => agent.listen(join(home, 'agent'), resolve));
  for (const [path, mode] of [
    [home, 0o700],
    [key, 0o600],
    [join(home, 'agent'), 0o600],
  ] as const) {
    chmodSync(path, mode);
    if (user) chownSync(path, user.uid, user.gid);
  }
});
afterEach(async () => {
  agent.close();
  await unprivileged.removeDirectory(directory);
});

/** Runs a program in a place for strangers' code. */
async function run(
  command: string[],
  reach: Reach = {},
  prepare: (folder: string) => void = () => undefined,
) {
  const folder = join(directory, 'run');
  mkdirSync(folder);
  prepare(folder);
  const isolation = await openIsolation(folder, unprivileged, reach);
  const [program = '', ...args] = command;
  let output = '';
  try {
    const { exitCode } = await isolation.run(program, args, {
      signal: new AbortController().signal,
      timeoutMs: 300_000,
      killAfterMs: 1_000,
      onOutput: (chunk) => (output += chunk.toString('utf8')),
      memoryBytes: 256 * MIB,
      groups: undefined,
      fileBytes: MIB,
      roomBytes: 0,
    });
    return { exitCode, output };
  } finally {
    await isolation.stop();
  }
}

/** Leaves whatever chroot it is in, as root can, and tries all ways to the files of the user that processes are. */
const ESCAPE = `
  use Socket;
  my ($key, $agent) = @ARGV;
  opendir my $top, "/" or die;
  mkdir "$ENV{TMPDIR}/inner"; chroot "$ENV{TMPDIR}/inner" or die "no chroot: $!"; chdir $top or die;
  chdir ".." for 1 .. 64;
  chroot "." or die;
  my $up = "/.." x 16;
  for my $way ("", glob("/proc/[0-9]*/root"), map { "$_$up" } glob("/proc/[0-9]*/cwd /proc/[0-9]*/fd/*")) {
    if (open my $read, "<", "$way$key") { print "read: ", <$read>; }
    if (open my $write, ">>", "$way$key") { print "wrote\\n"; print $write "mine\\n"; }
    socket my $socket, AF_UNIX, SOCK_STREAM, 0;
    my $name = "$way$agent";
    length $name < 100 and connect($socket, pack_sockaddr_un($name)) and print "connected\\n";
  }
  print "tried\\n";`;

it('who gets out of a chroot finds no file of the user, and none of the programs that serve the user', async () => {
  const { exitCode, output } = await run(['perl', '-e', ESCAPE, key, join(home, 'agent')]);
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: 'tried\n' });
  expect(readFileSync(key, 'utf8')).toBe(SECRET);
  expect(answered).toBe(0);
});

it('what runs there reads the file that it is given, wherever that is', async () => {
  const { exitCode, output } = await run(['cat', key], { files: [key] });
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: SECRET });
});

it('a place has the same name on every machine', async () => {
  const { output } = await run(['uname', '-n']);
  expect(output).toBe('airline-test\n');
});

it("the control groups of the user's programs are not there", async () => {
  const { output } = await run(['sh', '-c', 'ls /sys /sys/fs']);
  expect(output).toContain('devices\n');
  expect(output).not.toContain('cgroup');
});

it('folders for what is not kept are on the disk of the run, for all of its ids', async () => {
  const script = `
    for each in /tmp /var/tmp; do
      setpriv --reuid 100 --clear-groups touch "$each/made"
      rm "$each/made"
    done
    stat --format=%d /tmp "$TMPDIR" | uniq | wc --lines`;
  const { exitCode, output } = await run(['sh', '-e', '-c', script]);
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: '1\n' });
});

it('what is beside the folder of a run is not there', async () => {
  mkdirSync(join(directory, 'other-run'));
  chmodSync(join(directory, 'other-run'), 0o777);
  const { output } = await run(['ls', directory]);
  expect(output).toBe('run\n');
});

it('who gets out of a chroot changes nothing that is kept beside what is its own, whoever has the folder', async () => {
  const script = `
    cd "$1" && ls -A
    mv own moved; mv tools moved
    ln -s "$2" .log && ln -s "$2" left`;
  const { output } = await run(
    ['sh', '-c', script, 'sh', join(directory, 'run'), home],
    {},
    (folder) => {
      writeFileSync(join(folder, '.log'), 'of the tester\n');
      // As where the tester is not root.
      if (user) chownSync(folder, user.uid, user.gid);
    },
  );
  expect(output).toMatch(/^own\nproxy\ntools\n/);
  const folder = join(directory, 'run');
  expect(readdirSync(folder).toSorted()).toEqual(['.log', 'left', 'own', 'tools']);
  expect(readFileSync(join(folder, '.log'), 'utf8')).toBe('of the tester\n');
  expect(lstatSync(join(folder, 'own')).isDirectory()).toBe(true);
});

/** Takes connections of the only way out until one gets no answer, lets go of all, and asks again. */
const CROWD = `
import glob, resource, socket, sys, time

def answer(connection):
    try:
        connection.sendall(b"GET http://elsewhere.invalid/ HTTP/1.1\\r\\nHost: elsewhere.invalid\\r\\n\\r\\n")
        return connection.recv(12).decode()
    except OSError:
        return ""

connect = lambda: socket.create_connection(("127.0.0.1", 3142), 5)
if len(sys.argv) > 1:
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        if "/forward.py" in open(path).read():
            most = int(sys.argv[1])
            resource.prlimit(int(path.split("/")[2]), resource.RLIMIT_NOFILE, (most, most))
crowd = [connect()]
while answer(crowd[-1]):
    crowd.append(connect())
for each in crowd:
    each.close()
while not (said := answer(connect())):
    time.sleep(0.1)
print(said)
`;

it.each<[string, string[]]>([
  ['has memory for', []],
  ['may have files open for', ['20']],
])('the only way out is there again after more connections at once than it %s', async (_, args) => {
  const { exitCode, output } = await run(['python3', '-c', CROWD, ...args]);
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: 'HTTP/1.1 403\n' });
});
