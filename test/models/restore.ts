import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../models/database.ts';
import { query } from '../../models/sql/query.ts';
import { commandsOf } from '../compose/page.ts';
import { runWithStub } from '../compose/run-with-stub.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** The kinds of backup, as docs/operations.md heads them. */
export const BACKUPS = ['While it runs', 'While it is stopped'] as const;

const FOLDERS = ['running', 'stopped'];
const ARCHIVES = ['cluster', 'postgresql', 'rabbitmq', 'data-store', 'signing-keyring'];

/**
 * Does to a database what the restore of docs/operations.md has done to the one that it has put back.
 *
 * @returns what it has done with Docker, before and after
 */
export async function restore({ sequelize }: Database, backup: (typeof BACKUPS)[number]) {
  const directory = temporaryDirectory();
  for (const folder of FOLDERS) {
    mkdirSync(join(directory, 'backup', folder), { recursive: true });
    for (const name of ARCHIVES)
      writeFileSync(join(directory, 'backup', folder, `${name}.tar.gz`), 'as if');
  }
  const script = 'case "$*" in *" psql "*) cat > statements ;; esac';
  const { calls } = await runWithStub(directory, commandsOf(backup, 2), { name: 'docker', script });
  const statements = readFileSync(join(directory, 'statements'), 'utf8');
  for (const [, statement = '', end] of statements.matchAll(/([^;\\]+)(;|\\gexec)/g)) {
    const rows = await query(sequelize, statement);
    // psql runs each text that such a statement gives.
    if (end !== ';')
      for (const text of rows.flatMap((row) => Object.values(row)))
        await query(sequelize, String(text));
  }
  const asked = calls.findIndex((call) => call.includes(' psql '));
  return { before: calls.slice(0, asked), after: calls.slice(asked + 1) };
}
