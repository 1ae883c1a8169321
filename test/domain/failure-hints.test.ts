import { FAILURE_CLASSES } from '../../domain/builds/failure.ts';
import { ERRORS } from '../../domain/errors.ts';
import { LANDING_FAILURE_CLASSES } from '../../domain/landings/landing-failure.ts';

type Told = [name: string, told: { retryable: boolean; hint: string }];

const FAILURES: Told[] = [
  ...Object.entries(FAILURE_CLASSES),
  ...Object.entries(LANDING_FAILURE_CLASSES),
];

it.each(FAILURES.filter(([, { retryable }]) => retryable))(
  'the hint of %s, which a retry can help, speaks of a retry',
  (_, { hint }) => {
    expect(hint).toMatch(/\bretry\b/i);
  },
);

it.each([...FAILURES, ...Object.entries(ERRORS)])(
  'the hint of %s has a build retried or a new one requested, not the same one again',
  (_, { hint }) => {
    expect(hint).not.toMatch(/request the build again|request it again if/);
  },
);
