import { UNNAMED_CALLER } from '../domain/access/requester.ts';

/** The name of who asked for the cancellation of a build or landing. */
export function cancellerOf({
  cancelRequestedBy,
}: {
  readonly cancelRequestedBy: string | null;
}): string {
  return cancelRequestedBy ?? UNNAMED_CALLER;
}
