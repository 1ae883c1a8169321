import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { AptSources } from '../../../sandbox/machine.ts';
import type { Unprivileged } from '../../../sandbox/unprivileged.ts';

/** Most of what apt prints that is kept, for messages. */
const MAX_OUTPUT = 64_000;
const KILL_AFTER_MS = 5_000;
const UNUSED_MS = 7 * 86_400_000;
const CONFIGURATION = 'apt.conf';
/** Where apt keeps the program that unpacks an index, whatever it is packed with. */
const APT_HELPER = '/usr/lib/apt/apt-helper';

export type AptRootOptions = {
  /** Its own; it keeps the lists from one use to the next. */
  directory: string;
  /** The archive's, for binary packages. */
  sources: readonly AptSources[];
  architecture: string;
  /** Further ones, such as `Acquire::http::Proxy "…";`, as apt-config(8) prints them. */
  aptOptions: readonly string[];
  unprivileged: Unprivileged;
  /** For one command. */
  timeoutMs: number;
};

/** apt with lists of its own, so that the system's apt is neither needed with `deb-src` nor changed. */
export type AptRoot = {
  /** Fetches the lists, and verifies them. @throws Error where not all of them can be had */
  update: (signal: AbortSignal) => Promise<void>;
  /** The SHA-256 of each InRelease, sorted; none before the first update. */
  releases: () => Promise<string[]>;
  /**
   * Reads all lists of a kind, as text that ends anywhere; `end` comes after each list. Those of suites that apt
   * installs from only on demand are left out, such as backports: no image is made of these.
   */
  read: (
    kind: 'Packages' | 'Sources',
    onText: { push: (text: string) => void; end: () => void },
    signal: AbortSignal,
  ) => Promise<void>;
  /**
   * Downloads source packages into a folder, and verifies them.
   *
   * @param packages such as `hello=2.10-3`
   * @returns what apt says against it; undefined where it has got all of them
   */
  download: (
    packages: readonly string[],
    directory: string,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
};

/**
 * Makes the folders and the configuration of an apt of its own. What apt is to do stays ours; the lists alone are the
 * user's.
 */
export async function openAptRoot(options: AptRootOptions): Promise<AptRoot> {
  const { directory, sources, architecture, aptOptions, unprivileged, timeoutMs } = options;
  const lists = join(directory, 'lists');
  const parts = join(directory, 'sources.list.d');
  const cache = join(directory, 'cache');
  const configuration = join(directory, CONFIGURATION);
  await mkdir(parts, { recursive: true });
  for (const folder of [lists, join(lists, 'partial'), cache])
    await unprivileged.makeDirectory(folder);
  for (const { name, text } of sources) await writeFile(join(parts, name), withSources(name, text));
  await writeFile(
    configuration,
    [
      ...aptOptions,
      'Dir::Etc::SourceList "/dev/null";',
      `Dir::Etc::SourceParts ${JSON.stringify(parts)};`,
      `Dir::State::Lists ${JSON.stringify(lists)};`,
      `Dir::Cache ${JSON.stringify(cache)};`,
      `APT::Architecture ${JSON.stringify(architecture)};`,
      `APT::Architectures ${JSON.stringify(architecture)};`,
      // Whoever runs it is unprivileged already.
      'APT::Sandbox::User "root";',
      // A list that is missing would leave out tests silently.
      'APT::Update::Error-Mode "any";',
      'Acquire::Retries "3";',
      'Acquire::Languages "none";',
      'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";',
      'Acquire::IndexTargets::deb::CNF::DefaultEnabled "false";',
      '',
    ].join('\n'),
  );

  const run = async (
    command: string,
    args: readonly string[],
    { cwd = directory, signal }: { cwd?: string; signal: AbortSignal },
    onOutput: (chunk: Buffer) => void = () => undefined,
  ): Promise<{ exitCode: number | null; output: string }> => {
    let output = '';
    const { exitCode } = await unprivileged.run(command, args, {
      cwd,
      temporaryDir: cache,
      // The last file that apt reads: nothing of the machine's stands against it.
      env: { APT_CONFIG: configuration },
      signal,
      timeoutMs,
      killAfterMs: KILL_AFTER_MS,
      onOutput(chunk) {
        output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT);
        onOutput(chunk);
      },
    });
    signal.throwIfAborted();
    return { exitCode, output };
  };

  return {
    async update(signal) {
      const { exitCode, output } = await run('apt-get', ['-q', 'update'], { signal });
      if (exitCode !== 0) throw new Error(`apt-get update: ${complaintOf(output)}`);
    },

    async releases() {
      const names = await readdir(lists);
      const sums = names
        .filter((name) => name.endsWith('_InRelease'))
        .map(async (name) =>
          createHash('sha256')
            .update(await readFile(join(lists, name)))
            .digest('hex'),
        );
      return (await Promise.all(sums)).toSorted();
    },

    async read(kind, { push, end }, signal) {
      const format = 'list $(FILENAME)';
      const leftOut = await onDemandSuites(lists);
      const { output } = await run(
        'apt-get',
        ['indextargets', '--format', format, `Created-By: ${kind}`],
        { signal },
      );
      for (const [, path = ''] of output.matchAll(/^list (\S+)$/gm)) {
        if (leftOut.some((prefix) => basename(path).startsWith(prefix))) continue;
        const decoder = new StringDecoder('utf8');
        const { exitCode } = await run(APT_HELPER, ['cat-file', path], { signal }, (chunk) =>
          push(decoder.write(chunk)),
        );
        if (exitCode !== 0) throw new Error(`${path} cannot be read`);
        end();
      }
    },

    async download(packages, cwd, signal) {
      const { exitCode, output } = await run(
        'apt-get',
        // Without --only-source a name may be taken for that of a binary package.
        ['-q', 'source', '--download-only', '--only-source', '--', ...packages],
        { cwd, signal },
      );
      return exitCode === 0 ? undefined : complaintOf(output);
    },
  };
}

/**
 * How the names of a suite's lists begin, for each suite that says NotAutomatic. Names of suites do not tell: some
 * series have such a `-proposed`, and others do not.
 */
async function onDemandSuites(lists: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(lists)) {
    const [, prefix] = /^(.*_)(?:In)?Release$/.exec(name) ?? [];
    if (prefix === undefined) continue;
    const release = await readFile(join(lists, name), 'utf8');
    if (/^NotAutomatic: *yes\s*$/im.test(release)) found.push(prefix);
  }
  return found;
}

/** The machine's apt sources with `deb-src` beside each `deb` (sources.list(5), both formats). */
function withSources(name: string, text: string): string {
  return name.endsWith('.sources')
    ? text.replace(/^Types:.*$/gim, 'Types: deb deb-src')
    : text.replace(/^deb(\s.*)$/gm, 'deb$1\ndeb-src$1');
}

/**
 * Removes the roots of a folder that nobody has opened for a week: each has lists of a whole distribution, and targets
 * come and go.
 */
export async function removeUnusedRoots(
  folder: string,
  unprivileged: Pick<Unprivileged, 'removeDirectory'>,
): Promise<void> {
  const usedSince = Date.now() - UNUSED_MS;
  for (const name of await readdir(folder).catch(() => [])) {
    // Written each time that the root is opened.
    const opened = await stat(join(folder, name, CONFIGURATION)).catch(() => undefined);
    if (opened && opened.mtimeMs < usedSince)
      await unprivileged.removeDirectory(join(folder, name));
  }
}

/** The first error that apt prints, since the last only says that there was one; else its last line. */
function complaintOf(output: string): string {
  const lines = output.trim().split('\n');
  const line = lines.find((one) => one.startsWith('E:')) ?? lines.at(-1) ?? '';
  return line.replace(/^E: /, '').slice(0, 500);
}
