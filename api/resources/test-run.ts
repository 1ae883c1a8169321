import { z } from 'zod';
import {
  TEST_RUN_REASONS,
  TEST_RUN_STATES,
  TEST_STATUSES,
  type TestResult,
} from '../../domain/testing/test-run.ts';
import { readOnlyResource } from '../rest/declare-resource.ts';
import { readBoolean } from '../rest/field-values.ts';
import { booleanText, moment, optionalReference, readOnly } from '../rest/fields.ts';
import { landing } from './landing.ts';

/** A source package has a handful of tests; some have thousands, which its log lists. */
const MAX_RESULTS = 500;

const text = (description: string) => z.string().meta({ description });
const number = (help: string) => readOnly({ kind: 'integer', schema: z.int().nullable(), help });

const resultSchema = z
  .object({
    name: text('The name of the test.'),
    status: z.enum(TEST_STATUSES).meta({ description: "As autopkgtest's summary has it." }),
    detail: text('What autopkgtest says beside it; may be empty.'),
  })
  .meta({ title: 'test_result' });

const exercisedSchema = z
  .object({ name: text('The name of the package.'), version: text('The version installed.') })
  .meta({ title: 'exercised_package' });

const resultsOf = (row: Readonly<Record<string, unknown>>) => row['results'] as TestResult[];

/** A run of tests: the test database. Landings make them. */
export const testRun = readOnlyResource({
  name: 'testrun',
  summary: 'The DEP-8 tests of one source package, run by autopkgtest in one image.',
  model: 'TestRun',
  fields: {
    landing: optionalReference(landing, 'landingId', {
      writable: 'never',
      help: 'The landing that it tests; null where it is what landings are compared with.',
    }),
    landing_id: number('The id of the landing.'),
    attempt: number('The attempt of the landing.'),
    image_id: readOnly({ kind: 'integer', schema: z.int(), help: 'The id of its image.' }),
    source: readOnly({ help: 'The source package whose tests they are.' }),
    version: readOnly({ help: 'Its version; empty where there is none.' }),
    architecture: readOnly({ help: 'The architecture.' }),
    reason: readOnly({ schema: z.enum(TEST_RUN_REASONS), help: 'Why it is tested, in one word.' }),
    why: readOnly({ help: 'Why it is tested, such as: depends on libhello1.' }),
    files: readOnly({
      kind: 'json',
      schema: z.array(z.string()),
      help: "The data-store URLs of the source's files.",
    }),
    try: readOnly({
      kind: 'integer',
      schema: z.int(),
      help: '1, and one more each time that it is run again in the same image.',
    }),
    state: readOnly({
      schema: z.enum(TEST_RUN_STATES),
      help: "How it stands. bed_failed: the test bed's fault; unavailable: its source cannot be had.",
    }),
    exit_code: number('The exit code of autopkgtest.'),
    exercised: readOnly({
      kind: 'json',
      schema: z.array(exercisedSchema),
      help: "The landing's packages that were in the test bed.",
    }),
    fault: readOnly({
      schema: z.string().nullable(),
      help: 'Why there are no results, where that is no fault of the package.',
    }),
    tester: readOnly({ schema: z.string().nullable(), help: 'The machine that ran it.' }),
    log_url: readOnly({ schema: z.string().nullable(), help: 'The URL of its log.' }),
    artifacts_url: readOnly({
      schema: z.string().nullable(),
      help: 'The URL of what the tests left behind.',
    }),
    started_at: moment('When it began.'),
    ended_at: moment('When it ended.'),
  },
  filters: [
    'landing',
    'landing_id',
    'attempt',
    'image_id',
    'source',
    'version',
    'architecture',
    'reason',
    'try',
    'state',
    'started_at',
    'ended_at',
  ],
  orders: ['source', 'architecture', 'state', 'started_at', 'ended_at'],
  parameters: {
    baseline: {
      schema: booleanText,
      help: 'true: only runs without the packages of a landing; false: only those with them.',
      conditions: (value) => [
        { attribute: 'landingId', lookup: 'isnull', isNull: readBoolean(value) === true },
      ],
    },
  },
  derived: {
    results: {
      kind: 'json',
      schema: z.array(resultSchema),
      help: `Its tests with how each ended, at most ${MAX_RESULTS}.`,
      of: (row) => resultsOf(row).slice(0, MAX_RESULTS),
    },
    results_left: {
      kind: 'integer',
      schema: z.int(),
      help: 'How many more tests there are; its log has them.',
      of: (row) => Math.max(0, resultsOf(row).length - MAX_RESULTS),
    },
  },
});
