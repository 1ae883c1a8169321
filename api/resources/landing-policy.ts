import { z } from 'zod';
import { APPROVALS, TESTED, type LandingPolicy } from '../../domain/landings/landing-policy.ts';

const texts = (description: string) => z.array(z.string()).meta({ description });
const count = (description: string) => z.int().meta({ description });
const time = (description: string) => z.iso.datetime().meta({ description });

/** What a landing has to fulfil (`LandingPolicy`). */
export const landingPolicySchema = z
  .object({
    name: z.string().meta({ description: 'Its name.' }),
    text: z.string().meta({ description: 'As its file has it; empty of the default.' }),
    approval: z.enum(APPROVALS).meta({
      description: 'Whether a person has to approve; when_needed: where the tests do not pass.',
    }),
    four_eyes: z.boolean().meta({
      description: 'Whoever requested the attempt may not approve it; a retry is a request, too.',
    }),
    landers: texts('The names of those who may land; empty: everybody whose token has the scope.'),
    approvers: texts(
      'The names of those who may approve; empty: everybody whose token has the scope.',
    ),
    architectures: texts('Those that must have built; empty: those that the PPA builds.'),
    tests: z.enum(TESTED).meta({ description: 'Whose tests are run.' }),
    test_architectures: texts('The architectures that tests run on.'),
    max_test_runs: count('More test runs than this are not made: it then needs an approval.'),
    test_bed_tries: count(
      'How often a run is made that the test bed fails, the first time included.',
    ),
    baseline_max_age_days: count('Days after which a run without the packages is repeated.'),
    stale_tries: count('How often all tests are repeated because the target has changed.'),
    freezes: z
      .array(
        z
          .object({
            from: time('When it begins.'),
            until: time('When it is over.'),
            why: z.string().meta({ description: 'Why.' }),
            exempt: texts('The names of those who may land all the same.'),
          })
          .meta({ title: 'landing_freeze' }),
      )
      .meta({ description: 'When nobody may land.' }),
  })
  .meta({ title: 'landing_policy' });

/** A policy as answers have it. */
export function shownPolicy(policy: LandingPolicy): z.infer<typeof landingPolicySchema> {
  const { fourEyes, testArchitectures, maxTestRuns, testBedTries, ...others } = policy;
  const { baselineMaxAgeDays, staleTries, ...same } = others;
  return {
    ...same,
    four_eyes: fourEyes,
    test_architectures: testArchitectures,
    max_test_runs: maxTestRuns,
    test_bed_tries: testBedTries,
    baseline_max_age_days: baselineMaxAgeDays,
    stale_tries: staleTries,
  };
}
