import { Client } from 'pg';
import { stackAddresses } from '../../support/addresses.ts';

/** The one value that a query of the test run's server answers. */
async function ask(query: string): Promise<unknown> {
  const client = new Client({
    connectionString: `${stackAddresses().databaseServerUrl}postgres`,
  });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: query, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

it('the password is kept in a way that the driver of Temporal takes: with a count of at least four digits', async () => {
  expect(await ask('SELECT rolpassword FROM pg_authid WHERE rolname = current_user')).toMatch(
    /^SCRAM-SHA-256\$\d{4,}:/,
  );
});

it('a server for throw-away data leaves no shared memory when it is killed: that is in its data directory', async () => {
  expect(await ask('SHOW dynamic_shared_memory_type')).toBe('mmap');
});
