import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEmbeddedConfig } from '../main/embedded/environment.ts';
import { startStack } from '../main/embedded/stack.ts';
import { describeSchema } from '../models/sql/describe-schema.ts';
import { migrate } from '../models/sql/migrate.ts';
import { freePorts, portVariables } from '../test/support/stack/free-ports.ts';

// Writes models/schema.sql to standard output, from a PostgreSQL made for the purpose; `npm run schema` keeps it.

const directory = mkdtempSync(join(tmpdir(), 'airline-schema-'));
try {
  // PostgreSQL does not run as root; its user has to reach the directory.
  chmodSync(directory, 0o755);
  const stack = await startStack({
    config: loadEmbeddedConfig({
      ...portVariables(await freePorts()),
      AIRLINE_STATE_DIR: join(directory, 'state'),
    }),
    report: () => undefined,
    only: ['postgresql'],
    durable: false,
  });
  try {
    const { databaseUrl } = stack.addresses;
    await migrate(databaseUrl);
    console.log(await describeSchema(databaseUrl));
  } finally {
    await stack.stop();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
