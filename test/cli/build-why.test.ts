import { call } from './call.ts';

const NOW = new Date('2026-01-01T00:10:00.000Z');

/** What `build why` prints of a build that the PPA has not shown yet. */
async function why(fields: object): Promise<string> {
  const build = {
    id: 22,
    phase: 'accepting',
    phase_since: '2026-01-01T00:00:00.000Z',
    waiting: { for: 'ppa', since: '2026-01-01T00:00:00.000Z', usual_ms: 1_000 },
    failure: null,
    trouble: null,
    finished_at: null,
    cancel_requested_at: null,
    builds: [],
    ...fields,
  };
  const { stdout } = await call(['build', 'why', '22'], {
    now: () => NOW,
    fetch: async () => Response.json(build),
  });
  return stdout;
}

describe('airline build why', () => {
  it('says for how long a build does what it does', async () => {
    expect(await why({})).toMatch(/^Build 22 is accepting for 10 min; it waits for the PPA/);
  });

  it('says of a build that it is being cancelled', async () => {
    expect(await why({ cancel_requested_at: '2026-01-01T00:04:00.000Z' })).toMatch(
      /^Build 22 is accepting, being cancelled; it waits for the PPA/,
    );
  });
});
