import { describeRules, machinesWith } from './link-rules.ts';

const portOf = (machine: string) => `port of ${machine}`;
const rulesOf = (...faults: Parameters<typeof describeRules>[0]) =>
  describeRules(faults, portOf)
    .split('\n')
    .filter((line) => line.includes('drop'))
    .map((line) => line.trim());

it('has no rule where all links are sound, and makes the table anew', () => {
  expect(rulesOf()).toEqual([]);
  expect(describeRules([], portOf)).toMatch(
    /^add table bridge chaos\ndelete table bridge chaos\ntable bridge chaos \{\n/,
  );
});

it('drops what a machine sends, what it is sent, or both', () => {
  const from = 'iifname "port of api-1" drop';
  const to = 'oifname "port of api-1" drop';
  expect(rulesOf({ machine: 'api-1', fault: { kind: 'cut' } })).toEqual([from, to]);
  expect(rulesOf({ machine: 'api-1', fault: { kind: 'mute' } })).toEqual([from]);
  expect(rulesOf({ machine: 'api-1', fault: { kind: 'deaf' } })).toEqual([to]);
});

it('drops some of its packets, both ways', () => {
  expect(rulesOf({ machine: 's3', fault: { kind: 'lossy', percent: 20 } })).toEqual([
    'iifname "port of s3" numgen random mod 100 < 20 drop',
    'oifname "port of s3" numgen random mod 100 < 20 drop',
  ]);
});

it('splits the network in two, and other faults go on', () => {
  const side = '{ "port of api-1", "port of s3" }';
  expect(
    rulesOf(
      { machine: 'api-1', fault: { kind: 'split', others: ['s3'] } },
      { machine: 'worker-1', fault: { kind: 'mute' } },
    ),
  ).toEqual([
    `iifname ${side} oifname != ${side} drop`,
    `iifname != ${side} oifname ${side} drop`,
    'iifname "port of worker-1" drop',
  ]);
});

it('counts all of a side as cut off', () => {
  expect(
    machinesWith([
      { machine: 'api-1', fault: { kind: 'split', others: ['s3', 'worker-2'] } },
      { machine: 'rabbitmq', fault: { kind: 'slow', kbitPerS: 100 } },
    ]),
  ).toEqual(new Set(['api-1', 's3', 'worker-2', 'rabbitmq']));
});
