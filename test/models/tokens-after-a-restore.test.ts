import type { TokenRequest } from '../../models/service/access-token.ts';
import { TESTS } from '../support/rows.ts';
import { BACKUPS, restore } from './restore.ts';
import { useDatabase } from './use-database.ts';

const DAY_MS = 86_400_000;
const LIFETIMES = { defaultMs: DAY_MS, maxMs: DAY_MS };

describe.each(BACKUPS)('a token of the backup, after a restore of a backup "%s"', (backup) => {
  const database = useDatabase();

  it('lets nobody in, as it may have been revoked since, and its name is free', async () => {
    const { AccessToken, Session } = database.now;
    const request: TokenRequest = { name: 'lander', scopes: ['read'] };
    const { text, row } = await AccessToken.issue(request, LIFETIMES, TESTS);
    const session = await Session.begin(row.id, DAY_MS);
    expect(await AccessToken.findValid(text)).toMatchObject({ name: 'lander' });
    expect(await Session.findToken(session, DAY_MS)).toMatchObject({ name: 'lander' });

    await restore(database.now, backup);

    expect(await AccessToken.findValid(text)).toBeUndefined();
    expect(await Session.findToken(session, DAY_MS)).toBeUndefined();
    expect(await AccessToken.findByPk(row.id)).toMatchObject({ revokedBy: 'a restore' });
    expect(await Session.count()).toBe(0);
    const { text: another } = await AccessToken.issue(request, LIFETIMES, TESTS);
    expect(await AccessToken.findValid(another)).toMatchObject({ name: 'lander' });
  });
});
