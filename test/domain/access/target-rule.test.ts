import { readPpa } from '../../../domain/packages/ppa.ts';
import {
  ALL_TARGETS,
  assertTargetsAllowed,
  isQueueAllowed,
  PPA_ENTRY,
  targetsOfBuild,
  targetsOfLanding,
  type TargetRule,
} from '../../../domain/access/target-rule.ts';

const RULE: TargetRule = {
  ppas: ['~ada/ubuntu/greetings', '~team/*'],
  queuePrefixes: ['airline-'],
};
const ANYBODY = { name: 'anybody', targets: ALL_TARGETS };
const check = (ppa: string, queue?: string, rule = RULE) => {
  const read = readPpa(ppa, 'ubuntu');
  return () => assertTargetsAllowed(rule, ANYBODY, { ppas: read ? [read] : [], queue });
};
const REFUSED = expect.objectContaining({ code: 'target_not_allowed' });

describe('the targets that a request may name', () => {
  it.each([
    'ppa:ada/greetings',
    'https://launchpad.net/~ada/+archive/ubuntu/greetings',
    'team/any',
  ])('are the PPAs of the list in any form: %s', (ppa) => expect(check(ppa)).not.toThrow());

  it.each(['ada/greetings-2', '~ada/debian/greetings', 'teamster/any'])(
    'are no PPA that the list does not have: %s',
    (ppa) => expect(check(ppa)).toThrow(REFUSED),
  );

  it('are queues whose names have the prefix', () => {
    expect(check('team/any', 'airline-1')).not.toThrow();
    expect(check('team/any', 'billing')).toThrow(REFUSED);
  });

  it('are all where nothing is set', () => {
    expect(check('bob/any', 'billing', { ppas: [], queuePrefixes: [] })).not.toThrow();
  });

  it('are what the token of the caller allows, too', () => {
    const targets = { ppas: ['~team/ubuntu/*'], queuePrefixes: ['airline-a', 'airline-b'] };
    const caller = { name: 'lander', targets };
    const ask = (ppa: string, queue: string) => {
      const read = readPpa(ppa, 'ubuntu');
      return () => assertTargetsAllowed(RULE, caller, { ppas: read ? [read] : [], queue });
    };
    expect(ask('team/any', 'airline-b1')).not.toThrow();
    expect(ask('ada/greetings', 'airline-b1')).toThrow(
      /^The token lander does not allow the PPA ~ada\/ubuntu\/greetings\.$/,
    );
    expect(ask('team/any', 'airline-c')).toThrow(
      /^The token lander does not allow the queue airline-c: .* begin with airline-a or airline-b\.$/,
    );
    expect(ask('bob/any', 'airline-b1')).toThrow(/^This server does not allow the PPA/);
  });

  it('are queues that both allow', () => {
    const team = { name: 'lander', targets: { ppas: [], queuePrefixes: ['airline-team-'] } };
    expect(isQueueAllowed(RULE, ANYBODY, 'airline-ticket-7')).toBe(true);
    expect(isQueueAllowed(RULE, team, 'airline-ticket-7')).toBe(false);
    expect(isQueueAllowed({ ...RULE, queuePrefixes: ['team-'] }, team, 'airline-team-7')).toBe(
      false,
    );
  });

  it('are the PPA that a landing publishes in, too; a primary archive is for its policy', () => {
    const landing = {
      ppa: 'team/any',
      archive: 'ubuntu',
      target: '~bob/ubuntu/stable',
      queue: null,
    };
    expect(() => assertTargetsAllowed(RULE, ANYBODY, targetsOfLanding(landing))).toThrow(REFUSED);
    const primary = targetsOfLanding({ ...landing, ppa: null, target: 'ubuntu' });
    expect(() => assertTargetsAllowed(RULE, ANYBODY, primary)).not.toThrow();
  });

  it('are never none because the text of a PPA cannot be read', () => {
    const row = { ppa: 'nonsense', archive: 'ubuntu' };
    expect(() => targetsOfBuild({ ...row, progressTrigger: null })).toThrow('"nonsense"');
    expect(() => targetsOfLanding({ ...row, target: 'ubuntu', queue: null })).toThrow('"nonsense"');
  });

  it.each([
    ['~ada/ubuntu/greetings', true],
    ['~team/*', true],
    ['~team/ubuntu/*', true],
    ['*', false],
    ['team/any', false],
    ['~team/an*', false],
  ])('are listed as references: %s', (entry, isEntry) => {
    expect(PPA_ENTRY.test(entry)).toBe(isEntry);
  });
});
