import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { stackAddresses } from './addresses.ts';

/** A migrated, empty database of the caller's own; `drop` removes it, with whoever is still connected. */
export async function createTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const { databaseServerUrl, databaseTemplate } = stackAddresses();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${databaseTemplate} STRATEGY file_copy`);
  return {
    url: databaseServerUrl + name,
    drop: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`),
  };

  async function onServer(sql: string): Promise<void> {
    const client = new Client({ connectionString: `${databaseServerUrl}postgres` });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }
}
