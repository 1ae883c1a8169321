import { milliseconds, optional, section, UP_TO_A_MONTH } from '../setting.ts';

export const landing = section('Landings', {
  landingPolicyFile: optional(
    'path',
    'AIRLINE_LANDING_POLICY',
    'File (YAML) with the policies of landings, by target; an API reads it when it starts.',
  ),
  landing: {
    queueMs: milliseconds(
      'AIRLINE_LANDING_QUEUE_MS',
      7 * 86_400_000,
      'Time that a landing waits for landings of the same packages that came first.',
      UP_TO_A_MONTH,
    ),
    leaseMs: milliseconds(
      'AIRLINE_LANDING_LEASE_MS',
      86_400_000,
      'Time that a landing waits for a PPA of the pool.',
      UP_TO_A_MONTH,
    ),
    testerMs: milliseconds(
      'AIRLINE_LANDING_TESTER_MS',
      2 * 3_600_000,
      'Time for a tester to take an image or a test run of a landing, where there is none at all.',
      UP_TO_A_MONTH,
    ),
    testsMs: milliseconds(
      'AIRLINE_LANDING_TESTS_MS',
      2 * 86_400_000,
      'Time for the images and tests of a landing, each time that they are made.',
      UP_TO_A_MONTH,
    ),
    approvalMs: milliseconds(
      'AIRLINE_LANDING_APPROVAL_MS',
      7 * 86_400_000,
      'Time for a person to approve a landing. After it the landing fails, and others get its packages.',
      UP_TO_A_MONTH,
    ),
    publicationMs: milliseconds(
      'AIRLINE_LANDING_PUBLICATION_MS',
      6 * 3_600_000,
      'Time for the target to publish all that was copied.',
      UP_TO_A_MONTH,
    ),
    pollMs: milliseconds(
      'AIRLINE_LANDING_POLL_MS',
      10_000,
      'Time between two polls of the line of landings, and of the target.',
    ),
  },
});
