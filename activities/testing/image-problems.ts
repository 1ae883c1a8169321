import { Context } from '@temporalio/activity';

/** What each heartbeat of a try to make an image tells the next try. */
export type ImageProblems = {
  /** How many tries so far have failed for the image itself, and not for a database or a data store that is away. */
  problems: number;
};

/** What the tries before this one have told it. */
export function imageProblemsBefore(): ImageProblems {
  const said = Context.current().info.heartbeatDetails as Partial<ImageProblems> | undefined;
  return { problems: said?.problems ?? 0 };
}
