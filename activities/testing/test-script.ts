import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { TEST_STATUSES } from '../../domain/testing/test-run.ts';

const milliseconds = z.number().int().min(0).max(86_400_000);
const packageVersion = z.strictObject({ name: z.string(), version: z.string() });

const run = z.strictObject({
  results: z
    .array(
      z.strictObject({
        name: z.string().regex(/^\S+$/),
        status: z.enum(TEST_STATUSES),
        detail: z.string().default(''),
      }),
    )
    .default([{ name: 'command1', status: 'PASS', detail: '' }]),
  /** By default what autopkgtest gives for the results; null is a signal. */
  exitCode: z.number().int().nullish(),
  /** In place of that of the results. */
  summary: z.string().optional(),
  /** What was installed; by default the landing's packages in the landing's versions. */
  installed: z.array(packageVersion).optional(),
  /** Whether `testinfo.json` is left. */
  testinfo: z.boolean().default(true),
  log: z.string().optional(),
  durationMs: milliseconds.default(0),
  /** It never ends. */
  hang: z.boolean().default(false),
  /** It ends once `released` of the script's source is true. */
  untilReleased: z.boolean().default(false),
  /** The tester is killed in its midst, at the activity's first try. */
  die: z.boolean().default(false),
});
export type ScriptedRun = z.infer<typeof run>;

const runs = z.array(run).min(1).max(20);

const source = z.strictObject({
  /** The runs in a landing's image, by their tries; the last one stays. */
  landing: runs.optional(),
  /** Those in a base image. */
  baseline: runs.optional(),
  released: z.boolean().default(false),
});

const image = z.strictObject({
  durationMs: milliseconds.default(0),
  /** It cannot be made, for this reason, at the first `times` tries. */
  fails: z.string().optional(),
  times: z.number().int().min(1).max(1_000_000).default(1_000_000),
  /** What fails is that its packages cannot be installed. */
  uninstallable: z.boolean().default(false),
});

const archived = z.strictObject({
  version: z.string().default('1'),
  /** Names of binary packages. */
  dependsOn: z.array(z.string()).default([]),
  triggers: z.array(z.string()).default([]),
  /** Why its source cannot be had. */
  fails: z.string().optional(),
});

export const SCRIPT = z.strictObject({
  images: z.strictObject({ base: image.optional(), landing: image.optional() }).default({}),
  /** By source package, or `*`. What it does not name passes. */
  sources: z.record(z.string(), source).default({}),
  /** The source packages of the archive that have tests. */
  archive: z.record(z.string(), archived).default({}),
});
export type TestScript = z.infer<typeof SCRIPT>;

/**
 * Reads a script of tests.
 *
 * @throws Error where it cannot be read
 */
export function readTestScript(path: string): TestScript {
  try {
    return SCRIPT.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new Error(`The script ${path} is malformed:\n${why}`, { cause });
  }
}

/** What a script says of a run: one whose one test passes where it says nothing. */
export function scriptedRun(
  { sources }: TestScript,
  { source, isBaseline, try: tryNumber }: { source: string; isBaseline: boolean; try: number },
): ScriptedRun {
  const said = (Object.hasOwn(sources, source) ? sources[source] : undefined) ?? sources['*'];
  const list = (isBaseline ? said?.baseline : said?.landing) ?? [run.parse({})];
  return list[Math.min(tryNumber, list.length) - 1] as ScriptedRun;
}

/** Whether a script lets the runs of a source end that wait for it. */
export function isReleased({ sources }: TestScript, source: string): boolean {
  return (Object.hasOwn(sources, source) ? sources[source] : sources['*'])?.released ?? false;
}
