import { Context } from '@temporalio/activity';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodeOf, summaryLine } from '../../domain/testing/autopkgtest.ts';
import { ImageProblem, type MadeImage, type TestMachine, type RunContext } from './test-machine.ts';
import { isReleased, readTestScript, scriptedRun } from './test-script.ts';

const POLL_MS = 100;

/**
 * Makes no image and runs no test: does what a script says, for tests of what comes of it. The script is read again at
 * each use.
 *
 * @throws Error where the script cannot be read now
 */
export function createScriptedMachine(
  scriptPath: string,
  options: { name: string; architecture: string; workDir: string; squashfs?: boolean },
): TestMachine {
  const { name, architecture, workDir, squashfs = false } = options;
  readTestScript(scriptPath);
  const failures = { base: 0, landing: 0 };

  const makeFolder = async () => {
    await mkdir(workDir, { recursive: true });
    return mkdtemp(join(workDir, 'scripted-'));
  };
  const makeImage = async (
    kind: 'base' | 'landing',
    text: string,
    { signal }: RunContext,
  ): Promise<MadeImage> => {
    const said = readTestScript(scriptPath).images[kind];
    const { durationMs = 0, fails, times = 0, uninstallable: isUninstallable = false } = said ?? {};
    await sleep(durationMs, undefined, { signal });
    if (fails !== undefined && failures[kind]++ < times)
      throw new ImageProblem(fails, { isUninstallable });
    const path = join(await makeFolder(), 'image.tar.zst');
    await writeFile(path, text);
    return { path, packages: [{ name: 'base-files', version: '1' }], releases: {} };
  };

  return {
    name,
    architecture,
    makeFolder,
    removeFolder: (path) => rm(path, { recursive: true, force: true }),
    close: async () => undefined,
    // What the archive has is in the image, as apt's lists are in a real one.
    makeBase: ({ distribution, series }, context) => {
      const { archive } = readTestScript(scriptPath);
      const text = `${distribution} ${series} ${architecture} ${JSON.stringify(archive)}\n`;
      return makeImage('base', text, context);
    },
    makeLanding: (base, { binaries }, context) =>
      makeImage('landing', JSON.stringify([base.sha256, binaries]), context),
    makeSquashfs: squashfs
      ? async (image) => {
          const path = join(await makeFolder(), 'image.squashfs');
          await writeFile(path, `squashfs of ${image.sha256}\n`);
          return path;
        }
      : undefined,
    async runTest(request, { signal: cancelled, deadline, onOutput, begin }) {
      const signal = AbortSignal.any([cancelled, deadline]);
      const { durationMs, hang, untilReleased, die, ...run } = scriptedRun(
        readTestScript(scriptPath),
        request,
      );
      await begin();
      onOutput(Buffer.from(run.log ?? `Scripted tests of ${request.source} ${request.version}\n`));
      await sleep(durationMs, undefined, { signal });
      if (die && Context.current().info.attempt === 1) process.kill(process.pid, 'SIGKILL');
      while (hang || (untilReleased && !isReleased(readTestScript(scriptPath), request.source)))
        await sleep(POLL_MS, undefined, { signal });
      const exitCode = run.exitCode === undefined ? exitCodeOf(run.results) : run.exitCode;
      return {
        exitCode,
        summary: run.summary ?? run.results.map(summaryLine).join(''),
        testedSource: `${request.source} ${request.version}`,
        hasTestinfo: run.testinfo,
        installed: run.installed ?? [...request.landed],
        artifacts: null,
      };
    },
  };
}
