import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { join } from 'node:path';
import { buildWithGo } from '../../../main/embedded/go-build.ts';
import type { StartContext } from '../../../main/embedded/part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';

let directory: string;
let target: string;
let builds: string[];
/** Lets the builds that have begun end. */
let finish: () => void;
let context: StartContext;

beforeEach(() => {
  directory = temporaryDirectory();
  target = join(directory, 'cache/program');
  mkdirSync(join(directory, 'bin'));
  const go = join(directory, 'bin/go');
  writeFileSync(go, '#!/bin/sh\necho go version go1.26.0 linux/amd64\n');
  chmodSync(go, 0o755);
  builds = [];
  const finished = new Promise<void>((resolve) => (finish = resolve));
  context = {
    signal: new AbortController().signal,
    note: () => undefined,
    run: async ({ args }) => {
      const binary = args[args.indexOf('-o') + 1] ?? '';
      builds.push(binary);
      await finished;
      writeFileSync(binary, `build ${builds.length}`);
    },
  };
});

const build = (given = context) =>
  buildWithGo(
    {
      projectDir: process.cwd(),
      module: 'tools',
      program: 'example.org/program',
      target,
      environment: { PATH: `${directory}/bin:/usr/bin:/bin` },
    },
    given,
  );

test('what several need at once is built once', async () => {
  const all = Promise.all([build(), build(), build()]);
  await until('a build', async () => builds[0]);
  await turn();
  expect(existsSync(target)).toBe(false);
  finish();
  await all;
  expect(builds).toHaveLength(1);
  expect(readFileSync(target, 'utf8')).toBe('build 1');
});

test('after a build that failed, the next one builds', async () => {
  const failing = { ...context, run: () => Promise.reject(new Error('no network')) };
  await expect(build(failing)).rejects.toThrow('no network');
  finish();
  await build();
  expect(readFileSync(target, 'utf8')).toBe('build 1');
});

test('what a killed build has left is removed', async () => {
  const left = `${target}.build.1`;
  mkdirSync(join(left, 'modules'), { recursive: true });
  finish();
  await build();
  expect(existsSync(left)).toBe(false);
  expect(readFileSync(target, 'utf8')).toBe('build 1');
});

test('who waits for a build gives up when the start is given up', async () => {
  const first = build();
  await until('a build', async () => builds[0]);
  const interruption = new AbortController();
  const waiting = build({ ...context, signal: interruption.signal });
  interruption.abort();
  await expect(waiting).rejects.toThrow('aborted');
  finish();
  await first;
  expect(builds).toHaveLength(1);
});
