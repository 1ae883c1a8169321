import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from './directories.ts';
import { findGo } from './go-program.ts';
import { makeOnce } from './make-once.ts';
import type { StartContext } from './part.ts';
import { renameWhole } from './rename-whole.ts';

const BUILD_MS = 60 * 60_000;

/**
 * Builds a program that a Go module names as its tool, of the versions that the module pins. It takes minutes. Where
 * another process builds it at the same moment, this one waits for that.
 *
 * @param options.module the directory of its go.mod, below the project's
 * @param options.program import path of the program
 * @param options.target where the program is put, once it is whole
 * @param options.isUsable whether the file that the target has is the program; by default any file is
 * @param options.environment of the build: PATH, HOME, proxies
 */
export async function buildWithGo(
  options: {
    projectDir: string;
    module: string;
    program: string;
    target: string;
    isUsable?: (path: string) => boolean;
    environment: Readonly<Record<string, string>>;
  },
  context: StartContext,
): Promise<void> {
  const { target, isUsable = existsSync } = options;
  await makeOnce({
    unfinished: `${target}.build`,
    limitMs: BUILD_MS,
    signal: context.signal,
    isThere: () => isUsable(target),
    make: () => buildAlone(options, context),
    remove: removeBuild,
  });
}

async function buildAlone(
  { projectDir, module, program, target, environment }: Parameters<typeof buildWithGo>[0],
  context: StartContext,
): Promise<void> {
  // Go's caches take 3 GB and nobody needs them afterwards.
  const directory = `${target}.build.${process.pid}`;
  makeDirectory(directory);
  const goEnvironment = {
    ...environment,
    CGO_ENABLED: '0',
    GOFLAGS: `${environment['GOFLAGS'] ?? ''} -modcacherw`.trim(),
    GOMODCACHE: modulesIn(directory),
    GOCACHE: join(directory, 'objects'),
    GOTMPDIR: directory,
  };
  const binary = join(directory, 'program');
  try {
    const go = await findGo({ projectDir, module, directory, environment: goEnvironment }, context);
    await context.run(
      {
        file: go.file,
        args: ['build', '-o', binary, '-ldflags=-s -w', program],
        cwd: join(projectDir, module),
        environment: go.environment,
      },
      BUILD_MS,
    );
    chmodSync(binary, 0o755);
    renameWhole(binary, target);
  } finally {
    removeBuild(directory);
  }
}

function removeBuild(directory: string): void {
  // The toolchain that Go may have fetched for itself is read-only in spite of -modcacherw.
  if (existsSync(modulesIn(directory))) spawnSync('chmod', ['-R', 'u+w', modulesIn(directory)]);
  rmSync(directory, { recursive: true, force: true });
}

function modulesIn(directory: string): string {
  return join(directory, 'modules');
}
