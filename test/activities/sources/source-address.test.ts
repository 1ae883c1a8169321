import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Resolve } from '../../../activities/sources/shared-lookup.ts';
import { dialRule, isPublic } from '../../../activities/sources/source-address.ts';
import type { SourceUrlRule } from '../../../domain/access/source-url.ts';

const RULE: SourceUrlRule = {
  hosts: ['localhost', '127.0.0.1', '[::1]', 'sources.example', 'cache.example:9000'],
  refusedPorts: [8080],
  storeUrl: 'http://store.example:8080/store',
  formerStoreUrls: ['http://10.0.0.5:8080/store', 'https://former.example/store'],
};
const leadsTo =
  (...addresses: string[]): Resolve =>
  (_hostname, _options, answer) =>
    answer(
      null,
      addresses.map((address): LookupAddress => ({
        address,
        family: address.includes(':') ? 6 : 4,
      })),
    );

/** The addresses that would be dialled for a URL whose host leads to `addresses`; or the code of the refusal. */
async function dialled(url: string, addresses: string[], rule = RULE): Promise<string[] | string> {
  const { lookup, refusal } = dialRule(new URL(url), rule, leadsTo(...addresses));
  if (refusal) return refusal.code;
  return new Promise((resolve) =>
    lookup(new URL(url).hostname, { all: true }, (error, found) =>
      resolve(
        error
          ? (error as Error & { code: string }).code
          : (found as LookupAddress[]).map(({ address }) => address),
      ),
    ),
  );
}

describe('an address of the public Internet', () => {
  it.each([
    '93.184.216.34',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '223.255.255.255',
    '2606:2800:220:1:248:1893:25c8:1946',
    '::ffff:93.184.216.34',
  ])('is %s', (address) => expect(isPublic(address)).toBe(true));

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.19.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '0:0:0:0:0:FFFF:169.254.169.254',
    '64:ff9b::7f00:1',
    '2001:0:1::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%lo',
    'fec0::1',
    'ff02::1',
    'localhost',
  ])('is not %s', (address) => expect(isPublic(address)).toBe(false));
});

describe('what is dialled for a URL', () => {
  const PUBLIC = '93.184.216.34';

  it.each([
    ['a public address', 'https://sources.example/a', [PUBLIC], [PUBLIC]],
    [
      'of several, only those that are public',
      'http://sources.example/',
      ['10.0.0.1', PUBLIC, '::1'],
      [PUBLIC],
    ],
    [
      'localhost, which the list names',
      'http://localhost:9000/',
      ['::1', '127.0.0.1'],
      ['::1', '127.0.0.1'],
    ],
    [
      'whatever the data store leads to',
      'http://store.example:8080/store/a',
      ['10.0.0.1'],
      ['10.0.0.1'],
    ],
  ])('is %s', async (_what, url, addresses, expected) => {
    expect(await dialled(url, addresses)).toEqual(expected);
  });

  it.each([
    ['a name that leads to a private network', 'http://sources.example/', ['192.168.0.1']],
    ['a name that leads to this machine', 'http://sources.example:8080/', ['127.0.0.1']],
    ['a name with its port that leads to loopback', 'http://cache.example:9000/', ['::1']],
    [
      'a name that leads to the metadata of a cloud',
      'http://sources.example/',
      ['169.254.169.254'],
    ],
    ['a name that leads to loopback in IPv6', 'http://sources.example/', ['::ffff:127.0.0.1']],
    ['a name that leads nowhere', 'http://sources.example/', []],
    ['localhost that leads elsewhere', 'http://localhost/', ['10.0.0.1']],
    ['a part of Airline at localhost', 'http://localhost:8080/', ['127.0.0.1']],
    ['a part of Airline at an address', 'http://127.0.0.1:8080/', []],
    ['a part of Airline at an address of IPv6', 'http://[::1]:8080/', []],
    ['where the data store was', 'http://10.0.0.5:8080/store/a', ['10.0.0.5']],
    ['a name that the data store had', 'https://former.example/store/a', [PUBLIC]],
  ])('is never %s', async (_what, url, addresses) => {
    expect(await dialled(url, addresses)).toBe('address_not_allowed');
  });

  it('is an address of a private network that is allowed, and of no other', async () => {
    const rule = { ...RULE, privateNetworks: ['10.1.0.0/16', 'fd00:1::/32'] };
    const at = (...addresses: string[]) => dialled('http://sources.example/', addresses, rule);
    expect(await at('10.1.2.3', 'fd00:1::7', '10.2.0.1')).toEqual(['10.1.2.3', 'fd00:1::7']);
    expect(await at('10.2.0.1', 'fd00:2::7')).toBe('address_not_allowed');
  });

  it('is no part of Airline, whatever address of this machine it is asked at', async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ address }) => address);
    const rule = { ...RULE, privateNetworks: ['0.0.0.0/0', '::/0'] };
    for (const address of [...own, '0.0.0.0', '127.9.9.9', '::']) {
      expect(await dialled('http://sources.example:8080/', [address], rule)).toBe(
        'address_not_allowed',
      );
      expect(await dialled('http://sources.example:9000/', [address], rule)).toEqual([address]);
    }
  });
});

it('those who dial a host at once share one lookup of the system', async () => {
  const order: string[] = [];
  const dial = (who: string) =>
    new Promise<void>((resolve) => {
      const { lookup } = dialRule(new URL('http://localhost:9000/'), RULE);
      lookup('localhost', { all: true }, () => {
        order.push(who);
        // Comes before the answer to another lookup, and after all of this one.
        process.nextTick(() => order.push(`after ${who}`));
        resolve();
      });
    });
  await Promise.all([dial('first'), dial('second')]);
  await nextTurn();
  expect(order).toEqual(['first', 'second', 'after first', 'after second']);
});
