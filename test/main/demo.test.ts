import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { foreignEnvironment } from '../../main/config/config.ts';
import { programArguments } from '../support/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const DEMO = await programArguments('main/demo.ts');

let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
});

/** Runs the demonstration with the programs of the directory before all others. */
async function runDemo(...args: string[]) {
  const stateDir = join(directory, 'state');
  const child = spawn(process.execPath, [...DEMO, ...args], {
    env: {
      ...foreignEnvironment(),
      PATH: `${directory}:${process.env['PATH']}`,
      AIRLINE_STATE_DIR: stateDir,
      // A stack with this port would not start.
      AIRLINE_API_PORT: 'http',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: child.exitCode, stdout, stderr, hasStarted: existsSync(stateDir) };
}

it('a .dsc that is not there stops the demonstration before anything starts', async () => {
  const path = join(directory, 'nothing_1.0.dsc');
  expect(await runDemo('--package', path)).toEqual({
    code: 1,
    stdout: expect.stringMatching(/failed\s*$/),
    stderr: `There is no file ${path}.\n`,
    hasStarted: false,
  });
});

/** Gives the demonstration the machine's own apt with one mirror, which is asked once. */
function withMirror(url: string): void {
  const list = join(directory, 'mirror.list');
  writeFileSync(list, `deb-src [trusted=yes] ${url} ./\n`);
  const options = [
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::Etc::SourceList=${list}`,
    'Acquire::Retries=0',
    'Acquire::http::Proxy=DIRECT',
  ]
    .map((option) => `-o ${option}`)
    .join(' ');
  writeFileSync(join(directory, 'apt-get'), `#!/bin/sh\nexec /usr/bin/apt-get "$@" ${options}\n`, {
    mode: 0o755,
  });
}

it('so does a mirror that does not answer, and apt says which', async () => {
  withMirror('http://127.0.0.1:1/debian');
  expect(await runDemo('--package', 'hello')).toEqual({
    code: 1,
    stdout: expect.any(String),
    stderr: expect.stringMatching(/Failed to fetch http:\/\/127\.0\.0\.1:1\/debian/),
    hasStarted: false,
  });
});

it('so does a package that apt does not find', async () => {
  const mirror = join(directory, 'mirror');
  mkdirSync(mirror);
  writeFileSync(join(mirror, 'Sources'), '');
  withMirror(`file:${mirror}`);
  expect(await runDemo('--package', 'no-such-package')).toEqual({
    code: 1,
    stdout: expect.stringMatching(/failed\s*$/),
    stderr: expect.stringMatching(
      /^apt-get .* source .*no-such-package ended with 100:\n(.*\n)*E: Unable to find a source package for no-such-package\n$/,
    ),
    hasStarted: false,
  });
});
