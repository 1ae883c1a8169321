import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const BASICS = ['sh', 'dirname', 'uname', 'find', 'touch', 'tail', 'mktemp', 'rm', 'cat', 'env'];

let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
  mkdirSync(join(directory, 'bin'));
  mkdirSync(join(directory, 'project/main'), { recursive: true });
  mkdirSync(join(directory, 'project/node_modules'));
  cpSync('main/set-up.sh', join(directory, 'project/main/set-up.sh'));
  for (const name of BASICS) program(name, which(name));
  program('node', process.execPath);
  lockfile('package-lock.json', { tsx: '4.0.0' });
  lockfile('node_modules/.package-lock.json', { tsx: '4.0.0' });
});

const which = (name: string) =>
  spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();

/** Puts a program on the PATH of the machine that set-up sees: a real one, or a script in its place. */
function program(name: string, target: string, script?: string): void {
  const path = join(directory, 'bin', name);
  if (script === undefined) symlinkSync(target, path);
  else writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
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

function setUp(...args: string[]) {
  return spawnSync('sh', [join(directory, 'project/main/set-up.sh'), ...args], {
    env: { PATH: join(directory, 'bin'), TMPDIR: directory },
    encoding: 'utf8',
  });
}

/** A machine on which every Debian package is installed. */
function withDebianPackages(): void {
  program('apt-get', '', 'echo "apt-get must not run" >&2; exit 9');
  program('dpkg-query', '', 'shift 3; for package; do printf "installed:%s " "$package"; done');
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

it("leaves them where only the lockfile's date is newer", () => {
  withDebianPackages();
  makeNewer('package-lock.json');
  expect(setUp()).toMatchObject({ status: 0, stdout: '' });
});

it('installs the Debian packages that are missing, as root', () => {
  withoutSome();
  program('id', '', 'echo 0');
  program('tee', '', 'cat >/dev/null');
  program('chmod', '', ':');
  program('apt-get', '', `echo "$*" >>${join(directory, 'apt.log')}`);
  const { status, stdout } = setUp('test');
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'set-up: installing Debian packages: mmdebstrap rabbitmq-server \n',
  });
  const log = spawnSync('cat', [join(directory, 'apt.log')], { encoding: 'utf8' }).stdout;
  expect(log).toBe('-q update\n-qy --no-install-recommends install mmdebstrap rabbitmq-server\n');
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
  program('chmod', '', ':');
  program('apt-get', '', 'echo "E: no such mirror"; exit 100');
  expect(setUp()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/E: no such mirror\n[^]*apt-get could not install them/),
  });
});

it('refuses a Node that is too old', () => {
  withDebianPackages();
  spawnSync('rm', [join(directory, 'bin/node')]);
  program('node', '', '[ "$1" = --version ] && echo v18.20.0 && exit; exit 1');
  expect(setUp()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('This is Node v18.20.0; Airline needs 20.19 or newer'),
  });
});

function makeNewer(name: string): void {
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(directory, 'project', name), later, later);
}
