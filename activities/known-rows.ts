import { ApplicationFailure } from '@temporalio/activity';
import { ROW_UNKNOWN } from '../domain/testing/tester-activities.ts';
import type { Database } from '../models/database.ts';
import type { Image } from '../models/landings/image.ts';
import type { TestRun } from '../models/landings/test-run.ts';

/**
 * The image that was made for a landing before.
 *
 * @throws ApplicationFailure, which is not retried, where the database does not have it: it was restored by itself
 */
export async function knownImage(
  { Image: Images }: Pick<Database, 'Image'>,
  id: number,
): Promise<Image> {
  return (await Images.findByPk(id)) ?? unknown(`image ${id}`);
}

/**
 * The test run that a landing has asked for.
 *
 * @throws ApplicationFailure, which is not retried, where the database does not have it: it was restored by itself
 */
export async function knownRun(
  { TestRun: Runs }: Pick<Database, 'TestRun'>,
  id: number,
): Promise<TestRun> {
  return (await Runs.findByPk(id)) ?? unknown(`test run ${id}`);
}

function unknown(what: string): never {
  throw ApplicationFailure.nonRetryable(
    `the database does not know ${what}, as after a restore`,
    ROW_UNKNOWN,
  );
}
