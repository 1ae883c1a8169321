import { RequestError } from './request.ts';

/**
 * A new name for something that is asked of the API, which does it once however often it is sent. The API's rules for
 * it: docs/api.md.
 */
export function newIdempotencyKey(): string {
  // Not crypto.randomUUID: a page served over plain HTTP from another machine does not have it.
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
    '-',
  );
}

/**
 * Whether an answer says that nothing more can be asked under its key, since something was done under it already. After
 * any other failure the key is kept: the answer may be all that was lost, and what was refused leaves the key free.
 */
export function endsIdempotencyKey({ code }: RequestError): boolean {
  return code === 'idempotency_key_reused' || code === 'secret_not_repeated';
}

/** What the API says of a key, in words for somebody who knows of no key and has pressed a button again. */
export function sayOfIdempotencyKey(error: RequestError): RequestError {
  const { status, code } = error;
  if (code === 'idempotency_key_reused')
    return new RequestError({
      status,
      code,
      message: 'What you sent before was done. Its answer was lost.',
      hint: 'Look at what it made. Press again only if you want what the form says now as well.',
    });
  if (code === 'secret_not_repeated')
    return new RequestError({
      status,
      code,
      message: 'It was made when you sent it before, but its secret was lost on the way.',
      hint: 'Close this, and revoke it in the list. Then make another.',
    });
  if (code === 'request_in_flight')
    return new RequestError({
      status,
      code,
      message: 'What you sent before is still being done.',
      hint: 'Press again in a few seconds. It is not done twice.',
    });
  return error;
}
