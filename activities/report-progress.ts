import { isDeepStrictEqual } from 'node:util';
import type { SentPackages } from '../domain/builds/build-workflow.ts';
import type { ProgressReport } from '../domain/builds/progress.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { sentPackages } from './sent-packages.ts';

type ReportDependencies = Pick<ActivityDependencies, 'database' | 'onRecorded'>;

/**
 * Records a report as the build's next progress event. A report that was recorded before is not recorded again,
 * and nothing follows a final one. The message itself is the publisher's work: a broker that is down delays no build.
 *
 * @returns `isEnded`: the attempt had ended before the report, as when its start took too long. `sent`: it is not
 * recorded, because the attempt has sent this, and the report is for where it has sent nothing
 */
export function reportProgress({ database, onRecorded }: ReportDependencies) {
  return async (report: ProgressReport): Promise<{ isEnded: boolean; sent?: SentPackages }> => {
    const sent = report.ifNothingSent && (await sentPackages(database, report));
    if (sent) return { isEnded: false, sent };
    const recorded = await database.ProgressEvent.record(report);
    onRecorded?.();
    return { isEnded: recorded === null };
  };
}

/**
 * Records the builds as they are now. Where an earlier try had recorded other builds under the same key and then
 * crashed, these are a change that nobody has reported yet, and get a key of their own. Before the first try there was
 * none: what is recorded then is of a later one, and newer.
 *
 * @returns a function of the report and of the number of the try, from 1
 */
export function reportBuilds({ database, onRecorded }: ReportDependencies) {
  return async (report: ProgressReport, attempt: number): Promise<void> => {
    const recorded = await database.ProgressEvent.record(report);
    if (recorded && attempt > 1 && !isDeepStrictEqual(recorded.builds, report.builds))
      await database.ProgressEvent.record({ ...report, key: `${report.key}:try-${attempt}` });
    onRecorded?.();
  };
}
