import { Readable } from 'node:stream';
import type { Middleware } from 'koa';
import { AirlineError } from '../../domain/errors.ts';
import type { RequestState } from './context.ts';

/** Places for requests of one kind: so many of them an API handles at once, of all callers and of each token. */
export type Places = {
  /** What takes one, as in "Files being stored: 30". */
  readonly of: string;
  readonly max: number;
  readonly maxOfToken: number;
  /** How many are taken, and how many of them each token has. */
  readonly taken: { count: number; readonly ofToken: Map<string, number> };
};

/**
 * Takes a place.
 *
 * @param token its name
 * @returns gives the place back; to be called once
 * @throws AirlineError `overloaded` where too many are taken, of all callers or of this one
 */
export function takePlace({ of, max, maxOfToken, taken }: Places, token: string): () => void {
  const refuse = (what: string, count: number) => {
    throw new AirlineError('overloaded', `${what}: ${count}, as many as there may be at once.`);
  };
  if (taken.count >= max) refuse(of, taken.count);
  const own = taken.ofToken.get(token) ?? 0;
  if (own >= maxOfToken) refuse(`${of} for ${token}`, own);
  taken.count += 1;
  taken.ofToken.set(token, own + 1);
  return () => {
    taken.count -= 1;
    const others = (taken.ofToken.get(token) ?? 1) - 1;
    if (others > 0) taken.ofToken.set(token, others);
    else taken.ofToken.delete(token);
  };
}

/**
 * Has requests take a place before their body is read, which they give back when they have been handled and the stream
 * that they answer with, if they do, is closed.
 *
 * @throws AirlineError `overloaded`
 */
export function holdPlace(places: Places): Middleware<RequestState> {
  return async (ctx, next) => {
    const giveBack = takePlace(places, ctx.state.actor.name);
    try {
      await next();
    } finally {
      const { body } = ctx;
      if (body instanceof Readable && !body.closed) body.once('close', giveBack);
      else giveBack();
    }
  };
}
