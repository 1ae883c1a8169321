import { describeSchema } from '../models/sql/describe-schema.ts';
import { migrate } from '../models/sql/migrate.ts';
import { requiredAddress } from '../main/config/addresses.ts';
import { loadConfig } from '../main/config/config.ts';

// Writes models/schema.sql to standard output; `npm run schema` keeps it.

const url = requiredAddress(loadConfig(), 'databaseUrl');
await migrate(url);
console.log(await describeSchema(url));
