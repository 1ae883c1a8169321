import { AirlineError } from '../../domain/errors.ts';

/**
 * Runs what reads or writes a part of a body; its errors say where in the body the part is.
 *
 * @param place as in `subtickets[2]`; empty: the body itself
 */
export async function atPlace<T>(place: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AirlineError) || place === '') throw error;
    const fields = error.fields && {
      fields: Object.fromEntries(
        Object.entries(error.fields).map(([name, messages]) => [`${place}.${name}`, messages]),
      ),
    };
    throw new AirlineError(error.code, `${place}: ${error.message}`, { cause: error, ...fields });
  }
}
