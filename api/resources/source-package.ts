import { text } from '../fields.ts';
import { resource } from '../resource.ts';

// PostgreSQL indexes no text of more than 2704 bytes; Debian's names are far shorter.
const NAME_MAX_LENGTH = 255;

export const sourcePackage = resource({
  name: 'sourcepackage',
  model: (database) => database.SourcePackage,
  fields: { name: text({ maxLength: NAME_MAX_LENGTH }) },
  filters: ['name'],
  orders: ['name'],
  create: (database, values) => database.SourcePackage.add(values),
  change: (database, id, values) => database.SourcePackage.revise(id, values),
});
