import { isGrpcServiceError } from '@temporalio/client';

const GRPC_INVALID_ARGUMENT = 3;
const GRPC_DEADLINE_EXCEEDED = 4;
const GRPC_NOT_FOUND = 5;
const GRPC_RESOURCE_EXHAUSTED = 8;
const GRPC_UNAVAILABLE = 14;
const UNAVAILABLE: readonly number[] = [
  GRPC_DEADLINE_EXCEEDED,
  GRPC_RESOURCE_EXHAUSTED,
  GRPC_UNAVAILABLE,
];
// What Temporal's common/searchattribute/validator.go says of one that is not there, or whose registration it cannot
// read.
const UNREGISTERED =
  /no mapping defined for search attribute|search attribute \S+ is not defined|unable to get .*search attribute/i;
// One workflow that has too much to do, or that is about to end, keeps no other one waiting
// (service/history/consts/const.go).
const ONE_IS_BUSY = /^workflow (?:is busy|operation can not be applied)/i;

/** Temporal will never take this start; another try changes nothing. */
export class StartRefusedError extends Error {
  override readonly name = 'StartRefusedError';
}

/**
 * The error of a start: a StartRefusedError where Temporal refuses the request itself, else the error as it is. Search
 * attributes that no worker has registered yet will come.
 */
export function asStartError(error: unknown): unknown {
  const answer = grpcAnswer(error);
  if (!answer) return error;
  const { code, details } = answer;
  const isRefusal =
    (code === GRPC_INVALID_ARGUMENT && !UNREGISTERED.test(details)) || isTooLarge(error);
  return isRefusal ? new StartRefusedError(details, { cause: error }) : error;
}

/** Whether Temporal is not available just now, so that nothing can be said of the build that it was asked about. */
export function isTemporalUnavailable(error: unknown): boolean {
  const answer = grpcAnswer(error);
  return (
    answer !== undefined &&
    UNAVAILABLE.includes(answer.code) &&
    !(answer.code === GRPC_RESOURCE_EXHAUSTED && ONE_IS_BUSY.test(answer.details)) &&
    !isTooLarge(error)
  );
}

/** Whether a message, sent or received, is larger than its receiver takes. */
export function isTooLarge(error: unknown): boolean {
  const answer = grpcAnswer(error);
  return answer?.code === GRPC_RESOURCE_EXHAUSTED && /message larger than/i.test(answer.details);
}

/** Whether Temporal has no such thing, or not any more. */
export function isNotFound(error: unknown): boolean {
  return grpcAnswer(error)?.code === GRPC_NOT_FOUND;
}

function grpcAnswer(error: unknown): { code: number; details: string } | undefined {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : undefined;
}
