import { z } from 'zod';
import { CRITERION_STATES, type Gate } from '../../domain/landings/gate.ts';
import { TEST_VERDICTS, TESTS_VERDICTS } from '../../domain/testing/test-verdict.ts';
import { estimateSchema } from './landing-estimate.ts';

const text = (description: string) => z.string().meta({ description });

const criterionSchema = z
  .object({
    name: text('One word or two, such as builds, tests, approval, freeze, target.'),
    state: z.enum(CRITERION_STATES).meta({ description: 'How it stands.' }),
    why: text('One sentence.'),
    by: text('Who approved or overrode it.').exactOptional(),
    link: text('Where to read more.').exactOptional(),
  })
  .meta({ title: 'gate_criterion' });

const excuseSchema = z
  .object({
    source: text('The source package whose test it is.'),
    architecture: text('Where it ran.'),
    test: text('Its name; * stands for all of the source.'),
    verdict: z.enum(TEST_VERDICTS).meta({ description: 'What its runs say.' }),
    why: text('One sentence.'),
    run_id: z.int().nullable().meta({ description: 'The id of the run that says it.' }),
    baseline_run_id: z
      .int()
      .nullable()
      .meta({ description: "The id of the run without the landing's packages." }),
    log_url: z.string().nullable().meta({ description: 'Where its log is.' }),
  })
  .meta({ title: 'gate_excuse' });

/** Whether a landing may be published, and why not (`Gate`). */
export const gateSchema = z
  .object({
    landing_id: z.int().meta({ description: 'The id of the landing.' }),
    verdict: z.enum(TESTS_VERDICTS).meta({
      description:
        'passes: it may be published, or is; waits: for something that comes by itself; needs_approval: for a person; blocked; cannot_tell: its tests could not be run.',
    }),
    criteria: z
      .array(criterionSchema)
      .meta({ description: 'What stops it first, then what it waits for, then what is met.' }),
    estimate: estimateSchema.nullable().meta({
      description: 'When it is expected to begin and to be complete; null when it is not in line.',
    }),
    tests: z
      .partialRecord(z.enum(TEST_VERDICTS), z.int())
      .meta({ description: 'How many tests have each verdict.' }),
    excuses: z.array(excuseSchema).meta({ description: 'Tests that do not pass; at most 100.' }),
  })
  .meta({ title: 'gate' }) satisfies z.ZodType<Gate>;
