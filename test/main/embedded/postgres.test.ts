import { Client } from 'pg';
import { stackAddresses } from '../../support/addresses.ts';

it('the password is kept in a way that the driver of Temporal takes: with a count of at least four digits', async () => {
  const client = new Client({
    connectionString: `${stackAddresses().databaseServerUrl}postgres`,
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ kept: string }>(
      'SELECT rolpassword AS kept FROM pg_authid WHERE rolname = current_user',
    );
    expect(rows[0]?.kept).toMatch(/^SCRAM-SHA-256\$\d{4,}:/);
  } finally {
    await client.end();
  }
});
