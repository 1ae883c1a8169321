import { isDatabaseUnavailable } from '../models/sql/database-errors.ts';
import { ConfigError } from '../main/config/config.ts';

// https://www.postgresql.org/docs/current/errcodes-appendix.html: undefined_table, undefined_function,
// invalid_catalog_name
const NOT_MIGRATED = /^(?:42P01|42883|3D000)$/;

/**
 * Why the database cannot be used, for people; undefined where nobody has foreseen it.
 *
 * @param missing what a database that was not migrated does not have
 */
export function explainDatabaseError(error: unknown, missing: string): string | undefined {
  if (error instanceof ConfigError) return error.message;
  if (isDatabaseUnavailable(error))
    return `The database does not answer (${(error as Error).message}). Is it running (\`npm start\`), and is AIRLINE_DATABASE_URL right?`;
  const { code } = ((error as { parent?: object }).parent ?? error) as { code?: unknown };
  return NOT_MIGRATED.test(String(code))
    ? `The database has no ${missing}: start Airline once, or run its migrations.`
    : undefined;
}
