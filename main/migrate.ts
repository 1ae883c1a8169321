import { migrate } from '../models/sql/migrate.ts';
import { loadConfig } from './config/config.ts';

const { databaseUrl: url } = loadConfig().addresses;
if (!url) throw new Error('AIRLINE_DATABASE_URL is not set: it names the database to migrate.');
const applied = await migrate(url);
console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the schema is up to date');
