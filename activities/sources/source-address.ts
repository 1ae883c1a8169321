import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AirlineError } from '../../domain/errors.ts';
import {
  isOfFormerStore,
  isOfStore,
  portOf,
  shownUrl,
  type SourceUrlRule,
} from '../../domain/access/source-url.ts';
import { type Resolve, sharingLookups } from './shared-lookup.ts';

/** The system's way of asking, which all that is dialled here shares. */
const sharedLookup = sharingLookups(systemLookup);

/** IANA's special-purpose IPv4 addresses and multicast: no host of the public Internet is there. */
const NOT_PUBLIC_V4 = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);
/** All that is public of IPv6 today, save for these parts of it. */
const PUBLIC_V6 = networks(['2000::/3']);
/** IETF's own with Teredo, documentation, 6to4, which would carry any IPv4 address, documentation. */
const NOT_PUBLIC_V6 = networks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
const THIS_MACHINE = networks(['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128']);

/**
 * What a connection to a URL has to ask for the address of its host: the answer leaves out every address that must
 * not be dialled. What is judged is what is dialled, so a name that first leads to one address and then to another
 * gains nothing.
 *
 * An address that is written in the URL itself, and `localhost` for loopback, are judged by the allow-list alone: the
 * operator has written them there. A former address of the data store is never dialled: a file of it has a present one.
 *
 * @param resolve the system's way of asking, or another
 * @returns `lookup` for `node:http`, and what the URL's own address is refused for, as no lookup is made of that
 */
export function dialRule(
  url: URL,
  rule: SourceUrlRule,
  resolve: Resolve = sharedLookup,
): { lookup: LookupFunction; refusal: AirlineError | undefined } {
  const allowed = networks(rule.privateNetworks ?? []);
  const named = url.hostname.replace(/^\[|\]$/g, '');
  const port = portOf(url);
  const isNamedWithPort = rule.hosts.includes(`${url.hostname}:${port}`);

  const problemOf = (address: string): string | undefined => {
    if (isOfStore(url, rule)) return undefined;
    if (isOfFormerStore(url, rule)) return 'the data store is there no longer';
    if (isOfThisMachine(address) && rule.refusedPorts.includes(port) && !isNamedWithPort)
      return `port ${port} belongs to Airline itself`;
    if (isIP(named) > 0 || (named === 'localhost' && contains(THIS_MACHINE, address)))
      return undefined;
    if (isPublic(address) || contains(allowed, address)) return undefined;
    return 'it is not a public address';
  };
  const refuse = (address: string, why: string) =>
    new AirlineError('address_not_allowed', `${shownUrl(url.href)} leads to ${address}: ${why}`);

  const literalProblem = isIP(named) > 0 ? problemOf(named) : undefined;
  return {
    refusal: literalProblem === undefined ? undefined : refuse(named, literalProblem),
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '');
        const good = addresses.filter(({ address }) => problemOf(address) === undefined);
        const [first] = good;
        const bad = addresses[0]?.address ?? 'no address';
        if (!first) return callback(refuse(bad, problemOf(bad) ?? 'it has none'), '');
        if (options.all) return callback(null, good);
        return callback(null, first.address, first.family);
      });
    },
  };
}

/** Whether a host of the public Internet may have the address. An IPv4 address within IPv6 is judged as itself. */
export function isPublic(address: string): boolean {
  const plain = unmapped(address);
  if (isIP(plain) === 4) return !contains(NOT_PUBLIC_V4, plain);
  return contains(PUBLIC_V6, plain) && !contains(NOT_PUBLIC_V6, plain);
}

function isOfThisMachine(address: string): boolean {
  const plain = unmapped(address);
  return (
    contains(THIS_MACHINE, plain) ||
    Object.values(networkInterfaces()).some((own) => own?.some((one) => one.address === plain))
  );
}

/** An address without its zone; of an IPv4-mapped IPv6 address, the IPv4 address in it. */
function unmapped(given: string): string {
  const [address = ''] = given.split('%');
  if (isIP(address) !== 6) return address;
  const [, dotted, high, low] =
    /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(
      new URL(`http://[${address}]`).hostname.slice(1, -1),
    ) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return address;
  const bits = Number.parseInt(high, 16) * 2 ** 16 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}

function networks(list: readonly string[]): BlockList {
  const made = new BlockList();
  for (const network of list) {
    const [address = '', bits] = network.split('/');
    made.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return made;
}

function contains(list: BlockList, address: string): boolean {
  const plain = unmapped(address);
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}
