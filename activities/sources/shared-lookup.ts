import type { LookupAddress, LookupOptions } from 'node:dns';

type Answered = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Asks for the addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: Answered,
) => void;

/**
 * Has those who ask for a name while it is being asked for share one lookup. Nothing ends a lookup that has begun, and
 * few run at a time: where each asked for itself, a name whose name server is silent would keep this process from all
 * others.
 */
export function sharingLookups(resolve: Resolve): Resolve {
  const underWay = new Map<string, Answered[]>();
  return (hostname, options, callback) => {
    const asked = JSON.stringify([hostname, options]);
    const others = underWay.get(asked);
    if (others) {
      others.push(callback);
      return;
    }
    const waiting = [callback];
    underWay.set(asked, waiting);
    resolve(hostname, options, (error, addresses) => {
      underWay.delete(asked);
      for (const answer of waiting) answer(error, addresses);
    });
  };
}
