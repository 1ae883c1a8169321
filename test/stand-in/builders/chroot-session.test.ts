import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { unprivilegedUser } from '../../../main/embedded/unprivileged-user.ts';
import { createUnprivileged } from '../../../sandbox/unprivileged.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

const SCRIPT = 'stand-in/builders/chroot-session.sh';
/** overlayfs cannot be told of a folder whose name has a colon. */
const WITHOUT_LAYERS = 'without:layers';

const execute = promisify(execFile);
const user = unprivilegedUser(() => undefined);
const [program = '', ...asUser] = user
  ? ['setpriv', '--reuid', String(user.uid), '--regid', String(user.gid), '--init-groups', '--']
  : ['env'];

const find = (name: string) =>
  execFileSync('sh', ['-c', 'readlink -f "$(command -v "$0")"', name], { encoding: 'utf8' }).trim();

/** A chroot of a shell and three programs. */
let tarball: string;
let withoutUmount: string;
beforeAll(() => {
  const tree = join(temporaryDirectory(), 'tree');
  for (const folder of ['dev', 'etc', 'proc', 'sys'])
    mkdirSync(join(tree, folder), { recursive: true });
  for (const name of ['sh', 'cat', 'sleep', 'umount']) {
    const path = find(name);
    const libraries = execFileSync('ldd', [path], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
    for (const [from, to] of [[path, `/usr/bin/${name}`], ...libraries.map((one) => [one, one])]) {
      const target = join(tree, to as string);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(from as string, target);
      chmodSync(target, 0o755);
    }
  }
  tarball = `${tree}.tar`;
  withoutUmount = `${tree}-without-umount.tar`;
  execFileSync('tar', ['-C', tree, '-cf', tarball, '.']);
  execFileSync('tar', ['-C', tree, '-cf', withoutUmount, '--exclude=./usr/bin/umount', '.']);
});

let home: string;
let secret: string;
let session: ChildProcess;
let answers: AsyncIterator<string>;
let execution: string[];

/** Asks as sbuild does. @returns the first line of the answer */
async function ask(request: string): Promise<string> {
  session.stdin?.write(`${request}\n`);
  return (await answers.next()).value as string;
}
const runInChroot = async (script: string): Promise<string> => {
  const { stdout } = await execute(program, [...asUser, ...execution, 'sh', '-c', script]);
  return stdout;
};

async function serve(of: string, cache: string): Promise<void> {
  const folders = [join(home, cache), join(home, 'root')];
  session = spawn(program, [...asUser, join(home, 'session.sh'), 'serve', of, ...folders]);
  answers = createInterface({ input: session.stdout as NodeJS.ReadableStream })[
    Symbol.asyncIterator
  ]();
  expect((await answers.next()).value).toBe('ok');
}

async function open(cache: string): Promise<void> {
  await serve(tarball, cache);
  session.stderr?.resume();
  expect(await ask('open')).toBe(`ok ${join(home, 'root')}`);
  const [, command = ''] = /^ok (.*)$/.exec(await ask('print-execute-command')) ?? [];
  execution = command.split(',').map((word) => decodeURIComponent(word));
}

beforeEach(() => {
  home = temporaryDirectory();
  copyFileSync(SCRIPT, join(home, 'session.sh'));
  chmodSync(join(home, 'session.sh'), 0o755);
  secret = join(home, 'closed', 'key');
  for (const folder of ['cache', WITHOUT_LAYERS, 'closed']) mkdirSync(join(home, folder));
  chmodSync(join(home, 'closed'), 0o700);
  writeFileSync(secret, 'a key of the user\n');
  for (const path of ['.', 'cache', WITHOUT_LAYERS, 'closed', 'closed/key'])
    if (user) chownSync(join(home, path), user.uid, user.gid);
});
afterEach(async () => {
  session.kill('SIGKILL');
  await createUnprivileged(user).removeDirectory(home);
});

describe.each([
  ['in a layer over what was unpacked', 'cache'],
  ['where the machine has no layers', WITHOUT_LAYERS],
])('root in the chroot of a build, %s,', (_, cache) => {
  beforeEach(() => open(cache));

  it('works in the chroot', async () => {
    expect(await runInChroot('echo made >/etc/made; cat /etc/made /etc/hosts')).toBe(
      'made\n127.0.0.1 localhost\n127.0.1.1 sbuild\n',
    );
    expect(existsSync('/etc/made')).toBe(false);
  });

  it('neither reads nor writes a file of the user by way of any process', async () => {
    const up = '/..'.repeat(12);
    const script = `
      for folder in /proc/[0-9]*/root /proc/[0-9]*/cwd${up} /proc/[0-9]*/fd/*${up}; do
        cat "$folder${secret}"
        echo mine >"$folder${secret}"
      done 2>/dev/null
      echo tried`;
    expect(await runInChroot(script)).toBe('tried\n');
    expect(readFileSync(secret, 'utf8')).toBe('a key of the user\n');
  });

  it("finds what the machine has in it, but no control group of the user's programs", async () => {
    const script =
      'cd /sys; for each in devices fs/cgroup; do [ ! -e "$each" ] || echo "$each"; done';
    expect(await runInChroot(script)).toBe('devices\n');
  });
});

/** The processes in a namespace, by their ids outside, without those that only wait to be buried. */
const processesIn = (namespace: string) =>
  readdirSync('/proc').filter((id) => {
    try {
      return (
        /^\d+$/.test(id) &&
        readlinkSync(`/proc/${id}/ns/pid`) === namespace &&
        readFileSync(`/proc/${id}/cmdline`, 'utf8') !== ''
      );
    } catch {
      // It has ended, or is not ours.
      return false;
    }
  });

describe('what a build has left running, with all that the first process has open,', () => {
  let namespace: string;
  beforeEach(async () => {
    await open('cache');
    namespace = readlinkSync(`/proc/${execution[2]}/ns/pid_for_children`);
    await runInChroot('exec 5>/proc/1/fd/0; sleep 1000 >/proc/1/fd/1 2>&1 </dev/null &');
    expect(processesIn(namespace)).not.toEqual([]);
  });
  const end = () => until('all to have ended', () => processesIn(namespace).length === 0, 10_000);

  it('ends when sbuild closes the chroot', async () => {
    expect(await ask('close')).toBe('ok');
    await end();
  });

  it('ends when sbuild is gone', async () => {
    session.stdin?.end();
    await end();
  });

  it('ends when the session is killed', async () => {
    session.kill('SIGKILL');
    await end();
  });
});

it('a package is not built without a loopback where the machine has no ip, and the log says why', async () => {
  await open('cache');
  const programs = join(home, 'programs');
  mkdirSync(programs);
  for (const name of ['sh', 'nsenter', 'unshare']) symlinkSync(find(name), join(programs, name));
  const withoutIp = join(home, 'without-ip.sh');
  writeFileSync(withoutIp, readFileSync(SCRIPT, 'utf8').replace(/^PATH=.*$/m, `PATH=${programs}`), {
    mode: 0o755,
  });
  const [session = '', ...run] = execution;
  const build = (by: string) =>
    execute(program, [
      ...asUser,
      by,
      ...run,
      '/usr/bin/sh',
      '-c',
      'echo built',
      'dpkg-buildpackage',
    ]);
  expect((await build(session)).stdout).toBe('built\n');
  await expect(build(withoutIp)).rejects.toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(/\bip: not found/),
  });
});

it('a chroot that has no umount is not opened, and the log says what to do', async () => {
  await serve(withoutUmount, 'cache');
  let log = '';
  session.stderr?.setEncoding('utf8').on('data', (part) => (log += part));
  expect(await ask('open')).toBe('the chroot could not be set up');
  await until('the log to say why', () => log.includes(`Remove ${withoutUmount}: `));
});
