import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { BuildActivities } from '../../activities/index.ts';
import {
  ATTEMPT_ENDED,
  CALLER_GONE,
  CANCEL_SIGNAL,
  CANCEL_URL_CALLER,
  type SentPackages,
} from '../../domain/builds/build-workflow.ts';
import {
  NEWS_SIGNAL,
  toldPhase,
  type PpaNews,
  type ToldPhase,
} from '../../domain/builds/ppa-watch.ts';
import type { RootCause } from '../../domain/builds/failure.ts';
import { buildRecordState, judgeBuildRecords } from '../../domain/builds/build-state.ts';
import { dependencyWaitSince } from '../../domain/builds/dependency-wait.ts';
import type { PlaceInOrder, SourceFile } from '../../domain/packages/source-file.ts';
import type { UploadProgress } from '../../domain/builds/upload-progress.ts';
import { architectureBuilds, type ProgressReport } from '../../domain/builds/progress.ts';
import { buildRecord } from '../support/build-record.ts';

type Joining = Parameters<BuildActivities['joinWatch']>[0];

/** None of a scene that is watched takes as many. */
const MAX_ROUNDS = 3_000;

type Poll = {
  builds: string[];
  accepted?: boolean;
  cancelRequested?: boolean;
  published?: boolean;
  /** Of a build that polls by itself: its tries have failed for long. */
  afterOutage?: true;
  /** Of a build that polls by itself: so long ago the latest outage ended that the watch of the PPA has seen. */
  answersForMs?: number;
  /** Of a build that polls by itself: packages that the PPA has without any build. */
  withoutBuilds?: string[];
};

/** A PPA as the workflow sees it: what each poll shows, the last one for ever after. */
export type PpaScript = {
  /** The source packages of the request. */
  sources?: string[];
  /** Those of them that are in the PPA from an earlier attempt. */
  alreadyThere?: string[];
  polls?: Poll[];
  /** The request has an order; polls show the packages that were uploaded. */
  inOrder?: {
    /** Those of `sources`. */
    places: PlaceInOrder[];
    /** What the polls of a package show, the last one for ever after; else it is built at once. */
    states?: Record<string, string[]>;
    /** No poll shows what is built as published. */
    neverPublished?: boolean;
  };
  /** What a poll shows after a cancellation was asked for in the PPA. */
  afterCancel?: string[];
  /** Another build request waits for what the PPA builds: a cancellation leaves it alone. */
  keptFor?: number;
  /** So many polls after a cancellation show that the PPA has not got to it yet. */
  cancellingPolls?: number;
  /** The question that Launchpad does not answer; the watch of the PPA knows the builds all the same. */
  away?: 'cancelBuilds' | 'watchBuilds';
  /** The files of each source package. */
  files?: SourceFile[];
  /** The activity that finds that the caller is gone. */
  callerGone?: 'checkSources' | 'mergeProposal' | 'uploadSource' | 'retryBuilds';
  /** Fails the check of the sources with this code of the catalogue. */
  refusedSources?: string;
  /** Fails the making of the source of a merge proposal with this code of the catalogue. */
  refusedMerge?: string;
  /** The upload stays under way until it is cancelled. */
  hangingUpload?: boolean;
  /** The worker that uploads falls silent in this phase. */
  silentUpload?: UploadProgress['phase'];
  /** The source package whose upload falls silent; each where nothing is said. */
  silentSource?: string;
  /** The upload of this source package fails at each try. */
  brokenUpload?: string;
  /** The PPA's web service is away for so many tries to upload. */
  awayForUploads?: number;
  /** The upload breaks off in its last file. */
  unclearUpload?: boolean;
  brokenLogs?: boolean;
  /** The attempt had ended before the logs are collected. */
  endedBeforeLogs?: boolean;
  /** The PPA has no log of any build. */
  absentLogs?: boolean;
  /** The log collection stays under way until this is called. */
  hangingLogs?: Promise<void>;
  rootCauses?: RootCause[];
  /** The rows know of this, which an earlier run of the workflow has sent. */
  sentBefore?: SentPackages;
  /** The build's row had ended before the workflow began. */
  endedBefore?: boolean;
  /** How many builds the PPA retries. */
  retried?: number;
  /** Asking the PPA to retry stays under way until this is called. */
  hangingRetry?: Promise<void>;
  /** How far the database's clock is ahead of the true time. */
  databaseAheadMs?: number;
  /**
   * The watch tells its last decision again once the build has joined anew, as where it was killed after it had told
   * it.
   */
  repeatedNews?: boolean;
};

/** Activities that play a script, and what they were asked to do. */
export function scriptedActivities(script: PpaScript) {
  const reports: ProgressReport[] = [];
  const uploaded: string[] = [];
  const published = new Set<string>();
  const pollsOf = new Map<string, number>();
  const calls: string[] = [];
  let pollCount = 0;
  let cancellingPolls = 0;
  let cancelled = false;
  let watches = 0;
  let joins = 0;
  let decided: PpaNews | undefined;

  const leave = (activity: PpaScript['callerGone']) => {
    if (script.callerGone === activity) throw ApplicationFailure.nonRetryable('gone', CALLER_GONE);
  };

  const ask = (activity: PpaScript['away']) => {
    if (script.away === activity) throw new Error('Launchpad does not answer');
  };

  const pollBuilds: BuildActivities['watchBuilds'] = async ({
    previous,
    reportKey,
    buildId,
    packages,
    awaitPublication,
  }) => {
    if (script.inOrder) {
      const { states = {}, neverPublished } = script.inOrder;
      const records = packages.map(({ source }) => {
        const poll = pollsOf.get(source) ?? 0;
        pollsOf.set(source, poll + 1);
        const shown = cancelled ? ['Cancelled build'] : (states[source] ?? ['Successfully built']);
        const before = previous.find((each) => each.package === source)?.buildState;
        const state = shown[Math.min(poll, shown.length - 1)] ?? '';
        return buildRecord(before === 'Successfully built' ? before : state, source, source);
      });
      const isPublished = !neverPublished && previous.length === records.length;
      if (awaitPublication && isPublished)
        for (const one of records)
          if (one.buildState === 'Successfully built') published.add(one.package);
      return {
        records,
        accepted: true,
        cancelRequested: false,
        reported: false,
        published: !awaitPublication || isPublished,
      };
    }
    const poll = (script.polls ?? [])[Math.min(pollCount++, (script.polls?.length ?? 1) - 1)];
    const isCancelling = cancelled && cancellingPolls++ < (script.cancellingPolls ?? 0);
    const states = isCancelling
      ? ['Cancelling build']
      : cancelled
        ? (script.afterCancel ?? [])
        : (poll?.builds ?? []);
    const records = states.map((state, index) => buildRecord(state, `arch${index}`));
    const accepted = poll?.accepted ?? records.length > 0;
    const changed = JSON.stringify(records) !== JSON.stringify(previous);
    const reported = accepted && changed;
    if (reported)
      await activities.reportProgress({ buildId, key: reportKey, message: 'INPROGRESS' });
    return {
      records,
      accepted,
      cancelRequested: poll?.cancelRequested ?? false,
      reported,
      published: poll?.published ?? true,
      ...(poll?.afterOutage ? { afterOutage: true } : {}),
      ...(poll?.withoutBuilds ? { withoutBuilds: poll.withoutBuilds } : {}),
      ...(poll?.answersForMs === undefined ? {} : { answersForMs: poll.answersForMs }),
    };
  };

  /** As the watch of a PPA does it: round after round, until the workflow has something to do or polls by itself. */
  async function playWatch(
    build: WorkflowHandle,
    watch: number,
    { buildId, attempt, request, known, uploadedAtMs }: Joining,
  ): Promise<void> {
    const { ppa, packages, awaitPublication, hasLater } = request;
    const { knowsFailure, dependencyWaitMs, acceptanceMs } = request;
    let { records, dependencyWaitSinceMs: since } = known;
    const isOverAt = (nowMs: number) => since !== null && nowMs - since >= dependencyWaitMs;
    let told: ToldPhase | undefined;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      await sleep(20, undefined, { ref: false });
      if (watch !== watches) return;
      const input = { buildId, attempt, ppa, packages, awaitPublication, hasLater };
      const reportKey = `watch-${watch}-${round}`;
      const seen = await pollBuilds({ ...input, previous: records, cancelUrl: null, reportKey });
      if (seen.cancelRequested) {
        await build.signal(CANCEL_SIGNAL, CANCEL_URL_CALLER);
        return;
      }
      const before = { builds: architectureBuilds(records), since, isOver: isOverAt(uploadedAtMs) };
      records = seen.records;
      if (!seen.accepted) {
        if (Date.now() - uploadedAtMs < acceptanceMs) continue;
        await build.signal(NEWS_SIGNAL, { ask: true } satisfies PpaNews);
        return;
      }
      const nowMs = Date.now();
      since = dependencyWaitSince(before, architectureBuilds(records), nowMs);
      const isOver = isOverAt(nowMs);
      const { state } = judgeBuildRecords(records, isOver);
      const isDecided =
        state === 'completed'
          ? seen.published
          : state === 'failed' && (seen.published || !hasLater || !knowsFailure);
      const states = records.map(({ buildState }) => buildRecordState(buildState));
      const phase = toldPhase(states, hasLater ?? false);
      const news: PpaNews = {
        packages: packages.length,
        records,
        phase,
        published: seen.published,
        dependencyWaitSinceMs: since === null ? null : since + (script.databaseAheadMs ?? 0),
        ...(since === null ? {} : { dependencyWaitedMs: Date.now() - since }),
        dependencyWaitIsOver: isOver,
        isDecided,
      };
      if (isDecided || told !== phase) await build.signal(NEWS_SIGNAL, news);
      told = phase;
      if (isDecided) {
        decided = news;
        return;
      }
    }
  }

  const activities: BuildActivities = {
    async checkSources() {
      calls.push('checkSources');
      leave('checkSources');
      if (script.refusedSources)
        throw ApplicationFailure.nonRetryable('one is wrong', script.refusedSources);
      const { sources = ['hello'], inOrder } = script;
      return sources.map((source, index) => {
        const place = inOrder?.places[index];
        return { source, version: '1.0-1', files: script.files ?? [], ...(place ? { place } : {}) };
      });
    },
    async checkUpload() {
      return [];
    },
    async mergeProposal() {
      calls.push('mergeProposal');
      leave('mergeProposal');
      if (script.refusedMerge)
        throw ApplicationFailure.nonRetryable('conflicts in a.c', script.refusedMerge);
      return { sourcePackages: ['http://store/made_1.0-1_source.changes'] };
    },
    async uploadSource({ package: { source, place } }) {
      calls.push('uploadSource');
      const early = place?.after.find((other) => !published.has(script.sources?.[other] ?? ''));
      if (early !== undefined)
        throw ApplicationFailure.nonRetryable(`${source} was uploaded too early`);
      uploaded.push(source);
      leave('uploadSource');
      if (uploaded.length <= (script.awayForUploads ?? 0))
        throw ApplicationFailure.create({
          message: 'GET https://launchpad/devel/: 503',
          type: 'ppa_unavailable',
          nextRetryDelay: 1,
        });
      if (script.brokenUpload === source) throw new Error('421 service not available');
      if (script.hangingUpload) await untilCancelled();
      if (script.silentUpload && (script.silentSource ?? source) === source) {
        Context.current().heartbeat({ phase: script.silentUpload, sentBytes: 1, totalBytes: 1 });
        await Context.current().cancelled;
      }
      const alreadyThere = script.alreadyThere?.includes(source) ?? false;
      return { alreadyThere, sentBytes: 1, isUnclear: script.unclearUpload ?? false };
    },
    async watchBuilds(input) {
      // A build that polls by itself is watched no longer.
      watches += 1;
      ask('watchBuilds');
      return pollBuilds(input);
    },
    async joinWatch(joining) {
      joins += 1;
      if (joining.report) await activities.reportProgress(joining.report);
      const { client, info } = Context.current();
      const build = client.workflow.getHandle(info.workflowExecution?.workflowId ?? '');
      if (script.repeatedNews && decided) await build.signal(NEWS_SIGNAL, decided);
      watches += 1;
      void playWatch(build, watches, joining);
    },
    async watchPpa() {
      return { watched: 0 };
    },
    async retryBuilds({ packages, architectures, cancelUrl, ofEarlierRequests }) {
      calls.push(ofEarlierRequests ? 'retryBuilds of earlier requests' : 'retryBuilds');
      if (cancelUrl) leave('retryBuilds');
      if (architectures) calls.push(`retry on ${architectures.join(' ')}`);
      if (script.inOrder) calls.push(`retry ${packages.map(({ source }) => source).join(' ')}`);
      await script.hangingRetry;
      return { retried: script.retried ?? 0 };
    },
    async cancelBuilds({ records }) {
      calls.push('cancelBuilds');
      ask('cancelBuilds');
      const { keptFor } = script;
      if (keptFor !== undefined) {
        const kept = records.map(({ selfLink }) => ({ selfLink, keptFor }));
        return { asked: 0, refused: [], kept };
      }
      cancelled = true;
      return { asked: records.length, refused: [] };
    },
    async collectLogs({ records }) {
      calls.push('collectLogs');
      if (script.brokenLogs) throw ApplicationFailure.nonRetryable('the disk is full', 'internal');
      if (script.endedBeforeLogs)
        throw ApplicationFailure.nonRetryable('attempt 1 of build 7 has ended', ATTEMPT_ENDED);
      await script.hangingLogs;
      const logs = records.map(({ architecture }) => ({
        package: 'hello',
        architecture,
        kind: 'build' as const,
        key: architecture,
        url: `http://store/${architecture}.log`,
      }));
      if (script.absentLogs) return { logs: [], missing: logs.map(({ key }) => key) };
      return { logs, missing: [], rootCauses: script.rootCauses ?? [] };
    },
    async reportProgress(report) {
      const { sentBefore: sent } = script;
      if (report.ifNothingSent && sent) return { isEnded: false, sent };
      if (!reports.some(({ key }) => key === report.key)) reports.push(report);
      return { isEnded: script.endedBefore ?? false };
    },
  };
  return { activities, calls, reports, uploaded, polls: () => pollCount, joins: () => joins };
}

/** The activities of one worker for many scenes: each activity is that of the scene whose workflow asks for it. */
export function activitiesOfScenes(
  sceneOf: (workflowId: string) => { activities: BuildActivities } | undefined,
): BuildActivities {
  const own = () => {
    const { workflowId } = Context.current().info.workflowExecution ?? { workflowId: 'none' };
    const scene = sceneOf(workflowId);
    if (!scene) throw ApplicationFailure.nonRetryable(`no scene has the workflow ${workflowId}`);
    return scene.activities;
  };
  return {
    checkSources: (input) => own().checkSources(input),
    checkUpload: (input) => own().checkUpload(input),
    mergeProposal: (input) => own().mergeProposal(input),
    uploadSource: (input) => own().uploadSource(input),
    watchBuilds: (input) => own().watchBuilds(input),
    retryBuilds: (input) => own().retryBuilds(input),
    cancelBuilds: (input) => own().cancelBuilds(input),
    collectLogs: (input) => own().collectLogs(input),
    reportProgress: (input) => own().reportProgress(input),
    joinWatch: (input) => own().joinWatch(input),
    watchPpa: (input) => own().watchPpa(input),
  };
}

/** An activity that ends only by its cancellation, which reaches it with a heartbeat. */
async function untilCancelled(): Promise<never> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 20);
  try {
    return await context.cancelled;
  } finally {
    clearInterval(beat);
  }
}
