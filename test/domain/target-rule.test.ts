import { readPpa } from '../../domain/ppa.ts';
import {
  assertTargetsAllowed,
  PPA_ENTRY,
  targetsOfLanding,
  type TargetRule,
} from '../../domain/target-rule.ts';

const RULE: TargetRule = { ppas: ['~ada/ubuntu/greetings', '~team/*'], queuePrefix: 'airline-' };
const check = (ppa: string, queue?: string, rule = RULE) => {
  const read = readPpa(ppa, 'ubuntu');
  return () => assertTargetsAllowed(rule, { ppas: read ? [read] : [], queue });
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
    expect(check('bob/any', 'billing', { ppas: [], queuePrefix: '' })).not.toThrow();
  });

  it('are the PPA that a landing publishes in, too; a primary archive is for its policy', () => {
    const landing = {
      ppa: 'team/any',
      archive: 'ubuntu',
      target: '~bob/ubuntu/stable',
      queue: null,
    };
    expect(() => assertTargetsAllowed(RULE, targetsOfLanding(landing))).toThrow(REFUSED);
    const primary = targetsOfLanding({ ...landing, ppa: null, target: 'ubuntu' });
    expect(() => assertTargetsAllowed(RULE, primary)).not.toThrow();
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
