import { z } from 'zod';
import { POCKETS } from '../../domain/packages/archive.ts';
import { policyOf } from '../../domain/landings/placed-policy.ts';
import { withQuery } from '../http/operation.ts';
import { landingPolicySchema, shownPolicy } from '../resources/landing-policy.ts';
import { answerRead } from '../rest/answers.ts';
import { landingTargetOf, targetParameters } from './land-request.ts';

const text = (description: string) => z.string().meta({ description });

/** Which policy a landing at a target would have. */
export const policyOperation = withQuery({
  method: 'get',
  path: '/api/v1/landingpolicy/',
  summary: 'Say what a landing at a target has to fulfil',
  scope: 'read',
  query: targetParameters,
  answers: {
    200: {
      description: 'The policy that holds there now, which may be the default.',
      schema: z
        .object({
          target: z
            .object({
              archive: text("The PPA's reference, or the name of the distribution."),
              series: text('The series.'),
              pocket: z.enum(POCKETS).meta({ description: 'The pocket.' }),
            })
            .meta({ description: 'As landings show it.' }),
          policy: landingPolicySchema.meta({ description: 'What a landing there has to fulfil.' }),
        })
        .meta({ title: 'placed_landing_policy' }),
    },
  },
  errors: ['invalid_field'],
  handle: (ctx, { landingPolicies }, query) => {
    const target = landingTargetOf(query);
    answerRead(ctx, { target, policy: shownPolicy(policyOf(landingPolicies, target)) });
  },
});
