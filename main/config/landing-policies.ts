import { readFileSync } from 'node:fs';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import {
  APPROVALS,
  DEFAULT_LANDING_POLICY as DEFAULT,
  MAX_BASELINE_AGE_DAYS,
  TESTED,
} from '../../domain/landings/landing-policy.ts';
import { reasonNotToPool } from '../../domain/landings/landing-permission.ts';
import type { PlacedPolicy } from '../../domain/landings/placed-policy.ts';
import { POCKETS } from '../../domain/packages/archive.ts';
import type { Ppa } from '../../domain/packages/ppa.ts';
import { ConfigError } from './config.ts';

/** Of a whole file: each policy is a part of the landings that it holds for, and of their workflows' input. */
const MAX_FILE_BYTES = 100_000;

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `Enter one of ${values.join(', ')}.` });
const name = z
  .string({ error: 'Enter text.' })
  .regex(/^\S(?:.{0,98}\S)?$/, 'Enter 1 to 100 characters, without space around them.');
const names = z.array(name, { error: 'Enter a list of names.' });
const count = (max: number, min = 0) => {
  const error = `Enter a whole number from ${min} to ${max}.`;
  return z.int({ error }).min(min, error).max(max, error);
};
const time = z.iso
  .datetime({ offset: true, error: 'Enter a time with its zone, such as 2026-04-16T00:00:00Z.' })
  .transform((text) => new Date(text).toISOString());
const pattern = z
  .string({ error: 'Enter a name, or * for any.' })
  .regex(
    /^[^\s:]+$/,
    'Enter a name without space and colon, as landings show it, such as ubuntu or ~team/ubuntu/landed; * stands for any text.',
  );
const mapping = (given: { code?: string; keys?: string[] }) =>
  given.code === 'unrecognized_keys'
    ? `There is no ${given.keys?.join(', ')} here.`
    : 'Enter keys with values.';

const freezeSchema = z
  .strictObject(
    { from: time, until: time, why: name, exempt: names.default([]) },
    { error: mapping },
  )
  .refine(({ from, until }) => from < until, {
    path: ['until'],
    error: 'Enter a time after that of from.',
  });

const targetSchema = z.strictObject(
  {
    archive: pattern.default('*'),
    series: pattern.default('*'),
    pocket: oneOf([...POCKETS, '*']).default('*'),
  },
  { error: mapping },
);

const policySchema = z.strictObject(
  {
    name,
    targets: z
      .array(targetSchema, { error: 'Enter the targets that it holds for.' })
      .min(1, 'Enter the targets that it holds for.'),
    takes_builds: z.boolean({ error: 'Enter true or false.' }).default(false),
    approval: oneOf(APPROVALS).default(DEFAULT.approval),
    four_eyes: z.boolean({ error: 'Enter true or false.' }).default(DEFAULT.fourEyes),
    landers: names.default(DEFAULT.landers),
    approvers: names.default(DEFAULT.approvers),
    architectures: names.default(DEFAULT.architectures),
    tests: oneOf(TESTED).default(DEFAULT.tests),
    test_architectures: names
      .min(1, 'Enter the architectures that tests run on.')
      .default(DEFAULT.testArchitectures),
    max_test_runs: count(10_000, 1).default(DEFAULT.maxTestRuns),
    test_bed_tries: count(10, 1).default(DEFAULT.testBedTries),
    baseline_max_age_days: count(MAX_BASELINE_AGE_DAYS, 1).default(DEFAULT.baselineMaxAgeDays),
    stale_tries: count(10).default(DEFAULT.staleTries),
    freezes: z.array(freezeSchema, { error: 'Enter a list of freezes.' }).default(DEFAULT.freezes),
  },
  { error: mapping },
);

const fileSchema = z
  .strictObject(
    { policies: z.array(policySchema, { error: 'Enter a list of policies.' }) },
    { error: mapping },
  )
  .superRefine(({ policies }, context) => {
    for (const [index, { name }] of policies.entries())
      if (policies.findIndex((other) => other.name === name) < index)
        context.addIssue({
          code: 'custom',
          path: ['policies', index, 'name'],
          message: `Enter another name: ${name} is that of an earlier policy.`,
        });
  });

/**
 * Reads the policies of a file, in the file's order.
 *
 * @throws ConfigError with a line for each thing that is wrong: the file, the line, the key and what to enter
 */
export function readLandingPolicies(path: string | undefined): PlacedPolicy[] {
  if (path === undefined) return [];
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`AIRLINE_LANDING_POLICY: ${(error as Error).message}`);
  }
  return parseLandingPolicies(text, path);
}

/**
 * Asserts that nothing is landed in the PPAs that are given to the pool at start.
 *
 * @throws ConfigError with a line for each that a policy names as a target
 */
export function assertPoolIsNoTarget(
  policies: readonly PlacedPolicy[],
  ppas: readonly Ppa[],
): void {
  const problems = ppas.flatMap((ppa) => reasonNotToPool(policies, ppa) ?? []);
  if (problems.length > 0)
    throw new ConfigError(problems.map((problem) => `AIRLINE_PPA_POOL: ${problem}`).join('\n'));
}

/** @throws ConfigError as readLandingPolicies */
export function parseLandingPolicies(text: string, path: string): PlacedPolicy[] {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw wrong([`${path}: it has more than ${MAX_FILE_BYTES} bytes.`]);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const lineAt = (offset: number) => `${path}:${lineCounter.linePos(offset).line}`;
  if (document.errors.length > 0)
    throw wrong(document.errors.map(({ pos, message }) => `${lineAt(pos[0])}: ${message}`));
  const { data, error } = fileSchema.safeParse(document.toJS());
  if (!data)
    throw wrong(
      error.issues.map((issue) => {
        const key = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
        const line = lineAt(offsetOf(document, [...issue.path, ...key]));
        return `${line}: ${z.core.toDotPath(issue.path) || 'the file'}: ${issue.message}`;
      }),
    );
  return data.policies.map(({ targets, takes_builds: takesBuilds, ...policy }, index) => ({
    targets,
    takesBuilds,
    policy: {
      name: policy.name,
      text: textOf(document, index, text),
      approval: policy.approval,
      fourEyes: policy.four_eyes,
      landers: policy.landers,
      approvers: policy.approvers,
      architectures: policy.architectures,
      tests: policy.tests,
      testArchitectures: policy.test_architectures,
      maxTestRuns: policy.max_test_runs,
      testBedTries: policy.test_bed_tries,
      baselineMaxAgeDays: policy.baseline_max_age_days,
      staleTries: policy.stale_tries,
      freezes: policy.freezes,
    },
  }));
}

function wrong(problems: readonly string[]): ConfigError {
  return new ConfigError(
    `The landing policies are not valid; docs/landing.md has an example.\n${problems.join('\n')}`,
  );
}

/** Where a key's value is, or, of one that is missing, what should have it. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** The text of a policy, as the file has it. */
function textOf(document: Document, index: number, text: string): string {
  const node: unknown = document.getIn(['policies', index], true);
  return isNode(node) && node.range ? text.slice(node.range[0], node.range[1]).trimEnd() : '';
}
