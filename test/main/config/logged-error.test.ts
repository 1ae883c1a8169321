import { loggedError } from '../../../main/config/logged-error.ts';
import { useDatabase } from '../../models/use-database.ts';

const database = useDatabase();

it('shows of a statement that PostgreSQL refuses where it is, and no text that it has', async () => {
  const { PpaPast } = database.now;
  const past = { ppa: 'silo', source: "it's s3cret", version: '1.0-1' };
  await PpaPast.record(past.ppa, [past], null);
  const again = PpaPast.bulkCreate([{ ...past, landingId: null, createdAt: new Date() }]);
  const error: unknown = await again.catch((reason: unknown) => reason);
  const shown = loggedError(error as Error);
  expect(shown).toMatchObject({
    sql: expect.stringMatching(/^INSERT INTO "ppa_past" .* VALUES \('\*\*\*'/),
    parent: { code: '23505', table: 'ppa_past', constraint: 'ppa_past_pkey' },
  });
  expect(JSON.stringify(shown)).not.toContain('s3cret');
});

it('shows of a request that cannot be read what is wrong, and nothing that came with it', () => {
  const error = Object.assign(new Error('Parse Error: Invalid character in chunk size'), {
    code: 'HPE_INVALID_CHUNK_SIZE',
    bytesParsed: 9,
    rawPacket: Buffer.from('Authorization: Bearer airline_s3cret'),
  });
  for (const shown of [loggedError(error), loggedError(new AggregateError([error]))]) {
    const json = JSON.stringify(shown);
    expect(json).toContain('"code":"HPE_INVALID_CHUNK_SIZE"');
    expect(json).toContain('"bytesParsed":9');
    expect(json).not.toContain('"data":[');
  }
});
