import type { LookupAddress } from 'node:dns';
import { type Resolve, sharingLookups } from '../../../activities/sources/shared-lookup.ts';

type Lookup = { hostname: string; answer: Parameters<Resolve>[2] };

const ADDRESSES: LookupAddress[] = [{ address: '93.184.216.34', family: 4 }];
const ANY = { all: true } as const;

/** Lookups that wait for the test's answer, and who was told what. */
function watch() {
  const begun: Lookup[] = [];
  const told: unknown[] = [];
  const ask = sharingLookups((hostname, _options, answer) => begun.push({ hostname, answer }));
  const tell = (who: string) => (error: Error | null, addresses: LookupAddress[]) =>
    told.push([who, error ?? addresses]);
  return { begun, told, ask, tell };
}

it('those who ask for a name while it is being asked for share one lookup', () => {
  const { begun, told, ask, tell } = watch();
  ask('ci.example', ANY, tell('first'));
  ask('ci.example', ANY, tell('second'));
  ask('sources.example', ANY, tell('other'));
  expect(begun.map(({ hostname }) => hostname)).toEqual(['ci.example', 'sources.example']);
  begun[0]?.answer(null, ADDRESSES);
  expect(told).toEqual([
    ['first', ADDRESSES],
    ['second', ADDRESSES],
  ]);
});

it('a failure is shared, too, and the name is asked for again after it', () => {
  const { begun, told, ask, tell } = watch();
  const failure = new Error('getaddrinfo EAI_AGAIN ci.example');
  ask('ci.example', ANY, tell('first'));
  ask('ci.example', ANY, tell('second'));
  begun[0]?.answer(failure, []);
  expect(told).toEqual([
    ['first', failure],
    ['second', failure],
  ]);
  ask('ci.example', ANY, tell('later'));
  expect(begun).toHaveLength(2);
});

it('who wants addresses of one family alone gets no others', () => {
  const { begun, ask, tell } = watch();
  ask('ci.example', ANY, tell('first'));
  ask('ci.example', { ...ANY, family: 6 }, tell('second'));
  expect(begun).toHaveLength(2);
});
