import { call } from './call.ts';
import { json, useScript } from './script-server.ts';

const AT = '2026-01-01T00:00:00.000Z';
const PPA = {
  id: 3,
  ppa: '~team/debian/silo-1',
  distribution: 'debian',
  state: 'quarantined',
  state_since: AT,
  reason: 'it has foreign 1.0, which no landing has uploaded',
  landing: null,
  landing_id: null,
};
const server = useScript();
const run = (...args: string[]) => call(args, { env: server.environment, columns: 160 });

describe('airline ppapool', () => {
  it('lists the PPAs, who has them and why nobody may', async () => {
    const leased = { ...PPA, id: 4, state: 'leased', reason: null, landing_id: 7 };
    const meta = { total_count: 2, offset: 0, limit: 20, next: null, previous: null };
    server.play(json(200, { meta, objects: [PPA, leased] }));
    const { code, stdout } = await run('ppapool', 'list');
    expect(code).toBe(0);
    expect(stdout).toContain(PPA.reason);
    expect(stdout).toMatch(/4\s+~team\/debian\/silo-1\s+leased\s.*\s7/);
  });

  it.each([
    [['add', 'team/silo-1', '--archive', 'debian'], '/api/v1/ppapool/', 'is being checked'],
    [['clean', '3'], '/api/v1/ppapool/3/clean/', 'is cleaned'],
    [['retire', '3', '--reason', 'no'], '/api/v1/ppapool/3/retire/', 'is retired'],
  ])('%j says what becomes of the PPA', async (args, path, becomes) => {
    server.play(json(200, PPA));
    const { code, stdout } = await run('ppapool', ...args);
    expect(server.requests).toMatchObject([{ method: 'POST', path }]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(becomes) });
  });
});
