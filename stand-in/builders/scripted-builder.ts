import { setTimeout as sleep } from 'node:timers/promises';
import { buildLogName, createBuildLogs, openBuildLog } from './build-log.ts';
import type { Builder, BuildOutcome } from './builder.ts';
import type { ArchiveState } from '../archive/archive-state.ts';
import type { Layout } from '../archive/layout.ts';
import { hasEnded, type Build } from '../archive/records.ts';
import { isReleased, scriptedSteps, type ScriptFile, type ScriptStep } from '../script/script.ts';
import { createScriptGate } from '../script/script-gate.ts';
import { makeScriptedPackage, removeScriptedPackage } from './scripted-package.ts';

const UNSCRIPTED: ScriptStep[] = [
  'Currently building',
  'Gathering build output',
  'Uploading build',
  'Successfully built',
].map((state) => ({
  state,
  durationMs: 0,
  untilReleased: false,
  logRepeat: 1,
  noLog: false,
  logAfterMs: 0,
  binaries: false,
  publicationsAfterMs: 0,
}));

/** Builds nothing: takes every build through the states that a script names, and writes a log of them. */
export function createScriptedBuilder(
  script: ScriptFile,
  { state, layout, logMaxBytes }: { state: ArchiveState; layout: Layout; logMaxBytes: number },
): Builder {
  const gate = createScriptGate((source, release) => isReleased(script.source(source), release));
  const logs = createBuildLogs(layout, logMaxBytes);
  return {
    canBuild: () => true,
    async build({ build, report, signal }): Promise<BuildOutcome> {
      const missing = (script.source(build.source)?.needs ?? []).filter(
        (name) => !isPublished(state, build, name),
      );
      if (missing.length > 0)
        return { state: 'Dependency wait', log: null, dependencies: missing.join(', ') };
      const steps =
        scriptedSteps(script.source(build.source), build.architecture, build.attempt) ?? UNSCRIPTED;
      const last = steps.at(-1) as ScriptStep;
      const passed: string[] = [];
      const log = await logs.open(build);
      for (const step of steps) {
        if (step === last && hasEnded(step.state)) break;
        // More of the same state is more of the log.
        if (step.state !== passed.at(-1)) {
          report(step.state);
          passed.push(step.state);
        }
        if (step.writes !== undefined) log.stream.write(step.writes);
        if (step === last) await untilAborted(signal);
        else if (step.durationMs > 0)
          // An aborted wait is not a fault: it ends the build.
          await sleep(step.durationMs, undefined, { signal }).catch(() => undefined);
        if (step.untilReleased)
          await gate.untilReleased(build.source, Number(step.untilReleased), signal);
        if (signal.aborted) break;
      }
      if (!last.noLog) {
        const text =
          last.log ?? `Scripted build of ${build.source} ${build.version}\n${passed.join('\n')}\n`;
        for (let written = 0; written < last.logRepeat; written++)
          if (!log.stream.write(text))
            await new Promise((resolve) => log.stream.once('drain', resolve));
      }
      await log.close();
      let uploadLog: string | null = null;
      if (last.uploadLog !== undefined) {
        uploadLog = `upload_${build.id}_log.txt.gz`;
        const log = await openBuildLog(layout, build, logMaxBytes, uploadLog);
        log.stream.write(last.uploadLog);
        await log.close();
      }
      return {
        state: last.state,
        log: last.noLog ? null : buildLogName(build),
        logAfterMs: last.logAfterMs,
        publicationsAfterMs: last.publicationsAfterMs,
        ...(last.binaries && !signal.aborted ? { builtDir: await makeScriptedPackage(build) } : {}),
        uploadLog,
        dependencies: last.dependencies ?? null,
      };
    },
    logTail: logs.logTail,
    clean: removeScriptedPackage,
    stop: () => Promise.resolve(),
  };
}

function isPublished(state: ArchiveState, { archive, series }: Build, name: string): boolean {
  return state
    .binaries(archive)
    .some((one) => one.name === name && one.series === series && one.status === 'Published');
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}
