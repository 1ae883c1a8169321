import { readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { z } from 'zod';
import {
  archiveBehaviour,
  copyBehaviour,
  deletionBehaviour,
  type ArchiveBehaviour,
  type CopyBehaviour,
  type DeletionBehaviour,
} from './archive-behaviour.ts';
import { durationMs, name } from './values.ts';

const count = z.number().int().min(1).max(1_000_000);

const releases = z.union([z.boolean(), count]);

const step = z.strictObject({
  /** A state of Launchpad's, or any other word, as a state that clients do not know yet. */
  state: z.string().min(1).max(100),
  /** How long the build stays in the state; the last state of a sequence stays. */
  durationMs: durationMs.default(0),
  /**
   * The build stays in the state, after `durationMs`, until `released` of its source is true or at least this number;
   * true is 1.
   */
  untilReleased: releases.default(false),
  /** Text that the build log gets when the build comes to the step. */
  writes: z.string().optional(),
  /** Text of the build log; the default names the script. Only at the end of a sequence. */
  log: z.string().optional(),
  /** How often the text is repeated, for long logs. */
  logRepeat: count.default(1),
  /** The build ends without a log. */
  noLog: z.boolean().default(false),
  /** Time from the end of the build until its record names the log. */
  logAfterMs: durationMs.default(0),
  /** With Successfully built: the build makes a package, named as its source. Without it nothing is published. */
  binaries: z.boolean().default(false),
  /** Time from the end of the build until that package has a publication; then it is Pending. */
  publicationsAfterMs: durationMs.default(0),
  /** Text of the upload log, for Failed to upload. */
  uploadLog: z.string().optional(),
  /** Unmet build dependencies, for Dependency wait. */
  dependencies: z.string().optional(),
});

const attempt = z.array(step).min(1).max(100);

const source = z.strictObject({
  /** The upload is rejected, for this reason, after all checks of an upload were passed. */
  rejected: z.string().min(1).optional(),
  /** The upload is processed only after it has waited this long. */
  acceptAfterMs: durationMs.default(0),
  /**
   * Binary packages that have to be published in the PPA when a build starts; else it ends in Dependency wait, until
   * they are.
   */
  needs: z.array(z.string().min(1).max(300)).max(100).default([]),
  /** How long the binaries stay Pending. */
  publishAfterMs: durationMs.default(0),
  /** Builds that stay in a state until they are released go on: true all, a number those that wait for no more. */
  released: releases.default(false),
  /** By architecture, or `*`: the states that a build goes through; with `attempts`, one list for each retry. */
  builds: z
    .record(
      z.string(),
      z.union([attempt, z.strictObject({ attempts: z.array(attempt).min(1).max(100) })]),
    )
    .default({}),
});

const WEB_FAULT_KINDS = [
  'status',
  'reset',
  'hang',
  'truncateAfterBytes',
  'cutAfterBytes',
  'bytesPerS',
  'pageSize',
  'hideFirst',
] as const;

const webFault = z
  .strictObject({
    method: z.enum(['GET', 'POST']).optional(),
    /** The fault hits requests whose path and query contain this text, or all of these. */
    match: z.union([z.string(), z.array(z.string()).min(1).max(10)]).optional(),
    /** Answers with this code. */
    status: z.number().int().min(200).max(599).optional(),
    retryAfterS: z.number().int().min(0).optional(),
    body: z.string().optional(),
    /** Breaks the connection instead of answering. */
    reset: z.literal(true).optional(),
    /** Never answers, until the client gives up. */
    hang: z.literal(true).optional(),
    /** Answers, and ends the body after so many bytes as if that were all. */
    truncateAfterBytes: z.number().int().min(0).optional(),
    /** Answers, and breaks the connection after so many bytes of the body. */
    cutAfterBytes: z.number().int().min(0).optional(),
    /** Answers as slowly as this. */
    bytesPerS: z.number().int().min(1).optional(),
    /** A collection comes in pages of this size at most, whatever the client asks for. */
    pageSize: z.number().int().min(1).max(300).optional(),
    /** A collection comes as if so many of its first entries had gone. */
    hideFirst: z.number().int().min(1).optional(),
    /** Hits so many requests. Default: all. */
    count: count.optional(),
    /** Time window, counted from when the script was first read with these faults. */
    afterMs: durationMs.default(0),
    forMs: durationMs.optional(),
  })
  .refine(
    (fault) => WEB_FAULT_KINDS.filter((kind) => fault[kind] !== undefined).length === 1,
    `a fault needs exactly one of ${WEB_FAULT_KINDS.join(', ')}`,
  );

const ftpFault = z
  .strictObject({
    /** The command that is hit; CONNECT is the greeting. */
    on: z.enum(['CONNECT', 'USER', 'PASS', 'CWD', 'MKD', 'EPSV', 'PASV', 'STOR', 'QUIT']),
    /** The fault hits commands whose argument contains this text. */
    match: z.string().optional(),
    /** Answers with this line, such as `550 Requested action not taken: internal server error`. */
    reply: z
      .string()
      .regex(/^[45]\d\d [^\r\n]{1,200}$/)
      .optional(),
    /** Ends the connection, after the reply if there is one. */
    close: z.literal(true).optional(),
    /** STOR only: breaks data and control connection when the file has this many bytes. */
    cutAfterBytes: z.number().int().min(0).optional(),
    /** Never answers. */
    hang: z.literal(true).optional(),
    /** Goes on as usual after this time. */
    delayMs: durationMs.optional(),
    /** STOR only: the file is taken whole before the fault. */
    afterData: z.literal(true).optional(),
    count: count.optional(),
  })
  .refine(
    ({ reply, close, hang, cutAfterBytes, delayMs }) =>
      reply ?? close ?? hang ?? (cutAfterBytes ?? delayMs) !== undefined,
    'a fault needs one of reply, close, cutAfterBytes, delayMs and hang',
  )
  .refine(
    (fault) => (fault.cutAfterBytes ?? fault.afterData) === undefined || fault.on === 'STOR',
    'only STOR can be cut, or hit after its data',
  );

const names = z.array(name).max(1_000).default([]);

const account = z.strictObject({
  /** Fingerprints of the keys that it has registered. */
  keys: z
    .array(z.string().regex(/^[0-9A-Fa-f]{40}$/))
    .max(100)
    .default([]),
  emails: names,
  /** It is a team of these accounts. */
  members: z.array(name).max(1_000).optional(),
  /**
   * Archives that it may upload to: PPAs of others, as `~owner/distribution/name`, and primary archives by their
   * distribution.
   */
  mayUploadTo: names,
  /** Access tokens of the web service. One that no account has may do everything. */
  tokens: names,
});

/**
 * What a script says of builds, accounts, copies, deletions, primary archives and outages; docs/stand-in.md explains
 * it.
 */
export const SCRIPT = z.strictObject({
  /** The PPAs that exist, as `~owner/distribution/name`. Default: each exists as soon as it is named. */
  ppas: z.array(name).max(1_000).optional(),
  /** Of these, those that no account sees. */
  hiddenPpas: names,
  /** Of these, those that are disabled. */
  disabledPpas: names,
  /**
   * The accounts that exist, by name. Default: each exists as soon as it is named, has every key in the folder of keys,
   * and may upload to every archive.
   */
  people: z.record(name, account).optional(),
  /** By source package name, or `*` for all others. */
  sources: z.record(z.string(), source).default({}),
  /** Copies, deletions: by source package name, or `*` for all others. */
  copies: z.record(z.string(), copyBehaviour).default({}),
  deletions: z.record(z.string(), deletionBehaviour).default({}),
  /** Primary archives, by distribution. */
  archives: z.record(z.string(), archiveBehaviour).default({}),
  web: z.array(webFault).max(100).default([]),
  ftp: z.array(ftpFault).max(100).default([]),
});

type Script = z.infer<typeof SCRIPT>;
export type ScriptStep = z.infer<typeof step>;
export type ScriptedSource = z.infer<typeof source>;
export type ScriptedAccount = z.infer<typeof account>;
export type WebFault = z.infer<typeof webFault>;
export type FtpFault = z.infer<typeof ftpFault>;

/** A script file that may change while the stand-in runs. */
export type ScriptFile = {
  /** Whether a PPA exists, by its reference. */
  hasPpa(reference: string): boolean;
  /** Whether a PPA is one of those that the script names. */
  namesPpa(reference: string): boolean;
  isHidden(reference: string): boolean;
  isDisabled(reference: string): boolean;
  /** The accounts that exist; undefined where all do. */
  people(): Readonly<Record<string, ScriptedAccount>> | undefined;
  /** What the script says of a source package. */
  source(name: string): ScriptedSource | undefined;
  /** What the script says of copies and deletions of a source package. */
  copy(name: string): CopyBehaviour | undefined;
  deletion(name: string): DeletionBehaviour | undefined;
  /** The primary archives that the script says something of, by distribution. */
  archives(): Readonly<Record<string, ArchiveBehaviour>>;
  /** The fault for a request, counted as used; undefined where none hits it. */
  takeWebFault(method: string, url: string): WebFault | undefined;
  takeFtpFault(command: string, argument: string): FtpFault | undefined;
};

/**
 * Opens a script file. It is read again at each use; with other faults, their counts and time windows begin anew. New
 * contents that cannot be read, perhaps because they are being written, are logged, and the script before them stays.
 *
 * @throws where the file cannot be read, or breaks the schema, now
 */
export function openScript(path: string, logger: Logger): ScriptFile {
  let text = readFileSync(path, 'utf8');
  let script = parseScript(text, path);
  let stamp = '';
  let readAt = Date.now();
  let used = new Map<object, number>();
  const read = (): Script => {
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const seen = `${mtimeMs} ${size} ${ino}`;
      if (seen === stamp) return script;
      const fresh = readFileSync(path, 'utf8');
      if (fresh !== text) {
        const next = parseScript(fresh, path);
        if (isDeepStrictEqual([next.web, next.ftp], [script.web, script.ftp]))
          // The same objects, by which their uses are counted.
          script = { ...next, web: script.web, ftp: script.ftp };
        else {
          script = next;
          readAt = Date.now();
          used = new Map();
        }
        text = fresh;
      }
      stamp = seen;
    } catch (error) {
      logger.error({ err: error }, 'the script stays as it was');
    }
    return script;
  };
  const take = <Fault extends { count?: number | undefined }>(
    faults: readonly Fault[],
    hits: (fault: Fault) => boolean,
  ): Fault | undefined => {
    const fault = faults.find(
      (candidate) => hits(candidate) && (used.get(candidate) ?? 0) < (candidate.count ?? Infinity),
    );
    if (fault) used.set(fault, (used.get(fault) ?? 0) + 1);
    return fault;
  };
  return {
    hasPpa: (reference) => read().ppas?.includes(reference) ?? true,
    namesPpa: (reference) => read().ppas?.includes(reference) ?? false,
    isHidden: (reference) => read().hiddenPpas.includes(reference),
    isDisabled: (reference) => read().disabledPpas.includes(reference),
    people: () => read().people,
    source: (name) => ofName(read().sources, name),
    copy: (name) => ofName(read().copies, name),
    deletion: (name) => ofName(read().deletions, name),
    archives: () => read().archives,
    takeWebFault: (method, url) =>
      take(read().web, (fault) => {
        const ageMs = Date.now() - readAt;
        return (
          (fault.method === undefined || fault.method === method) &&
          [fault.match ?? []].flat().every((text) => url.includes(text)) &&
          ageMs >= fault.afterMs &&
          ageMs < fault.afterMs + (fault.forMs ?? Infinity)
        );
      }),
    takeFtpFault: (command, argument) =>
      take(
        read().ftp,
        (fault) =>
          fault.on === command && (fault.match === undefined || argument.includes(fault.match)),
      ),
  };
}

function ofName<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : values['*'];
}

function parseScript(text: string, path: string): Script {
  try {
    return SCRIPT.parse(JSON.parse(text));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new Error(`The script ${path} is malformed:\n${why}`, { cause });
  }
}

/** Whether the script lets builds of a source go on that wait for this release. */
export function isReleased(source: ScriptedSource | undefined, release: number): boolean {
  const released = source?.released ?? false;
  return released === true || Number(released) >= release;
}

/** The states that a build goes through at its nth dispatch; undefined if the script does not say. */
export function scriptedSteps(
  source: ScriptedSource | undefined,
  architecture: string,
  attemptNumber: number,
): ScriptStep[] | undefined {
  const builds = source?.builds ?? {};
  const entry = Object.hasOwn(builds, architecture) ? builds[architecture] : builds['*'];
  if (entry === undefined || Array.isArray(entry)) return entry;
  return entry.attempts[Math.min(attemptNumber, entry.attempts.length) - 1];
}
