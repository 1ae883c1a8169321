import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartContext } from './part.ts';
import { isAtLeast } from './program-version.ts';

/** A Go that builds a module, and the environment to run it in. */
export type Go = { file: string; environment: Readonly<Record<string, string>> };

// From here on, Go fetches the newer Go that a module asks for by itself.
const FETCHES_NEWER = [1, 21] as const;
const INSTALL_MS = 600_000;
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
};

/**
 * Finds Go: the one on PATH, else Debian's, which is installed. One that is too old for a module fetches the right
 * one as the module that Go's own toolchains are published as (`golang.org/toolchain`,
 * https://go.dev/doc/toolchain).
 *
 * @param options.module the directory of the go.mod that says which Go is right, below the project's
 * @param options.environment where Go looks for modules and keeps them
 * @throws Error if it is missing and cannot be installed
 */
export async function findGo(
  options: {
    projectDir: string;
    module: string;
    /** An empty directory, for a Go that is fetched. */
    directory: string;
    environment: Readonly<Record<string, string>>;
  },
  { run, note }: StartContext,
): Promise<Go> {
  const { projectDir, module, directory, environment } = options;
  let version = goVersion(environment);
  if (version === undefined) {
    note("installing Debian's Go");
    const command = { file: 'sh', args: ['scripts/set-up.sh', 'go'], cwd: projectDir, environment };
    await run(command, INSTALL_MS);
    version = goVersion(environment);
  }
  if (version === undefined) throw new Error('Go is not on PATH');
  if (isAtLeast(version, FETCHES_NEWER)) return { file: 'go', environment };
  const goMod = readFileSync(join(projectDir, module, 'go.mod'), 'utf8');
  const wanted = /^go (\S+)$/m.exec(goMod)?.[1];
  const toolchain = `golang.org/toolchain@v0.0.1-go${wanted}.linux-${ARCHITECTURES[process.arch]}`;
  note(`fetching Go ${wanted} with the Go ${version} that is here`);
  await run(
    { file: 'go', args: ['mod', 'download', toolchain], cwd: directory, environment },
    INSTALL_MS,
  );
  const root = join(environment['GOMODCACHE'] ?? directory, toolchain);
  if (!existsSync(root)) throw new Error(`${toolchain} was fetched, but ${root} does not exist`);
  // Modules carry no file modes.
  spawnSync('chmod', ['-R', 'a+x', join(root, 'bin'), join(root, 'pkg/tool')]);
  return { file: join(root, 'bin/go'), environment: { ...environment, GOTOOLCHAIN: 'local' } };
}

function goVersion(environment: Readonly<Record<string, string>>): string | undefined {
  const { stdout, error } = spawnSync('go', ['version'], { env: environment, encoding: 'utf8' });
  return error ? undefined : /go(\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1];
}
