import { ANONYMOUS, type TokenRequest } from '../../../models/service/access-token.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const DAY_MS = 86_400_000;
const LIFETIMES = { defaultMs: 90 * DAY_MS, maxMs: 365 * DAY_MS };
const WORK = { actor: 'an operator' };
const NOW = new Date('2026-11-20T12:00:00.000Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);

let made = 0;
function issue(request: Partial<TokenRequest> = {}, now = NOW) {
  made += 1;
  const asked: TokenRequest = { name: `token-${made}`, scopes: ['read'], ...request };
  return database.now.AccessToken.issue(asked, LIFETIMES, WORK, now);
}
const find = (text: string, now = NOW) => database.now.AccessToken.findValid(text, now);
async function rowOf(id: number) {
  const [[row]] = await database.now.sequelize.query(
    `SELECT last_used_at, revoked_at, revoked_by FROM access_token WHERE id = ${id}`,
  );
  return row as { last_used_at: Date | null; revoked_at: Date | null; revoked_by: string | null };
}

describe('a token', () => {
  it('is found by its text, with its name and scopes', async () => {
    const { text, row } = await issue({ name: 'lander@ci', scopes: ['read', 'ticket:write'] });
    expect(text).toMatch(/^airline_[A-Za-z0-9_-]{43}$/);
    expect(await find(text)).toEqual({
      id: row.id,
      name: 'lander@ci',
      scopes: ['read', 'ticket:write'],
      targets: { ppas: [], queuePrefixes: [] },
      expiresAt: after(LIFETIMES.defaultMs).toISOString(),
    });
    expect(row).toMatchObject({ createdBy: 'an operator', createdAt: NOW, revokedAt: null });
  });

  it('is kept as a hash: no row has its text', async () => {
    const { text } = await issue();
    const [rows] = await database.now.sequelize.query('SELECT t::text AS row FROM access_token t');
    const all = JSON.stringify(rows);
    const secret = text.replace('airline_', '');
    expect(all).toContain(`token-${made}`);
    expect(all).not.toContain(secret);
    expect(all).not.toContain(Buffer.from(text).toString('hex'));
    expect(all).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
  });

  it.each(['', 'airline_', 'airline_short', "airline_' OR true --", `airline_${'a'.repeat(43)}`])(
    'is not found by %j',
    async (text) => {
      await issue();
      expect(await find(text)).toBeUndefined();
    },
  );

  it('is not found by a text that differs in its last character', async () => {
    const { text } = await issue();
    expect(await find(text.slice(0, -1) + (text.endsWith('A') ? 'E' : 'A'))).toBeUndefined();
  });

  it('ends with its time', async () => {
    const { text } = await issue({ expiresAt: after(DAY_MS) });
    expect(await find(text, after(DAY_MS - 1))).toBeDefined();
    expect(await find(text, after(DAY_MS))).toBeUndefined();
  });

  it('has the usual lifetime where nobody says otherwise, and never more than the longest', async () => {
    expect((await issue()).row.expiresAt).toEqual(after(90 * DAY_MS));
    const latest = after(LIFETIMES.maxMs);
    expect((await issue({ expiresAt: latest })).row.expiresAt).toEqual(latest);
    const { AccessToken } = database.now;
    const request: TokenRequest = { name: 'short', scopes: ['read'] };
    const { row } = await AccessToken.issue(
      request,
      { defaultMs: 90 * DAY_MS, maxMs: DAY_MS },
      WORK,
      NOW,
    );
    expect(row.expiresAt).toEqual(after(DAY_MS));
  });

  it.each([
    ['the past', after(-1)],
    ['now', NOW],
    ['a time after the longest lifetime', after(LIFETIMES.maxMs + 1)],
    ['no time at all', new Date(Number.NaN)],
  ])('does not expire at %s', async (_name, expiresAt) => {
    await expect(issue({ expiresAt })).rejects.toMatchObject({
      code: 'invalid_field',
      fields: { expires_at: [expect.any(String)] },
    });
  });

  it('is refused from the moment that it is revoked', async () => {
    const { text, row } = await issue();
    expect(await find(text)).toBeDefined();
    const { AccessToken } = database.now;
    const revoked = await AccessToken.revoke(row.id, { actor: 'somebody' }, after(1_000));
    expect(revoked).toMatchObject({ revokedAt: after(1_000), revokedBy: 'somebody' });
    expect(await find(text)).toBeUndefined();
  });

  it('stays revoked as it was first', async () => {
    const { row } = await issue();
    const { AccessToken } = database.now;
    await AccessToken.revoke(row.id, { actor: 'the first' }, after(1_000));
    await AccessToken.revoke(row.id, { actor: 'the second' }, after(2_000));
    expect(await rowOf(row.id)).toMatchObject({
      revoked_at: after(1_000),
      revoked_by: 'the first',
    });
    expect(await AccessToken.revoke(2_000_000_000, WORK)).toBeNull();
  });
});

describe('the name of a token', () => {
  it('is one at a time, however many ask at once, and free again when it is revoked', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => issue({ name: 'one' })));
    const given = asked.filter(({ status }) => status === 'fulfilled');
    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(given).toHaveLength(1);
    const { AccessToken } = database.now;
    const { id } = (await AccessToken.named('one')) ?? {};
    expect(refused.map(({ code }) => code)).toEqual(Array(7).fill('conflict'));
    expect(refused[0].message).toContain(`/api/v1/token/${id}/`);
    await AccessToken.revoke(id ?? 0, WORK);
    expect((await issue({ name: 'one' })).row.id).not.toBe(id);
  });

  it('is held by a token that has expired', async () => {
    await issue({ name: 'old', expiresAt: after(1_000) });
    await expect(issue({ name: 'old' }, after(2_000))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is never that of a caller without a token', async () => {
    await expect(issue({ name: ANONYMOUS })).rejects.toMatchObject({
      code: 'invalid_field',
      fields: { name: [expect.any(String)] },
    });
  });

  it.each(['', 'a b', 'ü', 'a:b', 'a\nb', 'x'.repeat(101)])(
    'cannot be %j, whoever writes it',
    async (name) => {
      await expect(issue({ name })).rejects.toThrow(/access_token_name_check/);
    },
  );

  it.each([[[]], [['read', 'everything']]])('comes with no scopes such as %j', async (scopes) => {
    await expect(issue({ scopes: scopes as never })).rejects.toThrow(/access_token_scopes_check/);
  });
});

describe('the last use of a token', () => {
  it('is written once a minute, so that a read is not a write', async () => {
    const { text, row } = await issue();
    const usedAt = async (now: Date) => {
      await find(text, now);
      return (await rowOf(row.id)).last_used_at;
    };
    expect((await rowOf(row.id)).last_used_at).toBeNull();
    expect(await usedAt(after(1_000))).toEqual(after(1_000));
    expect(await usedAt(after(60_999))).toEqual(after(1_000));
    expect(await usedAt(after(61_000))).toEqual(after(61_000));
  });

  it('makes no request wait for another that holds the row', async () => {
    const { text, row } = await issue();
    const { sequelize } = database.now;
    await sequelize.transaction(async (transaction) => {
      const sql = `SELECT FROM access_token WHERE id = ${row.id} FOR UPDATE`;
      await sequelize.query(sql, { transaction });
      expect(await find(text)).toMatchObject({ id: row.id });
    });
    expect((await rowOf(row.id)).last_used_at).toBeNull();
  });

  it('is not that of a wrong token, nor of one that has expired', async () => {
    const { text, row } = await issue({ expiresAt: after(1_000) });
    await find(text, after(2_000));
    expect((await rowOf(row.id)).last_used_at).toBeNull();
  });
});

describe('the lists of tokens', () => {
  it('page through all of them, and never give a hash', async () => {
    const { AccessToken } = database.now;
    const { row } = await issue();
    await AccessToken.revoke(row.id, WORK);
    const { totalCount } = await AccessToken.list({ limit: 1, offset: 0 });
    const { rows } = await AccessToken.list({ limit: 1, offset: totalCount - 1 });
    expect(rows.map(({ id }) => id)).toEqual([row.id]);
    expect(rows[0]?.get({ plain: true })).not.toHaveProperty('hash');
    const current = await AccessToken.current();
    expect(current.length).toBeGreaterThan(0);
    expect(current.filter(({ revokedAt }) => revokedAt !== null)).toEqual([]);
  });

  it('find a valid token through the index on its hash', async () => {
    const plan = await database.now.sequelize.transaction(async (transaction) => {
      await database.now.sequelize.query('ANALYZE access_token', { transaction });
      await database.now.sequelize.query('SET LOCAL enable_seqscan = off', { transaction });
      const [rows] = await database.now.sequelize.query(
        "EXPLAIN SELECT id FROM access_token WHERE hash = '\\x00' AND revoked_at IS NULL",
        { transaction },
      );
      return JSON.stringify(rows);
    });
    expect(plan).toContain('access_token_hash_key');
  });
});
