import { ApplicationFailure, Context } from '@temporalio/activity';
import { ImageLost } from './test-machine.ts';

/** How often tests are begun at most that come to no end: they may be what ends their testers. */
const MAX_BEGINNINGS = 3;

/** What each heartbeat of a try to make a run tells the next try. */
type RunBeginnings = {
  /** How many tries so far have begun the tests, and not only got what these need. */
  begun: number;
};

/** How often the tries before this one have begun the tests. */
export function beginningsBefore(): number {
  const said = Context.current().info.heartbeatDetails as Partial<RunBeginnings> | undefined;
  return said?.begun ?? 0;
}

/** @throws ApplicationFailure that gives the run up, where its tests have been begun too often */
export function assertMayBegin({ begun }: RunBeginnings): void {
  if (begun >= MAX_BEGINNINGS)
    throw givenUp(`The tests were begun ${begun} times, and no tester came to their end.`);
}

/**
 * What a try throws for a fault: another try follows, unless the tests have been begun too often or the image cannot be
 * had at all.
 */
export function failureOfTry(error: unknown, { begun }: RunBeginnings): unknown {
  const isFinal = begun >= MAX_BEGINNINGS || error instanceof ImageLost;
  return isFinal ? givenUp((error as Error).message, error as Error) : error;
}

function givenUp(message: string, cause?: Error): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'RunGivenUp',
    message,
    nonRetryable: true,
    ...(cause ? { cause } : {}),
  });
}
