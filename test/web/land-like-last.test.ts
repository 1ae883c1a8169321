import { landLikeLast } from '../../web/landing/land-like-last.ts';
import type { FullTicket, Landing } from '../../web/server/api-types.ts';

const BUILDS = [
  { id: 1, series: 'jammy', archive: 'ubuntu' },
  { id: 2, series: 'bookworm', archive: 'debian' },
];
const TICKET = { id: 7, builds: BUILDS } as FullTicket;
const LAST = {
  target: 'ubuntu',
  series: 'noble',
  target_series: 'noble',
  pocket: 'Proposed',
  archive: 'ubuntu',
  progress_trigger: 'airline-ticket-7',
  webhook_id: null,
} as Landing;
const after = (last: Partial<Landing>) => landLikeLast(TICKET, { ...LAST, ...last });

describe('a landing of a ticket that had one', () => {
  it('goes where that went, and says no more than it needs to', () => {
    expect(after({})).toEqual({
      target: 'ubuntu',
      series: 'noble',
      target_series: '',
      pocket: '',
      archive: 'ubuntu',
      progress_trigger: '',
      webhook_id: '',
    });
  });

  it.each<[string, Partial<Landing>]>([
    ['series', { target_series: 'plucky' }],
    ['pocket', { pocket: 'Updates' }],
    ['pocket, though it is the usual one of a PPA', { pocket: 'Release' }],
    ['queue', { progress_trigger: 'lander' }],
  ])('goes to another %s than the usual one, where that did', (_, other) => {
    expect(after(other)).toMatchObject(other);
  });

  it('tells the webhook that was told', () => {
    expect(after({ progress_trigger: null, webhook_id: 3 })).toMatchObject({
      progress_trigger: '',
      webhook_id: '3',
    });
  });

  it('names no pocket of a PPA, which has one', () => {
    expect(after({ target: '~team/ubuntu/landed', pocket: 'Release' }).pocket).toBe('');
  });
});

it('a first landing of a ticket is built for what its last build was for', () => {
  expect(landLikeLast(TICKET, undefined)).toMatchObject({
    target: '',
    series: 'bookworm',
    archive: 'debian',
  });
});
